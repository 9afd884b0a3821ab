import type { Recording } from '../../recording/contract.js';
import type { Config } from '../../shell/config/config.js';
import type { LatencyChoice } from '../backtest/latency.js';
import type { PlanOptions } from '../backtest/plan.js';
import type { ConfigOfThreads, TaskEnd } from '../backtest/threads/pool.js';

/** Maximum number of configurations of a sweep: more than a machine can try in a day. */
export const MAX_CONFIGURATIONS = 10_000;

/** Minimum number of events for a Sharpe ratio; with fewer events the ratio is too random to be shown. */
export const LEAST_EVENTS_FOR_SHARPE = 8;

type RawValue = number | boolean | string;

export interface Axis {
  /** Parameter, such as `maker.half_spread_ticks`, or `maker.bands.0.min_margin_ticks` for a field of a row. */
  readonly name: string;
  readonly strategy: string;
  readonly path: readonly (string | number)[];
  readonly choice: Choice;
}

type Choice =
  | { readonly kind: 'values'; readonly values: readonly RawValue[] }
  | {
      readonly kind: 'between';
      readonly from: number;
      readonly to: number;
      readonly isLog: boolean;
      readonly as: 'integer' | 'number' | 'shares';
    };

export interface Search {
  readonly kind: 'grid' | 'random';
  readonly axes: readonly Axis[];
  /** Candidates in the order of the draws or of the grid; in a grid, the last parameter varies fastest. */
  readonly candidates: readonly SweepCandidate[];
  /** Reasons why strategies reject combinations, with the number of combinations, most frequent first. */
  readonly leftOut: readonly { readonly why: string; readonly count: number }[];
  /** Requested number of candidates: size of the grid, or `--random`. There are fewer if strategies reject many. */
  readonly wanted: number;
}

export interface SweepCandidate {
  /** Number of the configuration, from 1, in the order of the search. */
  readonly number: number;
  readonly values: readonly RawValue[];
  /** Hash of the trader's configuration with these values, lower-case hex; the same on all machines. */
  readonly hash: string;
}

export interface SweepPlan
  extends Pick<PlanOptions, 'seed' | 'landingMs' | 'fees' | 'feeCurve' | 'allMarkets' | 'feedData'> {
  readonly config: Config;
  /** Source of the configuration, which worker threads read again, because strategies cannot be sent to threads. */
  readonly source: ConfigSource;
  readonly paths: readonly string[];
  readonly recordings: readonly Recording[];
  readonly search: Search;
  readonly fillModels: readonly string[];
  readonly latency: LatencyChoice;
  /** Number of folds; null to derive it from the number of events, at most `USUAL_FOLDS`. */
  readonly folds: number | null;
  /** Minimum time between the end of a training event and the start of the tested fold, ms. */
  readonly embargoMs: number;
  readonly workers: number;
  readonly outDir: string;
  /** True to continue the last sweep in `outDir`, which must have the same input. */
  readonly resume: boolean;
}

export type ConfigSource = ConfigOfThreads['source'];

export interface SweepWatcher {
  readonly now: () => number;
  readonly progress: (progress: SweepProgress) => void;
  readonly say: (text: string) => void;
  /** Resolves when the user asks for a stop. The results of finished backtests are kept. */
  readonly stopAsked: Promise<void>;
}

export interface SweepProgress {
  readonly phase: 'reading' | 'running';
  /** Number of read recordings, or of finished backtests; includes those of earlier runs of the same sweep. */
  readonly done: number;
  readonly all: number;
  readonly failed: number;
  readonly events: number;
  readonly eventsPerS: number | null;
  readonly leftMs: number | null;
}

/** One backtest of a sweep: a configuration over the events of one fold, under one fill model. */
export type Task = Readonly<{ candidate: SweepCandidate; fold: number; fillModel: string }>;

export type StoredTask = Omit<Task, 'candidate'> & Pick<SweepCandidate, 'number'>;

export type TaskOutcome = TaskEnd<TaskFigures>;

export interface TaskFigures {
  readonly resultMicros: number;
  /** Largest drawdown of the account; null if the equity was unknown at some time. */
  readonly maxDrawdownMicros: number | null;
  readonly fills: number;
  /** Number of important notices, such as limits that stopped the trader. */
  readonly alarms: number;
  readonly traceHash: string;
  /** Trading result of each event of the fold, micros, in the order of the events. */
  readonly eventResults: readonly number[];
}

/** An event of a sweep: markets that resolve together, and the span of their recordings, Unix ms. */
export interface SweptEvent {
  readonly title: string;
  readonly conditionIds: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly played: number;
  readonly fold: number;
}

export type SweepSubject = 'recordings' | 'worlds';

export interface SweepAssumptions {
  readonly version: string;
  readonly configHash: string;
  /** SHA-256 over all planned data, lower-case hex. Threads do not compare their data with this hash. */
  readonly dataHash: string;
  readonly seed: number;
  readonly fillModels: readonly string[];
  readonly latency: string;
  readonly folds: number;
  readonly embargoMs: number;
  readonly data: readonly string[];
}
