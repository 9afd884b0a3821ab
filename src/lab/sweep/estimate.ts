/** Estimates a sweep's time and size before it begins. */

import type { SweptEvent } from './contract.js';
import type { PlannedSweep } from './facts.js';
import { eventsIn } from './folds.js';

/**
 * What a core takes for a backtest of one configuration under one fill model, measured over the recordings of three venues. A trader looks
 * and asks all the while, so that the time that is recorded costs far more than the events in it; a thread compiles the program once.
 */
export const PLAY_COST = { msASecond: 0.27, microsecondsAnEvent: 0.3, secondsToBegin: 5 } as const;

/**
 * Core seconds of one backtest of a fold, within two fifths of the measured time.
 *
 * @param events of the fold, in order of their beginning: gaps are skipped, and overlapping ones are traded together
 */
export function playSeconds(events: readonly Pick<SweptEvent, 'fromMs' | 'toMs' | 'played'>[]): number {
  let recordedMs = 0;
  let played = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    recordedMs += Math.max(0, event.toMs - Math.max(event.fromMs, untilMs));
    untilMs = Math.max(untilMs, event.toMs);
    played += event.played;
  }
  return (recordedMs / 1000) * (PLAY_COST.msASecond / 1000) + (played * PLAY_COST.microsecondsAnEvent) / 1_000_000;
}

/**
 * Bytes per row of `sweep.sqlite` with its share of pages, as measured: a backtest's without the results of its events.
 */
const BYTES = { backtest: 245, repeat: 110, configuration: 195, event: 90, standing: 110 } as const;
/** Eight, plus the waste of pages in long runs. */
const BYTES_PER_EVENT_RESULT = 9;

export interface SweepEstimate {
  readonly configurations: number;
  readonly folds: number;
  readonly backtests: number;
  /** Recorded events played by all backtests. */
  readonly played: number;
  /** By `PLAY_COST`. */
  readonly coreHours: number;
  /** Of all tables. */
  readonly rows: number;
  readonly bytes: number;
  /** Whether workers stream the recordings for lack of memory. */
  readonly isStreamed: boolean;
}

export function estimateSweep({ plan, data, facts }: PlannedSweep): SweepEstimate {
  const { search, fillModels, repeat, workers } = plan;
  const { events } = facts;
  const { folds } = facts.assumptions;
  const configurations = search.candidates.length;
  const ofFolds = Array.from({ length: folds }, (_, fold) => eventsIn(events, fold));
  const perFold = configurations * fillModels.length;
  const backtests = folds * perFold;
  const onceSeconds = perFold * ofFolds.reduce((sum, ofFold) => sum + playSeconds(ofFold), 0);
  const seconds = onceSeconds * repeat + workers * PLAY_COST.secondsToBegin;
  const repeats = repeat === 1 ? 0 : backtests * repeat;
  return {
    configurations,
    folds,
    backtests,
    played: perFold * repeat * events.reduce((sum, event) => sum + event.played, 0),
    coreHours: seconds / 3600,
    // A backtest has its figures, its results by event and its crossings.
    rows: 3 * backtests + repeats + configurations + events.length + perFold,
    bytes:
      backtests * BYTES.backtest +
      perFold * events.length * BYTES_PER_EVENT_RESULT +
      repeats * BYTES.repeat +
      configurations * BYTES.configuration +
      events.length * BYTES.event +
      perFold * BYTES.standing,
    isStreamed: data.isStreamed,
  };
}
