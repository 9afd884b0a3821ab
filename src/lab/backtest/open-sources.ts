/** Opens what a backtest plays, and checks what it was asked for before anything runs. */

import { type FillModel, fillModel } from '../../exchange/core/matching/fill-model.js';
import type { Recording } from '../../recording/contract.js';
import { openRecordings } from '../../recording/recording.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { EventSource } from './contract.js';
import { keepInMemory, streamRecording } from './sources.js';

/** The names of fill models as they are known. Throws TwinbookError `usage` for one that is not, or that stands twice. */
export function checkFillModels(names: readonly string[]): readonly string[] {
  const known = names.map((name) => fillModel(name).name);
  refuseTwins(known);
  return known;
}

/** The same for a list that may hold models of somebody's own, which are given back as they are. */
export function checkFillModelChoices(choices: readonly (string | FillModel)[]): readonly (string | FillModel)[] {
  const known = choices.map((choice) => (typeof choice === 'string' ? fillModel(choice).name : choice));
  refuseTwins(known.map((choice) => (typeof choice === 'string' ? choice : choice.name)));
  return known;
}

function refuseTwins(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new TwinbookError('usage', `the fill model ${twice} is named twice`, 'Name each once.');
}

/** How the sources of a backtest are read. */
export interface SourceReading {
  /** There is a single run: what it has played is let go of. */
  readonly once?: boolean;
}

/** Opens recordings, for several runs unless told. Throws TwinbookError `file_unreadable` or `recording_invalid`. */
export async function openSources(
  paths: readonly string[],
  { once = false }: SourceReading = {},
): Promise<{ readonly recordings: readonly Recording[]; readonly sources: readonly EventSource[] }> {
  const recordings = await openRecordings(paths);
  const shared = { events: 0 };
  const sources = recordings.map((recording) => {
    const source = streamRecording(recording);
    return once ? source : keepInMemory(source, shared);
  });
  return { recordings, sources };
}
