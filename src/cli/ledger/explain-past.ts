/** Explains a market at an earlier time, by a replay of the run's journal up to that time. */

import { basename } from 'node:path';
import { replayRun } from '../../lab/replay/replay.js';
import { type RunCode, traderThen } from '../../lab/replay/run-settings.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/text.js';
import { marketLines } from '../../shell/console/views/explain-view.js';
import { readRun, runField, runFolders } from '../../shell/journal/runs.js';

/** Throws `usage` if no run had begun or the run lacked the market, and `recording_invalid` for a damaged journal. */
export async function explainPast(subject: string, atMs: number, journalDir: string, code: RunCode) {
  const run = readRun(findRunAt(atMs, journalDir));
  const name = basename(run.folder);
  const trader = await traderThen(run.description, code);
  const { difference, snapshot, toMs } = await replayRun(run, { trader, code, untilMs: atMs });
  const market = snapshot?.markets.find(({ conditionId }) => conditionId === subject);
  if (snapshot === null || market === undefined) {
    const hint = '`twinbook markets` lists markets. Orders and fills are explained without --at.';
    throw new TwinbookError('usage', `run ${name} had no market ${subject} at that time`, hint);
  }
  const head = `as of ${utcText(toMs ?? 0)} UTC: run ${name}, replayed from its journal`;
  const lines = marketLines(market, snapshot);
  if (difference === null) return [head, ...lines];
  const since = `the replay differs from the run since ${utcText(difference.timeMs)} UTC`;
  return [head, `${since}, so the facts below may be wrong: ${difference.what}`, ...lines];
}

function findRunAt(atMs: number, dir: string): string {
  const folder = runFolders(dir).findLast((one) => Number(runField(one, 'startedMs')) <= atMs);
  if (folder !== undefined) return folder;
  const hint = 'Twinbook keeps runs up to `journal.max_mb`; with an unknown name, `twinbook replay` lists the runs.';
  throw new TwinbookError('usage', `no run in ${dir} had begun by ${utcText(atMs)} UTC`, hint);
}
