/** Constraints between prices of exclusive outcomes: they add up to one, or at most to one. */

/** Price of an outcome from its own book. */
export interface Reading {
  readonly mid: number;
  /** Variance of the truth around the middle. */
  readonly variance: number;
}

/**
 * Probabilities that add up to `sum`: the common error of the middles is shared by their variances, so that the book
 * that knows least gives way most. Least squares; each variance falls by its part of the total.
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
 * Variance of a truth that may lie anywhere between others' best prices, and that has moved since they were seen.
 *
 * @param sigma of the log-odds, per square root of a second
 */
export function bookVariance({ mid, spread }: { mid: number; spread: number }, sigma: number, ageMs: number): number {
  const sigmaPrice = sigma * mid * (1 - mid);
  return spread ** 2 / 12 + (sigmaPrice ** 2 * Math.max(0, ageMs)) / 1000;
}
