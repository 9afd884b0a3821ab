/** Several runs of one backtest of a sweep as one: the means of their figures. */

import { createHash } from 'node:crypto';
import { assert } from '../../shared/base/errors.js';
import { computeMean } from '../../shared/statistics/moments.js';
import type { TaskFigures } from './contract.js';
import { combineCrossings, roundedMean } from './results/crossings.js';

/** One run is itself. Counts and currency are rounded; the largest drawdown counts, and the alarms of all runs. */
export function meanOfRuns(runs: readonly (TaskFigures & { readonly seed: number })[]): TaskFigures {
  const [first] = runs;
  assert(first !== undefined, 'a task runs once at least');
  const { seed: _, ...single } = first;
  if (runs.length === 1) return single;
  const mean = (figure: (run: TaskFigures) => number): number => roundedMean(runs.map(figure));
  const eventResults = first.eventResults.map((_result, event) => mean((run) => run.eventResults[event] ?? 0));
  const quoted = runs.flatMap(({ twoSidedShare }) => twoSidedShare ?? []);
  return {
    // The sum of the events, so that the parts add up to the whole.
    resultMicros: eventResults.reduce((total, result) => total + result, 0),
    maxDrawdownMicros: Math.max(...runs.map(({ maxDrawdownMicros }) => maxDrawdownMicros)),
    fills: mean(({ fills }) => fills),
    turnoverMicros: mean(({ turnoverMicros }) => turnoverMicros),
    feesMicros: mean(({ feesMicros }) => feesMicros),
    twoSidedShare: computeMean(quoted),
    requests: mean(({ requests }) => requests),
    alarms: runs.reduce((total, { alarms }) => total + alarms, 0),
    played: runs.reduce((total, { played }) => total + played, 0),
    traceHash: combineHashes(runs.map(({ traceHash }) => traceHash)),
    crossing: combineCrossings(
      runs.map(({ crossing }) => crossing),
      roundedMean,
    ),
    eventResults,
    runs: runs.map(({ seed, resultMicros, fills, traceHash }) => ({ seed, resultMicros, fills, traceHash })),
  };
}

const combineHashes = (hashes: readonly string[]): string =>
  createHash('sha256').update(hashes.join(' ')).digest('hex').slice(0, 16);
