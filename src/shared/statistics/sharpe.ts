/**
 * The Sharpe ratio as hftbacktest computes it, so that figures can be compared: from changes of equity in money between
 * samples of equal distance in time, without a benchmark rate, divided by the sample deviation (n - 1); per sample, never
 * annual.
 *
 * Settlement makes equity jump, and all information about an event is resolved at once: samples of a day flatter a
 * strategy on binary markets. Say the sampling beside the figure, and look at profit by event (`bootstrap.ts`) too.
 */

import { computeMoments } from './moments.js';
import { figure, type Values } from './values.js';

/** Mean over deviation, per sample; null below two samples or without variance. The `Sharpe` of everything below it. */
export function sharpePerSample(changes: Values): number | null {
  const { mean, standardDeviation } = computeMoments(changes);
  if (mean === null || standardDeviation === null || standardDeviation === 0) return null;
  return figure(mean / standardDeviation);
}
