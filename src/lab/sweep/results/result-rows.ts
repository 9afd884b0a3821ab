/** Rows of `results` and of the tables beside it, as the outcomes that they were written from. */

import type { CrossingSums, TaskFigures, TaskOutcome, TaskRun } from '../contract.js';

export interface CrossingRow {
  readonly filled_micros: number;
  readonly unfilled_micros: number;
  readonly unfilled_orders: number;
  readonly crossed_ms: number;
  readonly shares_5s_micros: number;
  readonly gain_5s_micros: number;
  readonly shares_60s_micros: number;
  readonly gain_60s_micros: number;
}

/** Of a failed one everything behind `error` is null, and not looked at. */
export interface ResultRow {
  readonly configuration: number;
  readonly fold: number;
  readonly fill_model: string;
  readonly status: 'done' | 'failed';
  readonly error: string;
  readonly result_micros: number;
  readonly max_drawdown_micros: number;
  readonly fills: number;
  readonly turnover_micros: number;
  readonly fees_micros: number;
  readonly two_sided_share: number | null;
  readonly requests: number;
  readonly alarms: number;
  readonly played: number;
  readonly trace_hash: string;
}

/** Its parts, which lie in several tables. */
export function toOutcome(
  row: ResultRow,
  eventResults: readonly number[],
  runs: readonly TaskRun[],
  crossing: CrossingRow | undefined,
): TaskOutcome {
  if (row.status === 'failed') return { kind: 'failed', error: row.error };
  const figures: TaskFigures = {
    resultMicros: row.result_micros,
    maxDrawdownMicros: row.max_drawdown_micros,
    fills: row.fills,
    turnoverMicros: row.turnover_micros,
    feesMicros: row.fees_micros,
    twoSidedShare: row.two_sided_share,
    requests: row.requests,
    alarms: row.alarms,
    played: row.played,
    traceHash: row.trace_hash,
    crossing: crossing === undefined ? null : toCrossing(crossing),
    eventResults,
    runs,
  };
  return { kind: 'done', figures };
}

const toCrossing = (row: CrossingRow): CrossingSums => ({
  filledMicros: row.filled_micros,
  unfilledMicros: row.unfilled_micros,
  unfilledOrders: row.unfilled_orders,
  crossedMs: row.crossed_ms,
  after5s: { sharesMicros: row.shares_5s_micros, gainMicros: row.gain_5s_micros },
  after60s: { sharesMicros: row.shares_60s_micros, gainMicros: row.gain_60s_micros },
});
