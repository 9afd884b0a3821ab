/** Opens what a backtest plays, and checks what it was asked for before anything runs. */

import { fillModel } from '../../exchange/core/matching/fill-model.js';
import type { Recording } from '../../recording/contract.js';
import { openRecordings } from '../../recording/recording.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { EventSource } from './contract.js';
import { kept, streamed } from './sources.js';

/** The names of fill models as they are known. Throws TwinbookError `usage` for one that is not, or that stands twice. */
export function checkFillModels(names: readonly string[]): readonly string[] {
  const known = names.map((name) => fillModel(name).name);
  const twice = known.find((name, index) => known.indexOf(name) !== index);
  if (twice !== undefined)
    throw new TwinbookError('usage', `the fill model ${twice} is named twice`, 'Name each once.');
  return known;
}

/** Opens recordings for several runs. Throws TwinbookError `file_unreadable` or `recording_invalid`. */
export async function openSources(
  paths: readonly string[],
): Promise<{ readonly recordings: readonly Recording[]; readonly sources: readonly EventSource[] }> {
  const recordings = await openRecordings(paths);
  const shared = { events: 0 };
  return { recordings, sources: recordings.map((recording) => kept(streamed(recording), shared)) };
}
