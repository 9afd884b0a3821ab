/**
 * Credibility of a Sharpe ratio: Bailey and Lopez de Prado, "The Sharpe Ratio Efficient Frontier" (2012) for PSR and
 * "The Deflated Sharpe Ratio" (2014) for the rest. Every ratio here is per sample, never annual.
 */

import { normalCdf, normalQuantile } from '../base/random.js';
import { computeMean, computeMoments, figure, requireFinite, type Values, valueAt } from './moments.js';

interface Overfitting {
  /** PBO: fraction of the splits whose best in-sample trial does not beat the out-of-sample median (lambda <= 0). */
  readonly probability: number;
  /** Fraction of the splits in which it loses money out of sample. */
  readonly lossProbability: number;
}

/**
 * Probability of backtest overfitting by combinatorially symmetric cross-validation: Bailey, Borwein, Lopez de Prado and
 * Zhu, "The Probability of Backtest Overfitting", Journal of Computational Finance 20(4), 2017. For every way to call half
 * of the blocks of samples "seen", the trial with the best mean there is looked up in the other half.
 *
 * Null below two trials, or with fewer samples than blocks or than four. RangeError for rows of unequal length or an
 * impossible number of blocks. O(2^blocks x trials).
 *
 * @param trials a row each, all of the same samples in the same order; one event is one sample. Gone through once.
 * @param blocks even, 2 to 20; they differ by at most one sample in length
 */
export function backtestOverfitting(trials: Iterable<Values>, blocks: number): Overfitting | null {
  if (!(Number.isInteger(blocks) && blocks % 2 === 0 && blocks >= 2 && blocks <= 20)) {
    throw new RangeError(`an even number of blocks from 2 to 20 is wanted, got ${blocks}`);
  }
  const rows = blocksOfAll(trials, blocks);
  if (rows === null || rows.length < 2) return null;
  let [splits, beaten, losses] = [0, 0, 0];
  for (const half of halves(blocks)) {
    const one = rows.map((row) => meanOf(row, half));
    const other = rows.map((row) => meanOf(row, ~half));
    for (const [seen, unseen] of [[one, other] as const, [other, one] as const]) {
      const best = findBest(seen);
      splits += 1;
      if (meanRank(unseen, best) <= (rows.length + 1) / 2) beaten += 1;
      if ((unseen[best] ?? 0) < 0) losses += 1;
    }
  }
  return { probability: beaten / splits, lossProbability: losses / splits };
}

/** Null for too few samples. */
function blocksOfAll(trials: Iterable<Values>, blocks: number): readonly (readonly Block[])[] | null {
  const rows: (readonly Block[])[] = [];
  let samples: number | null = null;
  for (const trial of trials) {
    samples ??= trial.length;
    if (trial.length !== samples)
      throw new RangeError(`rows of equal length are wanted: ${samples}, got ${trial.length}`);
    if (samples >= Math.max(blocks, 4)) rows.push(splitBlocks(trial, blocks));
  }
  return rows.length === 0 ? null : rows;
}

/** One trial and block. */
interface Block {
  readonly count: number;
  readonly mean: number;
}

function splitBlocks(trial: Values, blocks: number): readonly Block[] {
  return Array.from({ length: blocks }, (_, block) => {
    const from = Math.floor((block * trial.length) / blocks);
    const to = Math.floor(((block + 1) * trial.length) / blocks);
    const values = Float64Array.from({ length: to - from }, (_none, i) => valueAt(trial, from + i));
    return { count: to - from, mean: computeMean(values) ?? 0 };
  });
}

/** Every half of the blocks that contains the first block, as bits of a number: the others are their complements. */
function* halves(blocks: number): Generator<number> {
  for (let set = 1; set < 2 ** blocks; set += 2) if (countBits(set) === blocks / 2) yield set;
}

function countBits(set: number): number {
  let bits = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) bits += 1;
  return bits;
}

/** Mean of a trial over these blocks. */
function meanOf(row: readonly Block[], set: number): number {
  let [count, mean] = [0, 0];
  for (let i = 0; i < row.length; i++) {
    const block = row[i];
    if (block === undefined || ((set >> i) & 1) === 0) continue;
    count += block.count;
    mean += ((block.mean - mean) * block.count) / count;
  }
  return mean;
}

/** The first of the greatest. */
function findBest(figures: readonly number[]): number {
  let best = 0;
  for (let i = 1; i < figures.length; i++) if ((figures[i] ?? 0) > (figures[best] ?? 0)) best = i;
  return best;
}

/** Rank among all, 1 for the lowest; equal figures share the mean of their ranks. */
function meanRank(figures: readonly number[], index: number): number {
  const own = figures[index] ?? 0;
  let [below, equal] = [0, 0];
  for (const value of figures) {
    if (value < own) below += 1;
    else if (value === own) equal += 1;
  }
  return below + (equal + 1) / 2;
}

/** An observed Sharpe ratio. */
export interface ObservedSharpe {
  /** Per sample. */
  readonly sharpe: number;
  /** T: number of changes in it. */
  readonly samples: number;
  /** g3 and raw g4 (3 for normal) of those changes. */
  readonly skewness: number;
  readonly kurtosis: number;
}

/** The observed ratio of these changes of equity; null below two samples or without variance. */
export function observedSharpe(changes: Values): ObservedSharpe | null {
  const sharpe = sharpePerSample(changes);
  const { count, skewness, kurtosis } = computeMoments(changes);
  return sharpe === null || skewness === null || kurtosis === null
    ? null
    : { sharpe, samples: count, skewness, kurtosis };
}

/**
 * PSR: probability that the true ratio is above `benchmark` (per sample):
 * Phi((SR - SR0) sqrt(T - 1) / sqrt(1 - g3 SR + (g4 - 1) / 4 SR^2)).
 * Null below two samples, and when no distribution has such moments (g4 < 1 + g3^2 can make the root's content <= 0).
 */
export function probabilisticSharpe(observed: ObservedSharpe, benchmark = 0): number | null {
  const { sharpe, samples, skewness, kurtosis } = observed;
  for (const value of [sharpe, samples, skewness, kurtosis, benchmark]) requireFinite(value, 'a Sharpe ratio');
  const variance = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
  if (samples < 2 || !(variance > 0)) return null;
  return figure(normalCdf(((sharpe - benchmark) * Math.sqrt(samples - 1)) / Math.sqrt(variance)));
}

/** Trials of the search for the judged ratio. */
export interface Trials {
  /** N: every configuration ever tried, kept or not; at least 1. */
  readonly count: number;
  /** Variance of the trials' Sharpe ratios per sample; at least 0. */
  readonly variance: number;
}

/**
 * SR0: the highest of N ratios per sample that is to be expected when none of the trials has any skill:
 * sqrt(V) ((1 - E) Phi^-1(1 - 1/N) + E Phi^-1(1 - 1/(N e))), E = 0.5772156649. The approximation is for many trials; it
 * falls below 0, the exact value for one trial, only under N = 1.3 and is held at 0 there. RangeError for N < 1 or V < 0.
 */
export function expectedMaxSharpe({ count, variance }: Trials): number {
  requireFinite(count, 'a number of trials');
  requireFinite(variance, 'a variance');
  if (count < 1) throw new RangeError(`at least one trial was made, got ${count}`);
  if (variance < 0) throw new RangeError(`a variance is not negative, got ${variance}`);
  if (count === 1) return 0;
  const highest = (1 - EULER) * -normalQuantile(1 / count) + EULER * -normalQuantile(1 / (count * Math.E));
  return Math.sqrt(variance) * Math.max(0, highest);
}

/** Euler and Mascheroni's constant. */
const EULER = 0.5772156649015329;

/** DSR = PSR(SR0): probability that the true ratio is above the expected best of all trials by luck alone. */
export const deflatedSharpe = (observed: ObservedSharpe, trials: Trials): number | null =>
  probabilisticSharpe(observed, expectedMaxSharpe(trials));

/** Mean over deviation, per sample; null below two samples or without variance. The `Sharpe` of everything below it. */
export function sharpePerSample(changes: Values): number | null {
  const { mean, standardDeviation } = computeMoments(changes);
  if (mean === null || standardDeviation === null || standardDeviation === 0) return null;
  return figure(mean / standardDeviation);
}
