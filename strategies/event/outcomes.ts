/** Prices of exclusive outcomes. The prices sum to one, or to at most one. */

/** Price of an outcome from its own book. */
export interface Reading {
  readonly mid: number;
  /** Variance of the true price around the mid. */
  readonly variance: number;
}

/**
 * Adjusts probabilities so that they sum to `sum`, by weighted least squares: each mid price takes a share of the error
 * in proportion to its variance. The variance of each mid falls by its share of the total variance.
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
 * Variance of a true price that lies anywhere between others' best prices. The price may have moved since the book was
 * read.
 *
 * @param sigma volatility of the log-odds per square root of a second
 */
export function bookVariance({ mid, spread }: { mid: number; spread: number }, sigma: number, ageMs: number): number {
  const sigmaPrice = sigma * mid * (1 - mid);
  return spread ** 2 / 12 + (sigmaPrice ** 2 * Math.max(0, ageMs)) / 1000;
}
