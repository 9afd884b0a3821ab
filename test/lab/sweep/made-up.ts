/** Figures of a backtest that are made up. */

import type { TaskFigures } from '../../../src/lab/sweep/contract.js';

/** With these results by event, and a trace that is theirs. */
export function figuresOf(eventResults: readonly number[]): TaskFigures {
  return {
    resultMicros: eventResults.reduce((sum, value) => sum + value, 0),
    maxDrawdownMicros: 12_340_000,
    fills: 40,
    turnoverMicros: 900_000_000,
    feesMicros: 0,
    twoSidedShare: 0.8,
    requests: 1000,
    alarms: 0,
    played: 50_000,
    traceHash: eventResults.join(' '),
    crossing: {
      filledMicros: 7_000_000,
      unfilledMicros: 20_000_000,
      unfilledOrders: 2,
      crossedMs: 836,
      shares5sMicros: 20_000_000,
      gain5sMicros: -280_000,
      shares60sMicros: 10_000_000,
      gain60sMicros: 50_000,
    },
    eventResults,
    runs: [],
  };
}
