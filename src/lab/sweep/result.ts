/** Output of a sweep: outcomes of its backtests, and their judgement. */

import { computeMoments } from '../../shared/statistics/moments.js';
import { deflatedSharpe, expectedMaxSharpe, observedSharpe, type Trials } from '../../shared/statistics/sharpe.js';
import {
  type Candidate,
  LEAST_EVENTS_FOR_SHARPE,
  type Search,
  type SweepAssumptions,
  type SweepSubject,
  type SweptEvent,
  type Task,
  type TaskFigures,
  type TaskOutcome,
} from './contract.js';
import { foldCount, trainingFor } from './facts.js';

/** Reads the results by event of a finished backtest: they are not kept in memory. */
type EventResultsAt = (number: number, fold: number, fillModel: string) => readonly number[];

/** Outcomes of a sweep's backtests by configuration, fold and fill model. */
export class Outcomes {
  readonly #folds: number;
  readonly #models: readonly string[];
  readonly #eventsAt: EventResultsAt;
  readonly #byNumber = new Map<number, (TaskOutcome | undefined)[]>();
  count = 0;
  failed = 0;

  constructor(folds: number, models: readonly string[], eventsAt: EventResultsAt) {
    this.#folds = folds;
    this.#models = models;
    this.#eventsAt = eventsAt;
  }

  set({ fold, fillModel, number }: Omit<Task, 'candidate'> & { readonly number: number }, outcome: TaskOutcome): void {
    const row = this.#byNumber.get(number) ?? [];
    const place = fold * this.#models.length + this.#models.indexOf(fillModel);
    const before = row[place];
    row[place] =
      outcome.kind === 'failed' ? outcome : { kind: 'done', figures: { ...outcome.figures, eventResults: [] } };
    this.#byNumber.set(number, row);
    if (before === undefined) this.count++;
    this.failed += Number(outcome.kind === 'failed') - Number(before?.kind === 'failed');
  }

  get({ candidate, fold, fillModel }: Task): TaskOutcome | undefined {
    return this.#at(candidate.number, fold, this.#models.indexOf(fillModel));
  }

  #at(number: number, fold: number, model: number): TaskOutcome | undefined {
    return this.#byNumber.get(number)?.[fold * this.#models.length + model];
  }

  /** `error` is that of the first failed backtest, in task order. */
  findStatus({ number }: Candidate): { readonly status: 'done' | 'failed' | 'unfinished'; readonly error: string } {
    const outcomes = (this.#byNumber.get(number) ?? []).filter((outcome) => outcome !== undefined);
    for (const outcome of outcomes) if (outcome.kind === 'failed') return { status: 'failed', error: outcome.error };
    return { status: outcomes.length === this.#folds * this.#models.length ? 'done' : 'unfinished', error: '' };
  }

  /** Results by event, over all folds of a finished configuration. */
  eventResults(number: number, model: number): Float64Array {
    const fillModel = this.#models[model] ?? '';
    const found = Array.from({ length: this.#folds }, (_, fold) => this.#eventsAt(number, fold, fillModel));
    return Float64Array.from(found.flat());
  }

  /** All folds together, for finished configurations. */
  modelResult(number: number, model: number) {
    const folds = Array.from({ length: this.#folds }, (_, fold) => this.#at(number, fold, model)).flatMap((outcome) =>
      outcome?.kind === 'done' ? [outcome.figures] : [],
    );
    const total = (figure: (figures: TaskFigures) => number) => folds.reduce((sum, each) => sum + figure(each), 0);
    return {
      fillModel: this.#models[model] ?? '',
      resultMicros: total(({ resultMicros }) => resultMicros),
      /** Maximum over the folds. */
      maxDrawdownMicros: Math.max(...folds.map(({ maxDrawdownMicros }) => maxDrawdownMicros)),
      fills: total(({ fills }) => fills),
      alarms: total(({ alarms }) => alarms),
    };
  }
}

/** @param tried every configuration that was ever tried on such a search, those of this one among them */
export function judge(
  candidates: readonly Candidate[],
  fillModels: readonly string[],
  outcomes: Outcomes,
  tried: number,
) {
  const done = candidates.filter((candidate) => outcomes.findStatus(candidate).status === 'done');
  const judged = fillModels.map((fillModel, model) => {
    const sharpes = done.flatMap(
      ({ number }) => computeSharpe(outcomes.eventResults(number, model), null)?.sharpe ?? [],
    );
    const { standardDeviation } = computeMoments(sharpes);
    /** V[SR]: variance of the Sharpe ratio per event over this sweep's configurations. */
    const sharpeVariance = standardDeviation === null ? null : standardDeviation ** 2;
    const trials = makeTrials(tried, sharpeVariance);
    /** Expected best Sharpe ratio of all tried configurations by luck alone. */
    const luckySharpe = trials === null ? null : expectedMaxSharpe(trials);
    return { trials, judgement: { fillModel, sharpeVariance, luckySharpe } };
  });
  /** Trials by fill model, which deflate the model's Sharpe ratios. */
  const trials = judged.map((model) => model.trials);
  const configurations = candidates.map((candidate) => configurationResult(candidate, outcomes, trials)).sort(byWorst);
  return { models: judged.map(({ judgement }) => judgement), configurations, trials };
}

/** A single trial has no variance and needs none; of several, an unknown variance leaves the luck unknown. */
function makeTrials(tried: number, variance: number | null): Trials | null {
  if (tried <= 1) return { count: 1, variance: 0 };
  return variance === null ? null : { count: tried, variance };
}

function configurationResult(candidate: Candidate, outcomes: Outcomes, trials: readonly (Trials | null)[]) {
  const { number } = candidate;
  /** First error of a failed configuration, else empty. */
  const { status, error } = outcomes.findStatus(candidate);
  const isDone = status === 'done';
  /** Results in the order of the fill models; empty unless done. */
  const models = (isDone ? trials : []).map((tried, model) => {
    const sharpe = computeSharpe(outcomes.eventResults(number, model), tried);
    return { ...outcomes.modelResult(number, model), sharpe };
  });
  const results = models.map(({ resultMicros }) => resultMicros);
  const signFlips = results.some((result) => result > 0) && results.some((result) => result < 0);
  /** Lowest result of the fill models: the ranking's key. */
  const worstMicros = isDone ? Math.min(...results) : null;
  return { ...candidate, status, error, signFlips, worstMicros, models };
}

type Ranked = ReturnType<typeof configurationResult>;

function byWorst(a: Ranked, b: Ranked): number {
  const [left, right] = [a.worstMicros ?? Number.NEGATIVE_INFINITY, b.worstMicros ?? Number.NEGATIVE_INFINITY];
  if (left !== right) return right - left;
  return ORDER[a.status] - ORDER[b.status] || a.number - b.number;
}

const ORDER = { done: 0, failed: 1, unfinished: 2 } as const;

/** Sharpe ratio of `results` by event, 0 without activity. Null for too few events and for constant results. */
function computeSharpe(results: ArrayLike<number>, trials: Trials | null) {
  if (results.length < LEAST_EVENTS_FOR_SHARPE) return null;
  const observed = observedSharpe(results);
  if (observed === null) return null;
  /** The kurtosis is raw: 3 for normal. */
  const { sharpe, samples, skewness, kurtosis } = observed;
  /** Probability that the true ratio exceeds the expected best by luck of all tried ones. */
  const deflated = trials === null ? null : deflatedSharpe(observed, trials);
  return { sharpe, events: samples, skewness, kurtosis, deflated };
}

export function countConfigurations(
  configurations: readonly { readonly status: 'done' | 'failed' | 'unfinished'; readonly signFlips: boolean }[],
  tried: number,
  events: number,
) {
  const count = (wanted: string) => configurations.filter(({ status }) => status === wanted).length;
  return {
    configurations: configurations.length,
    done: count('done'),
    failed: count('failed'),
    /** Configurations that have not run, or only partly. */
    unfinished: count('unfinished'),
    /** Configurations ever tried in this folder, earlier sweeps included: the N of the deflated Sharpe ratio. */
    tried,
    /** Finished configurations with a gain under one fill model and a loss under another. */
    flipping: configurations.filter(({ signFlips }) => signFlips).length,
    events,
  };
}

interface WalkForwardQuestion {
  /** Finished candidates, in the order of the search. */
  readonly candidates: readonly Candidate[];
  readonly events: readonly SweptEvent[];
  readonly fillModels: readonly string[];
  readonly outcomes: Outcomes;
  readonly embargoMs: number;
  readonly trials: readonly (Trials | null)[];
}

export function walkForward({ candidates, events, fillModels, outcomes, embargoMs, trials }: WalkForwardQuestion) {
  const folds = foldCount(events);
  if (folds < 2 || candidates.length === 0) return null;
  const readRows = (number: number) => fillModels.map((_, model) => outcomes.eventResults(number, model));
  const trained = Array.from({ length: folds - 1 }, (_, index) => trainingFor(events, index + 1, embargoMs));
  const best = bestOn(candidates, trained, readRows);
  const unseen: number[][] = fillModels.map(() => []);
  const steps = trained.map(({ learned, purged }, index) => {
    const fold = index + 1;
    const tested = events.flatMap((event, at) => (event.fold === fold ? [at] : []));
    const chosen = best[index] ?? null;
    const rows = chosen === null ? [] : readRows(chosen);
    for (const [model, row] of rows.entries()) unseen[model]?.push(...tested.map((index) => row[index] ?? 0));
    return {
      /** The tested fold, from 1: fold 0 is only for training. */
      fold,
      trainEvents: learned.length,
      /** Earlier events that had not ended when this fold began: not used for training. */
      purgedEvents: purged.length,
      testEvents: tested.length,
      /** Number of the configuration; null without training data. */
      chosen,
      /** Results in the order of the fill models, like `outOfSampleMicros`. */
      inSampleMicros: rows.map((row) => sumAt(row, learned)),
      outOfSampleMicros: rows.map((row) => sumAt(row, tested)),
    };
  });
  /** Results over the steps with training data, in the order of the fill models. */
  const outOfSample = fillModels.map((fillModel, model) => {
    const row = unseen[model] ?? [];
    return {
      fillModel,
      resultMicros: row.reduce((sum, value) => sum + value, 0),
      sharpe: computeSharpe(row, trials[model] ?? null),
    };
  });
  return { steps, outOfSample, testedEvents: unseen[0]?.length ?? 0 };
}

/**
 * Chooses, for every step, the first configuration whose lowest result under the fill models is highest. Null for a
 * step without results to learn from. Each configuration's results are read once and not kept.
 */
function bestOn(
  candidates: readonly Candidate[],
  trained: readonly { readonly learned: readonly number[] }[],
  readRows: (number: number) => readonly Float64Array[],
): readonly (number | null)[] {
  const best = trained.map(() => ({ number: null as number | null, micros: Number.NEGATIVE_INFINITY }));
  for (const { number } of candidates) {
    const rows = readRows(number);
    for (const [step, { learned }] of trained.entries()) {
      const leader = best[step];
      if (leader === undefined || learned.length === 0) continue;
      // Configurations are chosen by their lowest result at these events under the fill models.
      const worstMicros = Math.min(...rows.map((row) => sumAt(row, learned)));
      if (worstMicros > leader.micros) Object.assign(leader, { number, micros: worstMicros });
    }
  }
  return best.map(({ number }) => number);
}

const sumAt = (row: Float64Array, places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (row[place] ?? 0), 0);

/** The leading and the unchanged configuration on fresh seeds: edge per seed, currency. */
export interface FreshResult {
  readonly firstSeed: number;
  readonly seeds: number;
  /** Number of seeds that an earlier sweep in the same folder has used to choose: these seeds are not fresh. */
  readonly usedBefore: number;
  /** Number of the leading configuration. */
  readonly number: number;
  readonly worlds: readonly {
    readonly world: string;
    readonly chosen: FreshMean;
    readonly unchanged: FreshMean;
    /** Difference by seed: chosen minus unchanged. */
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

/** Data of table, page and JSON. A null figure is unknown, undefined, or has too few events. */
export interface SweepResult {
  /** Incremented when the meaning of a key changes. */
  readonly format: 1;
  /** Kind of the played data. Over worlds, a model is a world, an event is a seed, and a result is the edge. */
  readonly subject: SweepSubject;
  readonly title: string;
  readonly assumptions: SweepAssumptions;
  readonly search: Pick<Search, 'kind' | 'axes' | 'leftOut'>;
  readonly counts: SweepCounts;
  readonly events: readonly SweptEvent[];
  readonly models: readonly ModelJudgement[];
  /** Configurations from the best, by the lowest result of the fill models; failed and unfinished ones last. */
  readonly configurations: readonly ConfigurationResult[];
  /** Walk-forward result; null with a single fold, and until the sweep is complete. */
  readonly walkForward: WalkForward | null;
  /** Best configuration on unused seeds; null over recordings and before the sweep is complete. */
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
