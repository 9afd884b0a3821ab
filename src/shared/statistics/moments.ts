/** Mean, deviation, shape and quantiles of a sample; null if undefined. Throws RangeError for a non-finite value. */

/** Values of a sample, as a plain or typed array. */
type Values = ArrayLike<number>;

/** Returns the sample's value at `index`. Throws RangeError with index and value if the value is not finite. */
function valueAt(values: Values, index: number): number {
  const value = values[index];
  if (value === undefined || !Number.isFinite(value)) throw notFinite(value, `at index ${index}`);
  return value;
}

/** Throws RangeError if a value is not a finite number. */
export function requireFinite(value: number, what: string): void {
  if (!Number.isFinite(value)) throw notFinite(value, `for ${what}`);
}

const notFinite = (value: number | undefined, where: string): RangeError =>
  new RangeError(`a finite number is required ${where}, got ${value}`);

/** Returns the value; null if the value is not finite because of an overflow or a division by zero. */
export const figure = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Returns a sorted copy of values, for `quantileOfSorted`. Throws RangeError for a value that is not finite. */
export function sortValues(values: Values): Float64Array {
  const copy = new Float64Array(values.length);
  for (let i = 0; i < copy.length; i++) copy[i] = valueAt(values, i);
  return copy.sort();
}

/**
 * Returns the quantile at `part` in [0, 1] of ascending values; null without values. The interpolation is linear (type
 * 7, the default of NumPy and R). Throws RangeError for a `part` outside [0, 1].
 */
export function quantileOfSorted(ascending: Values, part: number): number | null {
  if (!(part >= 0 && part <= 1)) throw new RangeError(`a quantile must lie in [0, 1], got ${part}`);
  if (ascending.length === 0) return null;
  const place = part * (ascending.length - 1);
  const below = Math.floor(place);
  const low = valueAt(ascending, below);
  if (place === below) return low;
  const share = place - below;
  // The result is a weighted sum, because `high - low` could overflow. Equal neighbours are returned without rounding.
  const high = valueAt(ascending, below + 1);
  return low === high ? low : low * (1 - share) + high * share;
}

/** Returns the quantile at `part` in [0, 1] of values in any order; null without values. */
export const quantile = (values: Values, part: number): number | null => quantileOfSorted(sortValues(values), part);

interface Moments {
  readonly count: number;
  /** Arithmetic mean; null without samples. */
  readonly mean: number | null;
  /** Sample deviation with division by n - 1, as in pandas, but not in NumPy. Null for fewer than two samples. */
  readonly standardDeviation: number | null;
  /** Skewness g3 = m3 / m2^1.5 from the central moments divided by n. Null without variance. */
  readonly skewness: number | null;
  /** Raw kurtosis g4 = m4 / m2^2, which is 3 for a normal distribution. Null without variance. */
  readonly kurtosis: number | null;
}

/** Computes the moments in two passes (the mean, then powers of the distances from it), for numerical precision. */
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

/** Returns the arithmetic mean; null without samples. */
export function computeMean(values: Values): number | null {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += valueAt(values, i);
  return figure(sum / values.length);
}

/** Returns deviation, skewness and raw kurtosis from the sums of powers of the distances from the mean. */
function shape(count: number, second: number, third: number, fourth: number): Omit<Moments, 'count' | 'mean'> {
  const variance = second / count;
  const varied = variance > 0;
  return {
    standardDeviation: count < 2 ? null : figure(Math.sqrt(second / (count - 1))),
    skewness: varied ? figure(third / count / variance ** 1.5) : null,
    kurtosis: varied ? figure(fourth / count / (variance * variance)) : null,
  };
}
