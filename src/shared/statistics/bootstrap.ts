/** Confidence by resampling whole events (Efron's percentile interval): the independent sample is the event. */

import { Random } from '../base/random.js';
import { computeMoments, figure, quantileOfSorted, requireFinite, sortValues } from './moments.js';

/** One group: the sum of weight times value, and the sum of the weights (not negative). */
export interface Cluster {
  readonly sum: number;
  readonly weight: number;
}

interface ClusteredMean {
  readonly mean: number;
  /** Null below two groups. */
  readonly standardError: number | null;
  readonly clusters: number;
}

/**
 * Sum over weight, with the standard error of a ratio of totals over G independent groups:
 * sqrt(G / (G - 1) sum (s - mean w)^2) / sum w (Cochran, "Sampling Techniques", 3rd ed., section 9A). Groups without
 * weight do not count. Null when nothing has weight; RangeError for a negative weight.
 */
export function clusteredMean(clusters: readonly Cluster[]): ClusteredMean | null {
  let [count, sum, weight] = [0, 0, 0];
  for (const cluster of clusters) {
    requireFinite(cluster.sum, "a group's sum");
    requireFinite(cluster.weight, "a group's weight");
    if (cluster.weight < 0) throw new RangeError(`a weight is not negative, got ${cluster.weight}`);
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

export interface BootstrapPlan<Event> {
  /** One entry per event: its profit, its sums, or all its fills. */
  readonly events: readonly Event[];
  /** Figure of a sample of events (with repetitions), null where undefined. It must not keep the reused array. */
  readonly statistic: (sample: readonly Event[]) => number | null;
  /** Same seed, same interval. */
  readonly seed: number;
  /** Samples drawn; default 2000. */
  readonly resamples?: number;
  /** Probability mass of the interval, in (0, 1); default 0.95. */
  readonly confidence?: number;
}

export interface BootstrapInterval {
  /** Figure of the original events. */
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Deviation of the resampled figures. */
  readonly standardError: number;
  /** Samples with an undefined figure; not in the interval. */
  readonly undefinedCount: number;
}

/**
 * Null below two events, for an undefined figure of the original events, or when fewer than half of the samples have
 * one. RangeError for a confidence outside (0, 1) or fewer than two resamples.
 */
export function bootstrapByEvent<Event>(plan: BootstrapPlan<Event>): BootstrapInterval | null {
  const { events, statistic, seed, resamples = 2000, confidence = 0.95 } = plan;
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`a confidence lies within (0, 1), got ${confidence}`);
  if (!(Number.isInteger(resamples) && resamples >= 2)) throw new RangeError(`two resamples or more, got ${resamples}`);
  const estimate = events.length < 2 ? null : toFigure(statistic(events));
  if (estimate === null) return null;
  const random = Random.fromSeed(seed, 'bootstrap');
  const sample = [...events];
  const figures: number[] = [];
  for (let i = 0; i < resamples; i++) {
    redraw(sample, events, random);
    const drawn = toFigure(statistic(sample));
    if (drawn !== null) figures.push(drawn);
  }
  return figures.length * 2 < resamples ? null : makeInterval(estimate, figures, resamples, confidence);
}

const toFigure = (value: number | null): number | null => (value === null ? null : figure(value));

function redraw<Event>(sample: Event[], events: readonly Event[], random: Random): void {
  for (let i = 0; i < sample.length; i++) {
    // The index is within the events; Event itself may include undefined.
    sample[i] = events[random.below(events.length)] as Event;
  }
}

function makeInterval(estimate: number, figures: readonly number[], resamples: number, confidence: number) {
  const ascending = sortValues(figures);
  const low = quantileOfSorted(ascending, (1 - confidence) / 2);
  const high = quantileOfSorted(ascending, (1 + confidence) / 2);
  const { standardDeviation } = computeMoments(figures);
  if (low === null || high === null || standardDeviation === null) return null;
  return { estimate, low, high, standardError: standardDeviation, undefinedCount: resamples - figures.length };
}
