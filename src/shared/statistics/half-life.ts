/** How long a position takes to be half undone. */

import { computeMean } from './moments.js';
import { figure, type Values, valueAt } from './values.js';

/** phi of the least-squares line q(t+1) = a + phi q(t); null below three samples or without variance. */
export function autoregression(values: Values): number | null {
  const pairs = values.length - 1;
  if (pairs < 2) return null;
  const [before, after] = [part(values, 0), part(values, 1)];
  const [meanBefore, meanAfter] = [computeMean(before) ?? 0, computeMean(after) ?? 0];
  if (before.every((value) => value === before[0])) return null;
  let [product, square] = [0, 0];
  for (let i = 0; i < pairs; i++) {
    const distance = valueAt(before, i) - meanBefore;
    product += distance * (valueAt(after, i) - meanAfter);
    square += distance * distance;
  }
  return square === 0 ? null : figure(product / square);
}

const part = (values: Values, from: number): Float64Array =>
  Float64Array.from({ length: values.length - 1 }, (_, i) => valueAt(values, from + i));

/**
 * Samples until half of a deviation from the mean is gone: ln(1/2) / ln(phi). Null when phi is not within (0, 1): the
 * values run away, or swing about instead of returning.
 */
export function halfLife(values: Values): number | null {
  const phi = autoregression(values);
  return phi === null || phi <= 0 || phi >= 1 ? null : figure(Math.log(0.5) / Math.log(phi));
}
