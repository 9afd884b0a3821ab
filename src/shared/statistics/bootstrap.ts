/** Efron's percentile bootstrap interval. The bootstrap resamples whole events, because only events are independent. */

import { must } from '../base/errors.js';
import { Random } from '../base/random.js';
import { figure, quantileOfSorted, requireFinite, sortValues } from './moments.js';

/** Sums over one group of values; `sum` adds weight x value, `weight` adds the weights, which are not negative. */
type Cluster = Readonly<{ sum: number; weight: number }>;

/**
 * Returns the mean, sum / weight, and its standard error over G independent groups: sqrt(G / (G - 1) sum (s - mean
 * w)^2) / sum w (Cochran, "Sampling Techniques", 3rd ed., section 9A); the error is null for one group. Groups without
 * weight do not count. Returns null if no group has weight. Throws RangeError for a negative weight.
 */
export function clusteredMean(clusters: readonly Cluster[]) {
  let [count, sum, weight] = [0, 0, 0];
  for (const cluster of clusters) {
    requireFinite(cluster.sum, "a group's sum");
    requireFinite(cluster.weight, "a group's weight");
    if (cluster.weight < 0) throw new RangeError(`a weight must not be negative, got ${cluster.weight}`);
    if (cluster.weight === 0) continue;
    count += 1;
    sum += cluster.sum;
    weight += cluster.weight;
  }
  const mean = count === 0 ? null : figure(sum / weight);
  if (mean === null) return null;
  let squares = 0;
  for (const cluster of clusters) if (cluster.weight > 0) squares += (cluster.sum - mean * cluster.weight) ** 2;
  const standardError = count < 2 ? null : figure(Math.sqrt((count / (count - 1)) * squares) / weight);
  return { mean, standardError, clusters: count };
}

const RESAMPLES = 2000;
const CONFIDENCE = 0.95;

/** Returns a 95 % interval for the sum of events' results; null below two results. Equal inputs give equal results. */
export function bootstrapSum(results: readonly number[], seed: number) {
  if (results.length < 2) return null;
  const random = Random.fromSeed(seed, 'bootstrap');
  const draw = (sum: number) => sum + (results[random.below(results.length)] ?? 0);
  const sums = sortValues(Array.from({ length: RESAMPLES }, () => results.reduce(draw, 0)));
  return {
    low: must(quantileOfSorted(sums, (1 - CONFIDENCE) / 2), 'a quantile'),
    high: must(quantileOfSorted(sums, (1 + CONFIDENCE) / 2), 'a quantile'),
  };
}
