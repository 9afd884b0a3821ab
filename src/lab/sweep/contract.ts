/** What a sweep is asked, what it stores and what it says. */

import type { Recording } from '../../recording/contract.js';
import type { Config } from '../../shell/config/types.js';
import type { BacktestPlan } from '../backtest/contract.js';
import type { FeedData } from '../backtest/feeds/feed-values.js';
import type { LatencyChoice } from '../backtest/latency.js';
import type { ConfigOfThreads, TaskEnd } from '../backtest/threads/pool.js';

/** A parameter's value as a strategy file would hold it: share amounts are decimal strings. */
export type RawValue = number | boolean | string;

/** One parameter that is varied. */
export interface Axis {
  /** As it is shown: `maker.half_spread_ticks`, or `maker.bands.0.min_margin_ticks` for a field of a row. */
  readonly name: string;
  /** Name of the strategy file. */
  readonly strategy: string;
  /** Inside its `params`. */
  readonly path: readonly (string | number)[];
  readonly choice: Choice;
}

/** What is to be tried: these values, or any value between two. */
export type Choice =
  | { readonly kind: 'values'; readonly values: readonly RawValue[] }
  | {
      readonly kind: 'between';
      readonly from: number;
      readonly to: number;
      /** Drawn evenly on a logarithmic scale. */
      readonly isLog: boolean;
      /** How what was drawn is written down. */
      readonly as: 'integer' | 'number' | 'shares';
    };

/** Which combinations are tried. */
export interface Search {
  readonly kind: 'grid' | 'random';
  readonly axes: readonly Axis[];
  /** In their order: the last axis varies fastest, or as drawn. */
  readonly candidates: readonly Candidate[];
  /** Combinations that the strategies themselves call impossible, and why, most frequent first. */
  readonly leftOut: readonly { readonly why: string; readonly count: number }[];
  /** So many were asked for: all of a grid, or the number to be drawn, which a small space may not hold. */
  readonly wanted: number;
}

/** One configuration to be tried. */
export interface Candidate {
  /** From 1, in the order of the search. */
  readonly number: number;
  /** One for each axis. */
  readonly values: readonly RawValue[];
  /** Lower-case hex: the trader's configuration with these values, wherever it was tried. */
  readonly hash: string;
}

export interface SweepPlan {
  readonly config: Config;
  /** How the workers read the configuration once more: what a strategy is made of cannot be handed to a thread. */
  readonly source: ConfigSource;
  /** Where the recordings are; read again by each worker when they are too large to be shared. */
  readonly paths: readonly string[];
  readonly recordings: readonly Recording[];
  readonly search: Search;
  /** From the most pessimistic; the first one leads. */
  readonly fillModels: readonly string[];
  readonly latency: LatencyChoice;
  readonly seed: number;
  /** Runs of each backtest, whose means count. */
  readonly repeat: number;
  readonly landingMs: number;
  readonly fees: BacktestPlan['fees'];
  readonly feeCurve?: BacktestPlan['feeCurve'];
  readonly allMarkets: boolean;
  /** Absent: feeds say nothing. */
  readonly feedData?: FeedData;
  /** Null: as many as there are events for, up to `USUAL_FOLDS`. */
  readonly folds: number | null;
  /** Between the last thing known of an event that is learned from and the beginning of the fold that is tested, ms. */
  readonly embargoMs: number;
  readonly workers: number;
  /** Decoded recordings larger than this are not shared but streamed by each worker, bytes. */
  readonly memoryBytes: number;
  /** Holds `sweep.sqlite`; made if it is missing. */
  readonly outDir: string;
  /** Goes on with the last sweep in `outDir`, which must have been asked the same. */
  readonly resume: boolean;
}

export type ConfigSource = ConfigOfThreads['source'];

/** The world around a sweep. */
export interface SweepWatcher {
  /** A clock that only goes forward, ms. */
  readonly now: () => number;
  readonly progress: (progress: SweepProgress) => void;
  /** A sentence that a person should see at once. */
  readonly say: (text: string) => void;
  /** Resolves when the user wants it to end; what is done is kept. */
  readonly stopAsked: Promise<void>;
}

export interface SweepProgress {
  readonly phase: 'reading' | 'running';
  /** Recordings read; or backtests done, those of an earlier run of the same sweep among them. */
  readonly done: number;
  readonly all: number;
  readonly failed: number;
  /** Recorded events that were played by this run so far. */
  readonly events: number;
  /** Of this run; null before the first backtest is done. */
  readonly eventsPerS: number | null;
  readonly leftMs: number | null;
}

/** One backtest: a configuration, the events of one fold, one fill model. */
export interface Task {
  readonly candidate: Candidate;
  /** From 0. */
  readonly fold: number;
  readonly fillModel: string;
}

export type TaskOutcome<R = TaskFigures> = TaskEnd<R>;

/** What one backtest has brought. Every fold begins with the whole capital and knows nothing of the others. */
export interface TaskFigures {
  readonly resultMicros: number;
  readonly maxDrawdownMicros: number;
  readonly fills: number;
  /** Loud notices: limits that stopped the trader, and whatever else a live one would have called somebody for. */
  readonly alarms: number;
  readonly traceHash: string;
  /** In the order of the fold's events. */
  readonly eventResults: readonly number[];
  /** The runs that the figures above are means of, in their order; empty where there was a single one. */
  readonly runs: readonly TaskRun[];
}

export interface TaskRun {
  readonly seed: number;
  readonly resultMicros: number;
  readonly fills: number;
  readonly traceHash: string;
}

/** Markets that resolve together, and when anything of them was recorded: Unix ms. */
export interface SweptEvent {
  readonly title: string;
  readonly conditionIds: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Recorded events in it. */
  readonly played: number;
  readonly fold: number;
}

export type SweepSubject = 'recordings' | 'worlds';

/** The configuration that leads and the unchanged one, on fresh seeds: edge of a seed, currency. */
export interface FreshResult {
  readonly firstSeed: number;
  readonly seeds: number;
  /** Seeds of these that an earlier sweep in the same folder has chosen on: they are not fresh. */
  readonly usedBefore: number;
  /** Number of the configuration that leads. */
  readonly number: number;
  readonly worlds: readonly {
    readonly world: string;
    readonly chosen: FreshMean;
    readonly unchanged: FreshMean;
    /** Seed by seed: chosen minus unchanged. */
    readonly difference: FreshMean;
    /** Seeds on which the chosen one has a negative edge. */
    readonly belowZero: number;
  }[];
}

/** The standard error is null below two seeds. */
export interface FreshMean {
  readonly mean: number;
  readonly standardError: number | null;
}

/** Everything that table, page and JSON show. Null: not known, too few events to say, or not defined. */
export interface SweepResult {
  /** Raised when the meaning of a key changes. */
  readonly format: 1;
  /** What was played: over worlds a model is a world, an event is a seed, and a result is the edge. */
  readonly subject: SweepSubject;
  readonly title: string;
  readonly assumptions: SweepAssumptions;
  readonly search: Pick<Search, 'kind' | 'axes' | 'leftOut'>;
  readonly counts: SweepCounts;
  /** In order of time. */
  readonly events: readonly SweptEvent[];
  readonly models: readonly ModelJudgement[];
  /** Best first: by the lowest of the results under the fill models. Failed and unfinished ones last. */
  readonly configurations: readonly ConfigurationResult[];
  /** Null with a single fold, and until everything is done. */
  readonly walkForward: WalkForward | null;
  /** The best on seeds that nothing was chosen on. Null over recordings, and until everything is done. */
  readonly fresh: FreshResult | null;
  /** What a reader must know before believing a figure, most serious first. */
  readonly notes: readonly SweepNote[];
}

/** `caution`: a figure stands for less than it seems to. `note`: good to know. */
export interface SweepNote {
  readonly level: 'caution' | 'note';
  readonly text: string;
}

export interface SweepAssumptions {
  readonly version: string;
  readonly configHash: string;
  /** Lower-case hex SHA-256 over what was played, event by event. */
  readonly dataHash: string;
  readonly seed: number;
  readonly repeat: number;
  readonly fillModels: readonly string[];
  readonly latency: string;
  readonly folds: number;
  readonly embargoMs: number;
  readonly data: readonly string[];
}

export interface SweepCounts {
  readonly configurations: number;
  readonly done: number;
  readonly failed: number;
  /** Not yet, or not wholly, run. */
  readonly unfinished: number;
  /** Configurations that were ever tried in this folder, by earlier sweeps too: the N of the deflated Sharpe ratio. */
  readonly tried: number;
  /** Of those done: a gain under one fill model and a loss under another. */
  readonly flipping: number;
  readonly events: number;
}

/** What can be said of the whole search under one fill model. */
export interface ModelJudgement {
  readonly fillModel: string;
  /** V[SR]: variance over this sweep's configurations of the Sharpe ratio per event. */
  readonly sharpeVariance: number | null;
  /** What luck alone gives the best of all that were tried. */
  readonly luckySharpe: number | null;
  /** Probability of backtest overfitting, and how it was found. */
  readonly overfitting: {
    readonly probability: number;
    readonly lossProbability: number;
    readonly blocks: number;
  } | null;
}

export interface ConfigurationResult extends Candidate {
  readonly status: 'done' | 'failed' | 'unfinished';
  /** Of the first backtest that failed; empty otherwise. */
  readonly error: string;
  readonly signFlips: boolean;
  /** The lowest of the results under the fill models: what configurations are ranked by. */
  readonly worstMicros: number | null;
  /** In the order of the fill models; empty unless done. */
  readonly models: readonly ModelResult[];
}

export interface ModelResult {
  readonly fillModel: string;
  readonly resultMicros: number;
  /** The largest of the folds'. */
  readonly maxDrawdownMicros: number;
  readonly fills: number;
  readonly alarms: number;
  /** Deviation of the result between repeats; null without any. */
  readonly repeatDeviationMicros: number | null;
  readonly sharpe: SharpePerEvent | null;
}

/** Mean over deviation of the results per event; an event without a fill counts as 0. */
export interface SharpePerEvent {
  readonly sharpe: number;
  readonly events: number;
  readonly skewness: number;
  /** Raw: 3 for normal. */
  readonly kurtosis: number;
  /** Probability that the true ratio is above what luck gives the best of all that were tried. */
  readonly deflated: number | null;
}

export interface WalkForward {
  readonly steps: readonly WalkForwardStep[];
  /** Of the steps that had something to learn from, in the order of the fill models. */
  readonly outOfSample: readonly {
    readonly fillModel: string;
    readonly resultMicros: number;
    readonly sharpe: SharpePerEvent | null;
  }[];
  /** That were tested on. */
  readonly testedEvents: number;
}

/** The configuration that was best before a fold, and what it brought in it. */
export interface WalkForwardStep {
  /** The fold that is tested, from 1: fold 0 is only learned from. */
  readonly fold: number;
  readonly trainEvents: number;
  /** Earlier events that were not over when this fold began: not learned from. */
  readonly purgedEvents: number;
  readonly testEvents: number;
  /** Number of the configuration; null when there was nothing to learn from. */
  readonly chosen: number | null;
  /** In the order of the fill models. */
  readonly inSampleMicros: readonly number[];
  readonly outOfSampleMicros: readonly number[];
}
