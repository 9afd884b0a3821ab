/** What a sweep will take, before it begins. */

import type { SweepPlan } from './contract.js';
import type { PlannedSweep } from './plan.js';

/** Recorded events that a core plays in a second, all of a backtest's work included: as measured over real recordings. */
export const USUAL_PACE = 120_000;

/** Of rows of `sweep.sqlite` with their share of its pages, as measured: a backtest's without the results of its events. */
const BYTES = { backtest: 245, repeat: 110, configuration: 195, event: 90, standing: 110 } as const;
/** Eight, and what the pages of long runs of them waste. */
const BYTES_PER_EVENT_RESULT = 9;

export interface SweepEstimate {
  readonly configurations: number;
  readonly folds: number;
  readonly backtests: number;
  /** Recorded events that all backtests play together. */
  readonly played: number;
  /** At `USUAL_PACE`. */
  readonly coreHours: number;
  /** Of all tables. */
  readonly rows: number;
  readonly bytes: number;
  /** Whether the recordings are streamed by each worker, for want of memory. */
  readonly isStreamed: boolean;
}

export function estimateSweep({ search, fillModels, repeat }: SweepPlan, planned: PlannedSweep): SweepEstimate {
  const { events, folds, data } = planned;
  const configurations = search.candidates.length;
  const perFold = configurations * fillModels.length;
  const backtests = perFold * folds;
  const played = events.reduce((sum, event) => sum + event.played, 0) * perFold * repeat;
  const repeats = repeat === 1 ? 0 : backtests * repeat;
  return {
    configurations,
    folds,
    backtests,
    played,
    coreHours: played / USUAL_PACE / 3600,
    // A backtest has its figures, its results by event and its crossings.
    rows: 3 * backtests + repeats + configurations + events.length + perFold,
    bytes:
      backtests * BYTES.backtest +
      events.length * perFold * BYTES_PER_EVENT_RESULT +
      repeats * BYTES.repeat +
      configurations * BYTES.configuration +
      events.length * BYTES.event +
      perFold * BYTES.standing,
    isStreamed: data.isStreamed,
  };
}
