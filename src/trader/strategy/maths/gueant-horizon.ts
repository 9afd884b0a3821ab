/**
 * Exact optimal quotes of Guéant, Lehalle and Fernandez-Tapia (arXiv 1105.3115) with bounded inventory. Covers a finite
 * horizon (theorem 1), an infinite one (theorem 2), a price drift, and impact of fills (section 5). The solution v
 * satisfies v' = M v. With alpha = k gamma sigma^2 / 2 and eta = a (1 + gamma / k)^-(1 + k / gamma), M has alpha q^2 -
 * k drift q on the diagonal and -eta e^(-k impact / 2) beside it. A distance is ln(v_q / v_(q +- 1)) / k + impact / 2 +
 * the half-spread without inventory risk.
 */

import { monopolyHalfSpread } from './avellaneda-stoikov.js';
import type { GueantModel } from './gueant-lehalle.js';
import { dominantVector, propagate, type Tridiagonal } from './tridiagonal.js';

/** Distances from the fair price at this inventory; null for the side that would exceed the limit. */
export interface GueantQuote {
  readonly inventory: number;
  readonly bid: number | null;
  readonly ask: number | null;
}

/**
 * Returns one entry per inventory from -maxInventory to maxInventory, in units of the order size. `timeLeft` has the
 * time unit of `a` and `sigma`; Infinity gives stationary quotes. The cost grows with maxInventory x timeLeft x rates,
 * so compute the table once. Throws RangeError when the limit is so wide that the solution leaves the range of numbers.
 */
export function gueantHorizonQuotes(model: GueantModel, maxInventory: number, timeLeft: number): GueantQuote[] {
  const { gamma, k, impact = 0 } = model;
  if (!(Number.isInteger(maxInventory) && maxInventory >= 1)) {
    throw new RangeError(`maxInventory must be a whole number of 1 or more, got ${maxInventory}`);
  }
  if (!(timeLeft >= 0)) throw new RangeError(`timeLeft must be 0 or more, got ${timeLeft}`);
  const matrix = computeGrowth(model, maxInventory);
  const v = timeLeft === Infinity ? dominantVector(matrix) : propagate(matrix, terminal(model, maxInventory), timeLeft);
  const base = monopolyHalfSpread(gamma, k) + impact / 2;
  const distance = (own: number, other: number | undefined): number | null =>
    other === undefined ? null : Math.log(own / other) / k + base;
  return Array.from(v, (own, i) => ({
    inventory: i - maxInventory,
    bid: distance(own, v[i + 1]),
    ask: distance(own, v[i - 1]),
  }));
}

/** The matrix -M. */
function computeGrowth({ a, k, gamma, sigma, drift = 0, impact = 0 }: GueantModel, maxInventory: number): Tridiagonal {
  const alpha = (k / 2) * gamma * sigma * sigma;
  const eta = gamma === 0 ? a / Math.E : a * (1 + gamma / k) ** -(1 + k / gamma);
  const diagonal = inventories(maxInventory).map((q) => k * drift * q - alpha * q * q);
  return { diagonal, beside: eta * Math.exp((-k * impact) / 2) };
}

/** v at the horizon: the holding is sold at the price less the impact of half of it. */
const terminal = ({ k, impact = 0 }: GueantModel, maxInventory: number): Float64Array =>
  inventories(maxInventory).map((q) => Math.exp((-k * impact * q * q) / 2));

const inventories = (maxInventory: number): Float64Array =>
  Float64Array.from({ length: 2 * maxInventory + 1 }, (_, i) => i - maxInventory);
