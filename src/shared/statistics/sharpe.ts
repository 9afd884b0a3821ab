/**
 * Credibility of a Sharpe ratio: Bailey and Lopez de Prado, "The Sharpe Ratio Efficient Frontier" (2012) for PSR and
 * "The Deflated Sharpe Ratio" (2014) for the rest. Every ratio here is per sample, never annual.
 */

import { normalCdf, normalQuantile } from '../base/random.js';
import { computeMoments, figure, requireFinite, type Values } from './moments.js';

/** An observed Sharpe ratio and its sample moments. */
export interface ObservedSharpe {
  /** Per sample. */
  readonly sharpe: number;
  /** T: number of changes in the sample. */
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
  /** N: number of all configurations ever tried, also discarded ones; at least 1. */
  readonly count: number;
  /** Variance of the trials' Sharpe ratios per sample; at least 0. */
  readonly variance: number;
}

/**
 * SR0: the highest of N ratios per sample that is to be expected when none of the trials has any skill: sqrt(V) ((1 -
 * E) Phi^-1(1 - 1/N) + E Phi^-1(1 - 1/(N e))), E = 0.5772156649. The approximation is for many trials. Below N = 1.3
 * the formula is negative and the result is 0, the exact value for N = 1. RangeError for N < 1 or V < 0.
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

/** The Euler-Mascheroni constant. */
const EULER = 0.5772156649015329;

/** DSR = PSR(SR0): probability that the true ratio is above the expected best of all trials by luck alone. */
export const deflatedSharpe = (observed: ObservedSharpe, trials: Trials): number | null =>
  probabilisticSharpe(observed, expectedMaxSharpe(trials));

/** Sharpe ratio per sample: mean over deviation. Null below two samples or without variance. */
export function sharpePerSample(changes: Values): number | null {
  const { mean, standardDeviation } = computeMoments(changes);
  if (mean === null || standardDeviation === null || standardDeviation === 0) return null;
  return figure(mean / standardDeviation);
}
