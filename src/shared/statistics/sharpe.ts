/**
 * Sharpe and Sortino ratio as hftbacktest computes them, so that figures can be compared: from changes of equity in
 * money between samples of equal distance in time, without a benchmark rate; divided by the sample deviation (n - 1),
 * or by the root of the mean squared loss; times the root of the number of samples in a year.
 *
 * Settlement makes equity jump, and all information about an event is resolved at once: samples of a day flatter a
 * strategy on binary markets. Say the sampling beside the figure, and look at profit by event (`bootstrap.ts`) too.
 */

import { momentsOf } from './moments.js';
import { figure, requireFinite, type Values, valueAt } from './values.js';

/** The differences of neighbours: one fewer than samples of equity, none for none. */
export function changesOf(equity: Values): Float64Array {
  const changes = new Float64Array(Math.max(0, equity.length - 1));
  for (let i = 0; i < changes.length; i++) changes[i] = valueAt(equity, i + 1) - valueAt(equity, i);
  return changes;
}

export interface Sampling {
  /** E.g. 1440 for one each minute, around the clock. */
  readonly samplesPerDay: number;
  /** 365 for a venue that never closes; hftbacktest assumes 252. */
  readonly daysPerYear: number;
}

/** Samples in a year: what the root of annualisation is taken of. RangeError unless both are positive. */
export function samplesPerYear({ samplesPerDay, daysPerYear }: Sampling): number {
  for (const count of [samplesPerDay, daysPerYear]) {
    requireFinite(count, 'a sampling');
    if (count <= 0) throw new RangeError(`a sampling is a positive number, got ${count}`);
  }
  return samplesPerDay * daysPerYear;
}

/** Mean over deviation, per sample; null below two samples or without variance. The `Sharpe` of everything below it. */
export function sharpePerSample(changes: Values): number | null {
  const { mean, standardDeviation } = momentsOf(changes);
  if (mean === null || standardDeviation === null || standardDeviation === 0) return null;
  return figure(mean / standardDeviation);
}

/** Mean over downside deviation sqrt(mean(min(0, change)^2)), per sample; null without samples or without a loss. */
export function sortinoPerSample(changes: Values): number | null {
  const { mean } = momentsOf(changes);
  if (mean === null) return null;
  let squares = 0;
  for (let i = 0; i < changes.length; i++) squares += Math.min(0, valueAt(changes, i)) ** 2;
  return squares === 0 ? null : figure(mean / Math.sqrt(squares / changes.length));
}

/** A ratio per sample as one per year: times sqrt(samples in a year). Null stays null. */
export const annualised = (perSample: number | null, sampling: Sampling): number | null =>
  perSample === null ? null : perSample * Math.sqrt(samplesPerYear(sampling));

export const annualSharpe = (changes: Values, sampling: Sampling): number | null =>
  annualised(sharpePerSample(changes), sampling);

export const annualSortino = (changes: Values, sampling: Sampling): number | null =>
  annualised(sortinoPerSample(changes), sampling);
