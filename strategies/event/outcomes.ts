/** Constraints between prices of exclusive outcomes: their sum is one, or at most one. */

/** Price of an outcome from its own book. */
export interface Reading {
  readonly mid: number;
  /** Variance of the true price around the mid. */
  readonly variance: number;
}

/**
 * Adjusts probabilities to the sum `sum`. The common error of the mids is shared by their variances, so that the most
 * uncertain book changes most. Least squares; each variance falls by its part of the total.
 */
export function addingUp(readings: readonly Reading[], sum = 1): readonly Reading[] {
  const total = readings.reduce((all, { variance }) => all + variance, 0);
  const off = sum - readings.reduce((all, { mid }) => all + mid, 0);
  if (total <= 0) return readings;
  return readings.map(({ mid, variance }) => ({
    mid: mid + (variance * off) / total,
    variance: variance - variance ** 2 / total,
  }));
}

/**
 * Variance of a true price anywhere between others' best prices, which may have moved since they were read.
 *
 * @param sigma of the log-odds, per square root of a second
 */
export function bookVariance({ mid, spread }: { mid: number; spread: number }, sigma: number, ageMs: number): number {
  const sigmaPrice = sigma * mid * (1 - mid);
  return spread ** 2 / 12 + (sigmaPrice ** 2 * Math.max(0, ageMs)) / 1000;
}
