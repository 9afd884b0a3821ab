/** How alike the trials of a search are. */

import { momentsOf } from './moments.js';
import { figure, type Values, valueAt } from './values.js';

/**
 * Mean of the correlations of all pairs of rows of equal length, without computing the pairs: the sum of N standardised
 * rows has variance N + N (N - 1) r. Rows without variance correlate with nothing and are left out. Null with fewer
 * than two rows that vary. O(N T). RangeError for rows of unequal length.
 */
export function meanCorrelation(rows: readonly Values[]): number | null {
  const sum = new Float64Array(rows[0]?.length ?? 0);
  let count = 0;
  for (const row of rows) {
    if (row.length !== sum.length)
      throw new RangeError(`rows of equal length are wanted: ${sum.length}, got ${row.length}`);
    const { mean, standardDeviation } = momentsOf(row);
    if (mean === null || standardDeviation === null || standardDeviation === 0) continue;
    count += 1;
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (valueAt(row, i) - mean) / standardDeviation;
  }
  if (count < 2) return null;
  const squares = sum.reduce((total, value) => total + value * value, 0) / (sum.length - 1);
  return figure(Math.min(1, (squares - count) / (count * (count - 1))));
}
