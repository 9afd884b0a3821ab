/** How good stated probabilities were, once it is known what happened. */

import { figure, requireFinite } from './values.js';

export interface Forecast {
  /** Stated probability of YES, in [0, 1]. */
  readonly probability: number;
  /** What happened. A market that was canceled has no outcome and is no forecast. */
  readonly outcome: 0 | 1;
  /** How much it counts, not negative; 1 unless told. */
  readonly weight?: number;
}

/** Mean squared error, 0 (perfect) to 1; 0.25 for always 1/2 (Brier 1950, one-sided form). Null without weight. */
export const brierScore = (forecasts: readonly Forecast[]): number | null =>
  weightedMean(forecasts, ({ probability, outcome }) => (probability - outcome) ** 2);

/**
 * Mean of -ln of the probability that was given to what happened; ln 2 for always 1/2. Probabilities are first brought
 * into [floor, 1 - floor], because one certain error would make the score infinite; the floor is the smallest price
 * step, a millionth, unless told. Null without weight; RangeError for a floor outside (0, 1/2).
 */
export function logLoss(forecasts: readonly Forecast[], floor = 1e-6): number | null {
  if (!(floor > 0 && floor < 0.5)) throw new RangeError(`a floor lies within (0, 1/2), got ${floor}`);
  return weightedMean(forecasts, ({ probability, outcome }) => {
    const given = outcome === 1 ? probability : 1 - probability;
    return -Math.log(Math.min(1 - floor, Math.max(floor, given)));
  });
}

/** Forecasts of nearly the same probability. */
export interface ReliabilityBucket {
  /** Probabilities in [low, high); the last bucket includes 1. */
  readonly low: number;
  readonly high: number;
  readonly count: number;
  /** Weighted means of what was said and of what happened: equal when well calibrated. Null in an empty bucket. */
  readonly meanForecast: number | null;
  readonly observedRate: number | null;
}

/** Buckets of equal width over [0, 1], empty ones included; 10 unless told. RangeError for fewer than one. */
export function reliability(forecasts: readonly Forecast[], buckets = 10): ReliabilityBucket[] {
  if (!(Number.isInteger(buckets) && buckets >= 1))
    throw new RangeError(`one bucket or more is wanted, got ${buckets}`);
  const groups: Forecast[][] = Array.from({ length: buckets }, () => []);
  for (const forecast of forecasts) {
    requireForecast(forecast);
    groups[bucketOf(forecast.probability, buckets)]?.push(forecast);
  }
  return groups.map((group, i) => ({
    low: i / buckets,
    high: (i + 1) / buckets,
    count: group.length,
    meanForecast: weightedMean(group, ({ probability }) => probability),
    observedRate: weightedMean(group, ({ outcome }) => outcome),
  }));
}

/** By comparison with the printed bounds: 0.29 x 100 is 28.999..., and yet 0.29 belongs to the bucket from 0.29 on. */
function bucketOf(probability: number, buckets: number): number {
  const guess = Math.min(buckets - 1, Math.floor(probability * buckets));
  if (probability < guess / buckets) return guess - 1;
  return guess < buckets - 1 && probability >= (guess + 1) / buckets ? guess + 1 : guess;
}

function weightedMean(forecasts: readonly Forecast[], of: (forecast: Forecast) => number): number | null {
  let [sum, weight] = [0, 0];
  for (const forecast of forecasts) {
    requireForecast(forecast);
    const counts = forecast.weight ?? 1;
    sum += counts * of(forecast);
    weight += counts;
  }
  return weight === 0 ? null : figure(sum / weight);
}

function requireForecast({ probability, weight = 1 }: Forecast): void {
  if (!(probability >= 0 && probability <= 1)) throw new RangeError(`a probability lies in [0, 1], got ${probability}`);
  requireFinite(weight, 'a weight');
  if (weight < 0) throw new RangeError(`a weight is not negative, got ${weight}`);
}
