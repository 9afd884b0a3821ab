/** Quantiles with linear interpolation (Hyndman and Fan's type 7, the default of NumPy and R). */

import { type Values, valueAt } from './values.js';

/** The sorted copy for `quantileOfSorted`. RangeError for a value that is not finite. */
export function sortValues(values: Values): Float64Array {
  const copy = new Float64Array(values.length);
  for (let i = 0; i < copy.length; i++) copy[i] = valueAt(values, i);
  return copy.sort();
}

/** Of values in ascending order, at `part` in [0, 1]; null without samples. RangeError for another `part`. */
export function quantileOfSorted(ascending: Values, part: number): number | null {
  if (!(part >= 0 && part <= 1)) throw new RangeError(`a quantile lies in [0, 1], got ${part}`);
  if (ascending.length === 0) return null;
  const place = part * (ascending.length - 1);
  const below = Math.floor(place);
  const low = valueAt(ascending, below);
  if (place === below) return low;
  const share = place - below;
  // Weights instead of a difference: it cannot overflow, and equal neighbours give exactly their value.
  const high = valueAt(ascending, below + 1);
  return low === high ? low : low * (1 - share) + high * share;
}

/** As above, for values in any order. */
export const quantile = (values: Values, part: number): number | null => quantileOfSorted(sortValues(values), part);

export const median = (values: Values): number | null => quantile(values, 0.5);
