/** From the results of all backtests to what may be said of the configurations, and of the search itself. */

import { backtestOverfitting } from '../../shared/statistics/backtest-overfitting.js';
import {
  deflatedSharpe,
  expectedMaxSharpe,
  observedSharpe,
  type Trials,
} from '../../shared/statistics/deflated-sharpe.js';
import { computeMoments } from '../../shared/statistics/moments.js';
import { LEAST_EVENTS_FOR_OVERFITTING, LEAST_EVENTS_FOR_SHARPE, MOST_CONFIGURATIONS_IN_16_BLOCKS } from './bounds.js';
import type {
  Candidate,
  ConfigurationResult,
  ModelJudgement,
  ModelResult,
  SharpePerEvent,
  SweptEvent,
  WalkForward,
  WalkForwardStep,
} from './contract.js';
import { eventsIn, foldCount, trainingFor } from './folds.js';
import type { Outcomes } from './results/outcomes.js';

/** @param tried every configuration that was ever tried on such a search, those of this one among them */
export function judge(
  candidates: readonly Candidate[],
  events: readonly SweptEvent[],
  fillModels: readonly string[],
  outcomes: Outcomes,
  tried: number,
) {
  const done = candidates.filter((candidate) => outcomes.findStatus(candidate).status === 'done');
  /** By event, one configuration after the other; none of them is kept. */
  function* readRows(model: number): Generator<Float64Array> {
    for (const { number } of done) yield outcomes.eventResults(number, model);
  }
  const judged = fillModels.map((fillModel, model) => {
    const sharpes: number[] = [];
    for (const row of readRows(model)) {
      const found = computeSharpe(row, null);
      if (found !== null) sharpes.push(found.sharpe);
    }
    const { standardDeviation } = computeMoments(sharpes);
    const sharpeVariance = standardDeviation === null ? null : standardDeviation ** 2;
    const trials = makeTrials(tried, sharpeVariance);
    const luckySharpe = trials === null ? null : expectedMaxSharpe(trials);
    const overfitting = measureOverfitting(readRows(model), done.length, events.length);
    return { trials, judgement: { fillModel, sharpeVariance, luckySharpe, overfitting } };
  });
  /** For each fill model: what its Sharpe ratios are deflated by. */
  const trials = judged.map((model) => model.trials);
  const configurations = candidates.map((candidate) => configurationResult(candidate, outcomes, trials)).sort(byWorst);
  return { models: judged.map(({ judgement }) => judgement), configurations, trials };
}

/** A single trial has no variance and needs none; of several, an unknown variance leaves the luck unknown. */
function makeTrials(tried: number, variance: number | null): Trials | null {
  if (tried <= 1) return { count: 1, variance: 0 };
  return variance === null ? null : { count: tried, variance };
}

/** By the results themselves, which rank the configurations. */
function measureOverfitting(
  rows: Iterable<Float64Array>,
  configurations: number,
  events: number,
): ModelJudgement['overfitting'] {
  if (events < LEAST_EVENTS_FOR_OVERFITTING) return null;
  const isLarge = configurations > MOST_CONFIGURATIONS_IN_16_BLOCKS;
  const blocks = events < 2 * LEAST_EVENTS_FOR_OVERFITTING || isLarge ? 8 : 16;
  const found = backtestOverfitting({ trials: rows, blocks, performance: 'mean' });
  if (found === null) return null;
  return { probability: found.probability, lossProbability: found.lossProbability, blocks };
}

function configurationResult(
  candidate: Candidate,
  outcomes: Outcomes,
  trials: readonly (Trials | null)[],
): ConfigurationResult {
  const state = outcomes.findStatus(candidate);
  const told = { ...candidate, ...state };
  if (state.status !== 'done') return { ...told, signFlips: false, worstMicros: null, models: [] };
  const { number } = candidate;
  const models: ModelResult[] = trials.map((tried, model) => {
    const row = outcomes.eventResults(number, model);
    return { ...outcomes.modelResult(number, model), sharpe: computeSharpe(row, tried) };
  });
  const results = models.map(({ resultMicros }) => resultMicros);
  const signFlips = results.some((result) => result > 0) && results.some((result) => result < 0);
  return { ...told, signFlips, worstMicros: Math.min(...results), models };
}

function byWorst(a: ConfigurationResult, b: ConfigurationResult): number {
  const [left, right] = [a.worstMicros ?? Number.NEGATIVE_INFINITY, b.worstMicros ?? Number.NEGATIVE_INFINITY];
  if (left !== right) return right - left;
  return ORDER[a.status] - ORDER[b.status] || a.number - b.number;
}

const ORDER = { done: 0, failed: 1, unfinished: 2 } as const;

/** `results` by event, 0 without activity. Null for too few events and for constant results. */
function computeSharpe(results: ArrayLike<number>, trials: Trials | null): SharpePerEvent | null {
  if (results.length < LEAST_EVENTS_FOR_SHARPE) return null;
  const observed = observedSharpe(results);
  if (observed === null) return null;
  const { sharpe, samples, skewness, kurtosis } = observed;
  const deflated = trials === null ? null : deflatedSharpe(observed, trials);
  return { sharpe, events: samples, skewness, kurtosis, deflated };
}

interface WalkForwardQuestion {
  /** Those that are done, in the order of the search. */
  readonly candidates: readonly Candidate[];
  readonly events: readonly SweptEvent[];
  readonly fillModels: readonly string[];
  readonly outcomes: Outcomes;
  readonly embargoMs: number;
  readonly trials: readonly (Trials | null)[];
}

export function walkForward(question: WalkForwardQuestion): WalkForward | null {
  const { candidates, events, fillModels, outcomes, embargoMs, trials } = question;
  const folds = foldCount(events);
  if (folds < 2 || candidates.length === 0) return null;
  const readRows = (number: number) => fillModels.map((_, model) => outcomes.eventResults(number, model));
  const trained = Array.from({ length: folds - 1 }, (_, index) => trainingFor(events, index + 1, embargoMs));
  const best = bestOn(candidates, trained, readRows);
  const steps: WalkForwardStep[] = [];
  const unseen: number[][] = fillModels.map(() => []);
  for (const [index, { learned, purged }] of trained.entries()) {
    const fold = index + 1;
    const tested = events.flatMap((event, at) => (event.fold === fold ? [at] : []));
    const chosen = best[index] ?? null;
    const rows = chosen === null ? [] : readRows(chosen);
    steps.push({
      fold,
      trainEvents: learned.length,
      purgedEvents: purged.length,
      testEvents: eventsIn(events, fold).length,
      chosen,
      inSampleMicros: rows.map((row) => sumAt(row, learned)),
      outOfSampleMicros: rows.map((row) => sumAt(row, tested)),
    });
    for (const [model, row] of rows.entries()) unseen[model]?.push(...tested.map((index) => row[index] ?? 0));
  }
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
 * For each step the first configuration whose lowest result under the fill models is highest; null where there is nothing to
 * learn from. Each configuration's results are read once and not kept.
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
      const worstMicros = lowestAt(rows, learned);
      if (worstMicros > leader.micros) Object.assign(leader, { number, micros: worstMicros });
    }
  }
  return best.map(({ number }) => number);
}

/** Lowest result at these events under the fill models; configurations are chosen by it. `rows`: results by event, one row a model. */
const lowestAt = (rows: readonly Float64Array[], places: readonly number[]): number =>
  Math.min(...rows.map((row) => sumAt(row, places)));

const sumAt = (row: Float64Array, places: readonly number[]): number =>
  places.reduce((sum, place) => sum + (row[place] ?? 0), 0);
