/** Input and storage of a sweep; `result.ts` has its output. */

import type { Recording } from '../../recording/contract.js';
import type { Config } from '../../shell/config/config.js';
import type { BacktestPlan } from '../backtest/contract.js';
import type { LatencyChoice } from '../backtest/latency.js';
import type { FeedData } from '../backtest/plan.js';
import type { ConfigOfThreads, TaskEnd } from '../backtest/threads/pool.js';

/** More than a user's machine tries in a day or a person reads. */
export const MAX_CONFIGURATIONS = 10_000;

/** Default folds: a fold needs enough events. */
export const USUAL_FOLDS = 4;
/** Minimum events per fold; by default there are then fewer folds. */
export const LEAST_EVENTS_PER_FOLD = 2;
export const MAX_FOLDS = 50;

/** Minimum events for a ratio; with fewer events the ratio is too random to be shown. */
export const LEAST_EVENTS_FOR_SHARPE = 8;
/** Both rules for crossings, and the fewest fills: a result must have one sign under all three. */
export const USUAL_FILL_MODELS = ['trade-through', 'posts-only', 'risk-averse'] as const;

/** A parameter's value in file form: share amounts are decimal strings. */
export type RawValue = number | boolean | string;

export interface Axis {
  /** Shown name: `maker.half_spread_ticks`, or `maker.bands.0.min_margin_ticks` for a field of a row. */
  readonly name: string;
  readonly strategy: string;
  /** Inside its `params`. */
  readonly path: readonly (string | number)[];
  readonly choice: Choice;
}

/** Values to try: a list, or any value between two. */
export type Choice =
  | { readonly kind: 'values'; readonly values: readonly RawValue[] }
  | {
      readonly kind: 'between';
      readonly from: number;
      readonly to: number;
      /** Drawn evenly on a logarithmic scale. */
      readonly isLog: boolean;
      /** File form of a drawn value. */
      readonly as: 'integer' | 'number' | 'shares';
    };

/** Rule that chooses the combinations to try. */
export interface Search {
  readonly kind: 'grid' | 'random';
  readonly axes: readonly Axis[];
  /** Candidates in order: the last axis varies fastest, or in order of the draws. */
  readonly candidates: readonly Candidate[];
  /** Combinations that the strategies reject, with reasons, most frequent first. */
  readonly leftOut: readonly { readonly why: string; readonly count: number }[];
  /** Requested number: all of a grid, or the number of draws, which a small space may not have. */
  readonly wanted: number;
}

export interface Candidate {
  /** Number from 1, in the order of the search. */
  readonly number: number;
  /** One value per axis. */
  readonly values: readonly RawValue[];
  /** Lower-case hex of the trader's configuration with these values, on any machine. */
  readonly hash: string;
}

export interface SweepPlan {
  readonly config: Config;
  /** Source for the workers, which read the configuration again: strategies cannot be passed to a thread. */
  readonly source: ConfigSource;
  /** Paths of the recordings, for the workers. */
  readonly paths: readonly string[];
  readonly recordings: readonly Recording[];
  readonly search: Search;
  /** Fill models from the most pessimistic; the first model leads. */
  readonly fillModels: readonly string[];
  readonly latency: LatencyChoice;
  readonly seed: number;
  readonly landingMs: number;
  readonly fees: BacktestPlan['fees'];
  readonly feeCurve?: BacktestPlan['feeCurve'];
  readonly allMarkets: boolean;
  /** Feed values; absent: the feeds have no values. */
  readonly feedData?: FeedData;
  /** Number of folds; null: chosen by the number of events, up to `USUAL_FOLDS`. */
  readonly folds: number | null;
  /** Minimum time between the last knowledge of a training event and the start of the tested fold, ms. */
  readonly embargoMs: number;
  readonly workers: number;
  /** Folder of `sweep.sqlite`; created if missing. */
  readonly outDir: string;
  /** Continues the last sweep in `outDir`, which must have the same input. */
  readonly resume: boolean;
}

export type ConfigSource = ConfigOfThreads['source'];

/** Surroundings of a sweep. */
export interface SweepWatcher {
  /** Monotonic clock, ms. */
  readonly now: () => number;
  readonly progress: (progress: SweepProgress) => void;
  /** Sends a sentence to the user at once. */
  readonly say: (text: string) => void;
  /** Resolves when the user wants to stop; finished work is kept. */
  readonly stopAsked: Promise<void>;
}

export interface SweepProgress {
  readonly phase: 'reading' | 'running';
  /** Recordings read; or finished backtests, including those of an earlier run of the same sweep. */
  readonly done: number;
  readonly all: number;
  readonly failed: number;
  /** Recorded events played by this run so far. */
  readonly events: number;
  /** Speed of this run; null before its first backtest. */
  readonly eventsPerS: number | null;
  readonly leftMs: number | null;
}

/** One backtest: a configuration, the events of one fold, and one fill model. */
export interface Task {
  readonly candidate: Candidate;
  /** Number of the fold, from 0. */
  readonly fold: number;
  readonly fillModel: string;
}

export type TaskOutcome<R = TaskFigures> = TaskEnd<R>;

/** Result of one backtest. Every fold begins with the whole capital. */
export interface TaskFigures {
  readonly resultMicros: number;
  readonly maxDrawdownMicros: number;
  readonly fills: number;
  /** Loud notices: limits that stopped the trader, and other alarms of a live one. */
  readonly alarms: number;
  readonly traceHash: string;
  /** Results in the order of the fold's events. */
  readonly eventResults: readonly number[];
}

/** Markets that resolve together, and the span of their recordings: Unix ms. */
export interface SweptEvent {
  readonly title: string;
  readonly conditionIds: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Recorded events of these markets. */
  readonly played: number;
  readonly fold: number;
}

export type SweepSubject = 'recordings' | 'worlds';

export interface SweepAssumptions {
  readonly version: string;
  readonly configHash: string;
  /** Lower-case hex SHA-256 over the played data, event by event. */
  readonly dataHash: string;
  readonly seed: number;
  readonly fillModels: readonly string[];
  readonly latency: string;
  readonly folds: number;
  readonly embargoMs: number;
  readonly data: readonly string[];
}
