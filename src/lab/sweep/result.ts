/** Output of a sweep. */

import type { Search, SweepAssumptions, SweepSubject, SweptEvent } from './contract.js';
import type { countConfigurations, judge, walkForward } from './judge.js';

/** The leading and the unchanged configuration on fresh seeds: edge per seed, currency. */
export interface FreshResult {
  readonly firstSeed: number;
  readonly seeds: number;
  /** Of these, seeds on which an earlier sweep in the same folder has chosen: they are not fresh. */
  readonly usedBefore: number;
  /** Number of the leading configuration. */
  readonly number: number;
  readonly worlds: readonly {
    readonly world: string;
    readonly chosen: FreshMean;
    readonly unchanged: FreshMean;
    /** By seed: chosen minus unchanged. */
    readonly difference: FreshMean;
    /** Seeds with a negative edge of the chosen one. */
    readonly belowZero: number;
  }[];
}

/** The standard error is null below two seeds. */
export interface FreshMean {
  readonly mean: number;
  readonly standardError: number | null;
}

/** Data of table, page and JSON. Null: unknown, too few events, or undefined. */
export interface SweepResult {
  /** Incremented when the meaning of a key changes. */
  readonly format: 1;
  /** Kind of the played data: over worlds a model is a world, an event is a seed, and a result is the edge. */
  readonly subject: SweepSubject;
  readonly title: string;
  readonly assumptions: SweepAssumptions;
  readonly search: Pick<Search, 'kind' | 'axes' | 'leftOut'>;
  readonly counts: SweepCounts;
  readonly events: readonly SweptEvent[];
  readonly models: readonly ModelJudgement[];
  /** Best first, by the lowest result of the fill models. Failed and unfinished ones last. */
  readonly configurations: readonly ConfigurationResult[];
  /** Null with a single fold, and until all is done. */
  readonly walkForward: WalkForward | null;
  /** The best one on unused seeds. Null over recordings, and until all is done. */
  readonly fresh: FreshResult | null;
  /** Warnings about the figures, most serious first. */
  readonly notes: readonly SweepNote[];
}

/** `caution`: a figure means less than it seems. `note`: useful to know. */
export interface SweepNote {
  readonly level: 'caution' | 'note';
  readonly text: string;
}

export type SweepCounts = ReturnType<typeof countConfigurations>;

/** Judgement of the whole search under one fill model. */
export type ModelJudgement = ReturnType<typeof judge>['models'][number];

export type ConfigurationResult = ReturnType<typeof judge>['configurations'][number];

export type ModelResult = ConfigurationResult['models'][number];

/** Mean over deviation of the results per event; an event without a fill counts as 0. */
export type SharpePerEvent = NonNullable<ModelResult['sharpe']>;

export type WalkForward = NonNullable<ReturnType<typeof walkForward>>;

/** The best configuration before a fold, and its result in it. */
export type WalkForwardStep = WalkForward['steps'][number];
