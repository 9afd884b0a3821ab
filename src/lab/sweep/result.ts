/** Computes the result of a sweep: outcomes per configuration, Sharpe ratios, and walk-forward tests. */

import { computeMoments } from '../../shared/statistics/moments.js';
import { deflatedSharpe, expectedMaxSharpe, observedSharpe } from '../../shared/statistics/sharpe.js';
import {
  LEAST_EVENTS_FOR_SHARPE,
  type Search,
  type StoredTask,
  type SweepAssumptions,
  type SweepCandidate,
  type SweepSubject,
  type SweptEvent,
  type Task,
  type TaskFigures,
  type TaskOutcome,
} from './contract.js';
import { trainingFor } from './facts.js';
import type { SweepStore } from './store.js';

type Trials = Parameters<typeof deflatedSharpe>[1];

export class Outcomes {
  readonly #folds: number;
  readonly #models: readonly string[];
  /** Reads the results of a finished backtest per event from the store, because they are not kept in memory. */
  readonly #eventsAt: SweepStore['eventResults'];
  readonly #byNumber = new Map<number, (TaskOutcome | undefined)[]>();
  count = 0;
  failed = 0;

  constructor(folds: number, models: readonly string[], eventsAt: SweepStore['eventResults']) {
    this.#folds = folds;
    this.#models = models;
    this.#eventsAt = eventsAt;
  }

  set({ fold, fillModel, number }: StoredTask, outcome: TaskOutcome): void {
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
    return this.#byNumber.get(candidate.number)?.[fold * this.#models.length + this.#models.indexOf(fillModel)];
  }

  /** Returns a configuration's status, and the `error` of its first failed backtest by task order (else empty). */
  findStatus({ number }: SweepCandidate) {
    const outcomes = (this.#byNumber.get(number) ?? []).filter((outcome) => outcome !== undefined);
    const failed = outcomes.find(({ kind }) => kind === 'failed');
    if (failed?.kind === 'failed') return { status: 'failed', error: failed.error } as const;
    const isDone = outcomes.length === this.#folds * this.#models.length;
    return { status: isDone ? 'done' : 'unfinished', error: '' } as const;
  }

  eventResults(number: number, model: number): Float64Array {
    const fillModel = this.#models[model] ?? '';
    const found = Array.from({ length: this.#folds }, (_, fold) => this.#eventsAt(number, fold, fillModel));
    return Float64Array.from(found.flat());
  }

  modelResult(number: number, model: number) {
    const folds = (this.#byNumber.get(number) ?? []).flatMap((outcome, place) =>
      place % this.#models.length === model && outcome?.kind === 'done' ? [outcome.figures] : [],
    );
    const total = (figure: (figures: TaskFigures) => number) => folds.reduce((sum, each) => sum + figure(each), 0);
    return {
      fillModel: this.#models[model] ?? '',
      resultMicros: total(({ resultMicros }) => resultMicros),
      maxDrawdownMicros: worstDrawdown(folds),
      fills: total(({ fills }) => fills),
      alarms: total(({ alarms }) => alarms),
    };
  }
}

/** Returns the largest drawdown; null if any drawdown is unknown, or without figures. */
export function worstDrawdown(all: readonly Pick<TaskFigures, 'maxDrawdownMicros'>[]): number | null {
  const known = all.flatMap(({ maxDrawdownMicros }) => maxDrawdownMicros ?? []);
  return known.length === 0 || known.length < all.length ? null : Math.max(...known);
}

/** Ranks a sweep's configurations. `tried`: number of configurations ever tried in this folder, also by this sweep. */
export function judge(
  candidates: readonly SweepCandidate[],
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
    /** V[SR]: variance of the Sharpe ratios per event over this sweep's configurations. */
    const sharpeVariance = standardDeviation === null ? null : standardDeviation ** 2;
    // The variance of a single trial is 0. For several trials with an unknown variance, `trials` is null.
    const known = sharpeVariance === null ? null : { count: tried, variance: sharpeVariance };
    const trials: Trials | null = tried <= 1 ? { count: 1, variance: 0 } : known;
    /** Expected highest Sharpe ratio of all tried configurations if none of them has skill. */
    const luckySharpe = trials === null ? null : expectedMaxSharpe(trials);
    return { trials, judgement: { fillModel, sharpeVariance, luckySharpe } };
  });
  /** Per fill model: number of tried configurations, and variance of this sweep's Sharpe ratios; null if unknown. */
  const trials = judged.map((model) => model.trials);
  const configurations = candidates.map((candidate) => configurationResult(candidate, outcomes, trials)).sort(byWorst);
  return { models: judged.map(({ judgement }) => judgement), configurations, trials };
}

function configurationResult(candidate: SweepCandidate, outcomes: Outcomes, trials: readonly (Trials | null)[]) {
  const { number } = candidate;
  const { status, error } = outcomes.findStatus(candidate);
  const isDone = status === 'done';
  const models = (isDone ? trials : []).map((tried, model) => {
    const sharpe = computeSharpe(outcomes.eventResults(number, model), tried);
    return { ...outcomes.modelResult(number, model), sharpe };
  });
  const results = models.map(({ resultMicros }) => resultMicros);
  const signFlips = results.some((result) => result > 0) && results.some((result) => result < 0);
  /** Lowest result of a configuration over all fill models; configurations are ranked by this result. */
  const worstMicros = isDone ? Math.min(...results) : null;
  return { ...candidate, status, error, signFlips, worstMicros, models };
}

function byWorst(a: ConfigurationResult, b: ConfigurationResult): number {
  const [left, right] = [a.worstMicros ?? Number.NEGATIVE_INFINITY, b.worstMicros ?? Number.NEGATIVE_INFINITY];
  if (left !== right) return right - left;
  return ORDER[a.status] - ORDER[b.status] || a.number - b.number;
}

const ORDER = { done: 0, failed: 1, unfinished: 2 } as const;

/** Computes the Sharpe ratio of results by event; null for too few events and for constant results. */
function computeSharpe(results: ArrayLike<number>, trials: Trials | null) {
  if (results.length < LEAST_EVENTS_FOR_SHARPE) return null;
  const observed = observedSharpe(results);
  if (observed === null) return null;
  /** The kurtosis is 3 for a normal distribution, so it is not the excess kurtosis. */
  const { sharpe, samples, skewness, kurtosis } = observed;
  /** Probability that the true Sharpe ratio exceeds the highest ratio that is expected by luck alone. */
  const deflated = trials === null ? null : deflatedSharpe(observed, trials);
  return { sharpe, events: samples, skewness, kurtosis, deflated };
}

export function countConfigurations(configurations: readonly ConfigurationResult[], tried: number, events: number) {
  const count = (wanted: string) => configurations.filter(({ status }) => status === wanted).length;
  return {
    configurations: configurations.length,
    done: count('done'),
    failed: count('failed'),
    unfinished: count('unfinished'),
    /** Number of configurations that all sweeps in this folder have tried: the N of the deflated Sharpe ratio. */
    tried,
    /** Number of finished configurations with a gain under one fill model and a loss under another. */
    flipping: configurations.filter(({ signFlips }) => signFlips).length,
    events,
  };
}

/** @param candidates finished configurations, in the order of the search */
export function walkForward(
  candidates: readonly SweepCandidate[],
  events: readonly SweptEvent[],
  { fillModels, folds, embargoMs }: Pick<SweepAssumptions, 'fillModels' | 'folds' | 'embargoMs'>,
  outcomes: Outcomes,
  trials: readonly (Trials | null)[],
) {
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
      /** Index of the tested fold, from 1, because fold 0 is used only for training. */
      fold,
      trainEvents: learned.length,
      /** Number of events of earlier folds that end too late (less than `embargoMs` before this fold) for training. */
      purgedEvents: purged.length,
      testEvents: tested.length,
      /** Number of the configuration chosen for this fold; null without training data. */
      chosen,
      /** Training results, in the order of the fill models; `outOfSampleMicros` has the same order. */
      inSampleMicros: rows.map((row) => sumAt(row, learned)),
      outOfSampleMicros: rows.map((row) => sumAt(row, tested)),
    };
  });
  /** Sums of results over all tested folds with training data, in the order of the fill models. */
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

/** Returns, per fold, the configuration whose lowest training result over all fill models is highest; null if none. */
function bestOn(
  candidates: readonly SweepCandidate[],
  trained: readonly { readonly learned: readonly number[] }[],
  readRows: (number: number) => readonly Float64Array[],
): readonly (number | null)[] {
  const best = trained.map(() => ({ number: null as number | null, micros: Number.NEGATIVE_INFINITY }));
  for (const { number } of candidates) {
    const rows = readRows(number);
    for (const [step, { learned }] of trained.entries()) {
      const leader = best[step];
      if (leader === undefined || learned.length === 0) continue;
      const worstMicros = Math.min(...rows.map((row) => sumAt(row, learned)));
      if (worstMicros > leader.micros) Object.assign(leader, { number, micros: worstMicros });
    }
  }
  return best.map(({ number }) => number);
}

const sumAt = (row: Float64Array, places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (row[place] ?? 0), 0);

/** Edges of the best configuration and of the unchanged one on unused seeds, in currency per seed. */
interface FreshResult {
  readonly firstSeed: number;
  readonly seeds: number;
  /** Number of seeds that are not fresh, because an earlier sweep in the same folder has already used them. */
  readonly usedBefore: number;
  readonly number: number;
  readonly worlds: readonly {
    readonly world: string;
    readonly chosen: FreshMean;
    readonly unchanged: FreshMean;
    /** Difference of edges for each seed: chosen configuration minus unchanged configuration. */
    readonly difference: FreshMean;
    readonly belowZero: number;
  }[];
}

/** Mean and standard error of edges over seeds; the error is null for fewer than two seeds. */
export type FreshMean = Readonly<{ mean: number; standardError: number | null }>;

/** Result of a sweep, as data for table, page and JSON. A null figure is unknown, undefined, or has too few events. */
export interface SweepResult {
  /** Format version, incremented when the meaning of a key changes. */
  readonly format: 1;
  /** Kind of replayed data. For `worlds`, the models are worlds, the events are seeds, and the results are edges. */
  readonly subject: SweepSubject;
  readonly title: string;
  readonly assumptions: SweepAssumptions;
  readonly search: Pick<Search, 'kind' | 'axes' | 'leftOut'>;
  readonly counts: SweepCounts;
  readonly events: readonly SweptEvent[];
  readonly models: readonly ModelJudgement[];
  /** Configurations by their lowest result over the fill models, best first; failed and unfinished ones are last. */
  readonly configurations: readonly ConfigurationResult[];
  /** Result of the walk-forward test; null with a single fold, or until the sweep is complete. */
  readonly walkForward: WalkForward | null;
  /** Result of the best configuration on unused seeds; null for recordings, and until the sweep is complete. */
  readonly fresh: FreshResult | null;
  readonly notes: readonly SweepNote[];
}

type SweepNote = Readonly<{ level: 'caution' | 'note'; text: string }>;

type SweepCounts = ReturnType<typeof countConfigurations>;

type ModelJudgement = ReturnType<typeof judge>['models'][number];

type ConfigurationResult = ReturnType<typeof configurationResult>;

type WalkForward = NonNullable<ReturnType<typeof walkForward>>;
