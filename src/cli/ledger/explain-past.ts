/**
 * A market at an earlier time, and its times without orders: from the journal of that run, decided again up to there.
 */

import { basename } from 'node:path';
import { replayRun } from '../../lab/replay/replay-run.js';
import type { RunCode } from '../../lab/replay/run-code.js';
import { traderThen } from '../../lab/replay/run-settings.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import { explainMarket } from '../../shell/daemon/explain.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { readRun } from '../../shell/journal/read-run.js';
import { runField, runFolders } from '../../shell/journal/runs.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';
import type { Trader } from '../../trader/engine/trader.js';
import { MarketGaps } from './market-gaps.js';

export interface PastQuestion {
  /** Condition id of a market. */
  readonly subject: string;
  /** Unix ms. */
  readonly atMs: number;
  /** Time span before it to search for gaps, ms; 0 for none. */
  readonly gapsMs: number;
}

/**
 * Throws TwinbookError `usage` when no run had begun or the market was unknown, `recording_invalid` for a damaged
 * journal.
 */
export async function explainPast(
  question: PastQuestion,
  journalDir: string,
  code: RunCode,
): Promise<readonly string[]> {
  const { subject, atMs, gapsMs } = question;
  const run = readRun(findRunAt(atMs, journalDir));
  const gaps = new MarketGaps(subject);
  let trader: Trader | null = null;
  let lastMs = 0;
  let snapshot: Snapshot | null = null;
  const { difference } = await replayRun(run, {
    trader: await traderThen(run.description, code),
    code,
    look: {
      untilMs: atMs,
      afterStep: (remade, nowMs) => {
        trader = remade;
        lastMs = nowMs;
        if (gapsMs > 0 && nowMs >= atMs - gapsMs) gaps.look(remade.snapshot(nowMs), nowMs);
      },
    },
    ledgerAtEnd: () => {
      snapshot = trader?.snapshot(lastMs) ?? null;
    },
  });
  const lines = linesOf(subject, snapshot, run, lastMs);
  return [
    `as of ${utcText(lastMs)} UTC: run ${basename(run.folder)}, decided again from its journal`,
    ...(difference === null
      ? []
      : [
          `from ${utcText(difference.timeMs)} UTC on it did not decide as it did then, so this may differ: ${difference.what}`,
        ]),
    ...lines,
    ...(gapsMs > 0 ? ['', ...gaps.lines] : []),
  ];
}

function findRunAt(atMs: number, dir: string): string {
  const folder = runFolders(dir).findLast((one) => Number(runField(one, 'startedMs')) <= atMs);
  if (folder !== undefined) return folder;
  const hint = 'Runs are kept as long as `journal.max_mb` has room; `twinbook replay x` names those there are.';
  throw new TwinbookError('usage', `no run in ${dir} had begun by ${utcText(atMs)} UTC`, hint);
}

function linesOf(subject: string, snapshot: Snapshot | null, { folder }: RunJournal, nowMs: number): readonly string[] {
  const market = snapshot?.markets.find(({ conditionId }) => conditionId === subject);
  if (snapshot !== null && market !== undefined) return explainMarket(market, snapshot, nowMs);
  const hint = '`twinbook markets` lists markets; an order or a fill is explained without --at, as it was.';
  throw new TwinbookError('usage', `run ${basename(folder)} knew no market ${subject} then`, hint);
}
