/**
 * Probability of backtest overfitting by combinatorially symmetric cross-validation: Bailey, Borwein, Lopez de Prado
 * and Zhu, "The Probability of Backtest Overfitting", Journal of Computational Finance 20(4), 2017. The samples are cut
 * into blocks; for every way to call half of the blocks "seen" and the others "unseen", the trial that is best in the
 * seen half is looked up in the unseen half. Overfitted is a search whose winners are then no better than the median.
 */

import { computeMoments } from './moments.js';
import { median } from './quantiles.js';
import { type Values, valueAt } from './values.js';

export interface OverfittingQuestion {
  /**
   * One row for each trial, all of the same samples in the same order: profit by period, or by event. The results of
   * one event is decided together and must not be cut by a block: with several events, give one sample for each. Gone through
   * once, one row after the other: of each only the moments of its blocks are kept.
   */
  readonly trials: Iterable<Values>;
  /** Even, 2 to 20; default 16 (12,870 ways). Blocks differ by at most one sample in length. */
  readonly blocks?: number;
  /** Measure of "best"; default the Sharpe ratio. */
  readonly performance?: 'sharpe' | 'mean';
}

export interface Overfitting {
  /**
   * PBO: fraction of the splits in which the best in-sample trial does not beat the out-of-sample median (lambda <= 0).
   */
  readonly probability: number;
  /** Fraction of the splits in which it loses money out of sample. */
  readonly lossProbability: number;
  /**
   * lambda = ln(w / (1 - w)) of each split, w = out-of-sample rank / (N + 1); ties share their mean rank. A split and
   * its reverse are adjacent.
   */
  readonly logits: Float64Array;
  readonly medianLogit: number;
}

/**
 * Null below two trials, or with fewer samples than blocks or than four. A constant trial in a half ranks by the sign
 * of its mean there. RangeError for rows of unequal length or an impossible number of blocks. O(2^blocks x trials).
 */
export function backtestOverfitting(question: OverfittingQuestion): Overfitting | null {
  const { trials, blocks = 16, performance = 'sharpe' } = question;
  if (!(Number.isInteger(blocks) && blocks % 2 === 0 && blocks >= 2 && blocks <= 20)) {
    throw new RangeError(`an even number of blocks from 2 to 20 is wanted, got ${blocks}`);
  }
  const rows = blocksOfAll(trials, blocks);
  if (rows === null || rows.length < 2) return null;
  const logits: number[] = [];
  let losses = 0;
  for (const half of halves(blocks)) {
    const one = rows.map((row) => measurePerformance(row, half, performance));
    const other = rows.map((row) => measurePerformance(row, ~half, performance));
    for (const [seen, unseen] of [[one, other] as const, [other, one] as const]) {
      const best = findBest(seen);
      const share = meanRank(unseen, best) / (rows.length + 1);
      logits.push(Math.log(share / (1 - share)));
      if ((unseen[best] ?? 0) < 0) losses += 1;
    }
  }
  return summary(logits, losses);
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

function summary(logits: readonly number[], losses: number): Overfitting {
  const beaten = logits.filter((logit) => logit <= 0).length;
  return {
    probability: beaten / logits.length,
    lossProbability: losses / logits.length,
    logits: Float64Array.from(logits),
    medianLogit: median(logits) ?? 0,
  };
}

/** Moments of one trial and block. */
interface Block {
  readonly count: number;
  readonly mean: number;
  /** Sum of squared distances from the mean. */
  readonly second: number;
}

function splitBlocks(trial: Values, blocks: number): readonly Block[] {
  return Array.from({ length: blocks }, (_, block) => {
    const from = Math.floor((block * trial.length) / blocks);
    const to = Math.floor(((block + 1) * trial.length) / blocks);
    const values = Float64Array.from({ length: to - from }, (_none, i) => valueAt(trial, from + i));
    const { mean, standardDeviation } = computeMoments(values);
    return { count: to - from, mean: mean ?? 0, second: (standardDeviation ?? 0) ** 2 * (to - from - 1) };
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

/** Blocks are merged by their moments (Chan, Golub and LeVeque), so that a constant trial has variance 0. */
function measurePerformance(row: readonly Block[], set: number, performance: 'sharpe' | 'mean'): number {
  let [count, mean, second] = [0, 0, 0];
  for (let i = 0; i < row.length; i++) {
    const block = row[i];
    if (block === undefined || ((set >> i) & 1) === 0) continue;
    const delta = block.mean - mean;
    const all = count + block.count;
    second += block.second + (delta * delta * count * block.count) / all;
    mean += (delta * block.count) / all;
    count = all;
  }
  if (performance === 'mean' || mean === 0) return mean;
  return mean / Math.sqrt(second / (count - 1));
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
