/**
 * Credibility of a Sharpe ratio, after two papers: Bailey and Lopez de Prado, "The Sharpe Ratio Efficient Frontier"
 * (2012) for PSR and "The Deflated Sharpe Ratio" (2014) for the rest. Every ratio here is per sample, not annualised.
 */

import { normalCdf, normalQuantile } from '../base/random.js';
import { computeMoments, figure, requireFinite } from './moments.js';

type ObservedSharpe = Readonly<NonNullable<ReturnType<typeof observedSharpe>>>;

/**
 * Returns the observed Sharpe ratio of T equity changes (`samples`), with their skewness g3 and raw kurtosis g4. Returns
 * null for fewer than two changes or without variance.
 */
export function observedSharpe(changes: ArrayLike<number>) {
  const sharpe = sharpePerSample(changes);
  const { count, skewness, kurtosis } = computeMoments(changes);
  if (sharpe === null || skewness === null || kurtosis === null) return null;
  return { sharpe, samples: count, skewness, kurtosis };
}

/**
 * Returns PSR, the probability that the true Sharpe ratio is above `benchmark` (per sample):
 * Phi((SR - SR0) sqrt(T - 1) / sqrt(1 - g3 SR + (g4 - 1) / 4 SR^2)).
 * Returns null below two samples, and for impossible moments: with g4 < 1 + g3^2 the square root may not exist.
 */
export function probabilisticSharpe(observed: ObservedSharpe, benchmark = 0): number | null {
  const { sharpe, samples, skewness, kurtosis } = observed;
  for (const value of [sharpe, samples, skewness, kurtosis, benchmark]) requireFinite(value, 'a Sharpe ratio');
  const variance = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
  if (samples < 2 || !(variance > 0)) return null;
  return figure(normalCdf(((sharpe - benchmark) * Math.sqrt(samples - 1)) / Math.sqrt(variance)));
}

/** `count`: number N of all configurations ever tried, including discarded ones; at least 1. */
type Trials = Readonly<{ count: number; variance: number }>;

/**
 * Returns SR0, the expected highest of N Sharpe ratios per sample if no trial has any skill: sqrt(V) ((1 - E)
 * Phi^-1(1 - 1/N) + E Phi^-1(1 - 1/(N e))), E = 0.5772156649. The formula of SR0 is an approximation for many trials.
 * For N < 1.3 the formula is negative, so SR0 is 0, the exact value for N = 1. Throws RangeError for N < 1 or V < 0.
 */
export function expectedMaxSharpe({ count, variance }: Trials): number {
  requireFinite(count, 'a number of trials');
  requireFinite(variance, 'a variance');
  if (count < 1) throw new RangeError(`the number of trials must be at least 1, got ${count}`);
  if (variance < 0) throw new RangeError(`a variance must not be negative, got ${variance}`);
  if (count === 1) return 0;
  const highest = (1 - EULER) * -normalQuantile(1 / count) + EULER * -normalQuantile(1 / (count * Math.E));
  return Math.sqrt(variance) * Math.max(0, highest);
}

const EULER = 0.5772156649015329;

/** Returns DSR = PSR(SR0), the probability that the true ratio exceeds the ratio expected from luck alone. */
export const deflatedSharpe = (observed: ObservedSharpe, trials: Trials): number | null =>
  probabilisticSharpe(observed, expectedMaxSharpe(trials));

/** Returns the Sharpe ratio per sample, mean / deviation; null for fewer than two samples or without variance. */
export function sharpePerSample(changes: ArrayLike<number>): number | null {
  const { mean, standardDeviation } = computeMoments(changes);
  if (mean === null || standardDeviation === null || standardDeviation === 0) return null;
  return figure(mean / standardDeviation);
}
