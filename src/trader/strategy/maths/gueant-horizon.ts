/**
 * Optimal quotes of Guéant, Lehalle and Fernandez-Tapia (arXiv 1105.3115) exactly: with bounded inventory and a horizon
 * (theorem 1), or infinitely far from it (theorem 2), with a drift of the price and impact of fills (section 5). With
 * alpha = k gamma sigma^2 / 2 and eta = a (1 + gamma / k)^-(1 + k / gamma), v solves v' = M v, where M has alpha q^2 -
 * k drift q on the diagonal and -eta e^(-k impact / 2) beside it; distances are ln(v_q / v_(q +- 1)) / k + impact / 2 +
 * the half-spread of a maker without inventory risk.
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
 * One entry for each inventory from -maxInventory to maxInventory, in units of the order size. `timeLeft` in the units
 * of `a` and `sigma`; Infinity for quotes that do not depend on time. Near the limit quotes differ from what an unbounded
 * maker would do. Costs maxInventory x timeLeft x rates: compute once, not for every look at a market. RangeError when
 * the limit is so wide that the solution leaves the range of numbers.
 */
export function gueantHorizonQuotes(model: GueantModel, maxInventory: number, timeLeft: number): GueantQuote[] {
  const { gamma, k, impact = 0 } = model;
  if (!(Number.isInteger(maxInventory) && maxInventory >= 1)) {
    throw new RangeError(`a whole number of units of inventory is wanted, got ${maxInventory}`);
  }
  if (!(timeLeft >= 0)) throw new RangeError(`a time left is not negative, got ${timeLeft}`);
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

/** -M. */
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
