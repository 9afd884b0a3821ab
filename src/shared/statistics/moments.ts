/** Mean, spread and shape of a sample. */

import { figure, type Values, valueAt } from './values.js';

export interface Moments {
  readonly count: number;
  /** Null without samples. */
  readonly mean: number | null;
  /** Sample deviation, divided by n - 1 (as polars and pandas do; NumPy divides by n). Null below two samples. */
  readonly standardDeviation: number | null;
  /** g3 = m3 / m2^1.5 of the central moments divided by n. Null without variance. */
  readonly skewness: number | null;
  /** g4 = m4 / m2^2, raw: 3 for a normal distribution, not 0. Null without variance. */
  readonly kurtosis: number | null;
}

/** Two passes: the mean first, then the powers of the distances from it, so that nothing cancels. O(n). */
export function computeMoments(values: Values): Moments {
  const count = values.length;
  const mean = computeMean(values);
  if (mean === null) return { count, mean: null, standardDeviation: null, skewness: null, kurtosis: null };
  let [second, third, fourth] = [0, 0, 0];
  let alike = true;
  for (let i = 0; i < count; i++) {
    const value = valueAt(values, i);
    alike &&= value === values[0];
    const distance = value - mean;
    const square = distance * distance;
    second += square;
    third += square * distance;
    fourth += square * square;
  }
  return { count, mean, ...shape(count, alike ? 0 : second, third, fourth) };
}

/** Arithmetic mean; null without samples. */
export function computeMean(values: Values): number | null {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += valueAt(values, i);
  return figure(sum / values.length);
}

/** Deviation, skewness and raw kurtosis from the sums of the powers of distances from the mean. */
export function shape(count: number, second: number, third: number, fourth: number): Omit<Moments, 'count' | 'mean'> {
  const variance = second / count;
  const varied = variance > 0;
  return {
    standardDeviation: count < 2 ? null : figure(Math.sqrt(second / (count - 1))),
    skewness: varied ? figure(third / count / variance ** 1.5) : null,
    kurtosis: varied ? figure(fourth / count / (variance * variance)) : null,
  };
}
