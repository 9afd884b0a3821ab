/**
 * Confidence by resampling whole events (Efron's percentile interval). Results within one event are decided together,
 * so the independent sample is the event, not the fill or the day.
 */

import { Random } from '../base/random.js';
import { computeMoments } from './moments.js';
import { quantileOfSorted, sortValues } from './quantiles.js';
import { figure } from './values.js';

export interface BootstrapPlan<Event> {
  /** One entry per event: its profit, its sums, or all its fills. */
  readonly events: readonly Event[];
  /**
   * Figure of a sample of events (with repetitions), or null where undefined. Must not keep the array, which is reused.
   */
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

function makeInterval(
  estimate: number,
  figures: readonly number[],
  resamples: number,
  confidence: number,
): BootstrapInterval | null {
  const ascending = sortValues(figures);
  const low = quantileOfSorted(ascending, (1 - confidence) / 2);
  const high = quantileOfSorted(ascending, (1 + confidence) / 2);
  const { standardDeviation } = computeMoments(figures);
  if (low === null || high === null || standardDeviation === null) return null;
  return { estimate, low, high, standardError: standardDeviation, undefinedCount: resamples - figures.length };
}
