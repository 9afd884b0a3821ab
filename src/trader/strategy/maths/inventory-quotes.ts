/**
 * Computes optimal quotes under inventory risk. They serve for comparison, and for prices that do not end at 0 or 1.
 * `stoikov…` follows Avellaneda and Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8(3),
 * 2008 (the published version). `gueant…` follows Guéant, Lehalle and Fernandez-Tapia (arXiv 1105.3115).
 */

import { dominantVector, propagate, type Tridiagonal } from './tridiagonal.js';

/** Parameters of Avellaneda and Stoikov's model. */
export interface StoikovSetting {
  /** Risk aversion gamma, per unit of money; 0 or more. */
  readonly gamma: number;
  /** Volatility of the price per square root of a unit of time. */
  readonly sigma: number;
  /** Decay rate k of the fill rate with distance delta, per unit of price: lambda = A e^(-k delta). */
  readonly k: number;
}

/** Reservation price r = s - q gamma sigma^2 (T - t). */
export const stoikovReservation = (
  price: number,
  inventory: number,
  { gamma, sigma }: StoikovSetting,
  timeLeft: number,
): number => price - inventory * gamma * sigma * sigma * timeLeft;

/** Full spread: gamma sigma^2 (T - t) + (2 / gamma) ln(1 + gamma / k), or 2 / k for gamma 0. */
export const stoikovSpread = ({ gamma, sigma, k }: StoikovSetting, timeLeft: number): number =>
  gamma * sigma * sigma * timeLeft + 2 * monopolyHalfSpread(gamma, k);

/**
 * Quotes half a spread on each side of the reservation price. A large inventory may move a quote beyond the fair price.
 */
export function stoikovQuotes(
  price: number,
  inventory: number,
  setting: StoikovSetting,
  timeLeft: number,
): { bid: number; ask: number } {
  const reservation = stoikovReservation(price, inventory, setting, timeLeft);
  const half = stoikovSpread(setting, timeLeft) / 2;
  return { bid: reservation - half, ask: reservation + half };
}

/** Best half-spread without inventory risk: (1 / gamma) ln(1 + gamma / k), or the monopolist's 1 / k for gamma 0. */
export const monopolyHalfSpread = (gamma: number, k: number): number =>
  gamma === 0 ? 1 / k : Math.log1p(gamma / k) / gamma;

/** Distances of bid and ask from the fair price at one inventory; null if the side would pass the inventory limit. */
export interface GueantQuote {
  readonly inventory: number;
  readonly bid: number | null;
  readonly ask: number | null;
}

// Exact optimal quotes with bounded inventory: a finite horizon (theorem 1), an infinite one (theorem 2), a price
// drift, and impact of fills (section 5). The solution vector v satisfies v' = M v. With alpha = k gamma sigma^2 / 2
// and eta = a (1 + gamma / k)^-(1 + k / gamma), M has alpha q^2 - k drift q on its diagonal and -eta e^(-k impact / 2)
// beside it. A quote's distance is ln(v_q / v_(q +- 1)) / k + impact / 2 + the half-spread without inventory risk.

/**
 * Returns one entry per inventory from -maxInventory to maxInventory, in units of the order size. `timeLeft` has the
 * time unit of `a` and `sigma`; Infinity gives stationary quotes. The computing time grows with maxInventory x timeLeft
 * x rates, so compute this table only once. Throws RangeError if the solution leaves the range of numbers.
 */
export function gueantHorizonQuotes(model: GueantModel, maxInventory: number, timeLeft: number): GueantQuote[] {
  const { gamma, k, impact = 0 } = model;
  if (!(Number.isInteger(maxInventory) && maxInventory >= 1))
    throw new RangeError(`maxInventory must be a whole number of 1 or more, got ${maxInventory}`);
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

/** Vector v at the horizon, where the inventory is sold at the price minus half its impact. */
const terminal = ({ k, impact = 0 }: GueantModel, maxInventory: number): Float64Array =>
  inventories(maxInventory).map((q) => Math.exp((-k * impact * q * q) / 2));

const inventories = (maxInventory: number): Float64Array =>
  Float64Array.from({ length: 2 * maxInventory + 1 }, (_, i) => i - maxInventory);

/** Parameters of the closed-form quotes, in the caller's own units of price and size. They are positive. */
export interface GueantSetting {
  /** Rate of fills at distance 0: the a of lambda = a e^(-k delta). */
  readonly a: number;
  /** Decay k of the fill rate with distance. */
  readonly k: number;
  /** Risk aversion to inventory. */
  readonly gamma: number;
  /** Risk aversion to non-execution; equal to `gamma` in the original paper. */
  readonly xi: number;
  readonly orderSize: number;
  /** Volatility of the price per square root of a unit of time. */
  readonly sigma: number;
}

/**
 * Returns half and skew of the quotes bid = fair - (half + skew q) and ask = fair + (half - skew q), far from the
 * horizon. Order size and risk aversion to non-execution follow Guéant (arXiv 1605.01862, eq. 4.6 and 4.7).
 */
export function gueantQuotes({ a, k, gamma, xi, orderSize, sigma }: GueantSetting): { half: number; skew: number } {
  const ratio = (xi * orderSize) / k;
  const c1 = monopolyHalfSpread(xi * orderSize, k);
  const growth = ratio === 0 ? Math.E : (1 + ratio) ** (1 / ratio + 1);
  const c2 = Math.sqrt((gamma / (2 * a * orderSize * k)) * growth);
  return { half: c1 + (orderSize / 2) * sigma * c2, skew: sigma * c2 };
}

/** Parameters of the original model: orders of one unit, one risk aversion, optional drift and impact. */
export interface GueantModel {
  readonly a: number;
  readonly k: number;
  readonly gamma: number;
  readonly sigma: number;
  /** Expected change of the price per unit of time; default 0. A drift needs a gamma above 0. */
  readonly drift?: number;
  /** Adverse price move per fill (xi in the paper); default 0. */
  readonly impact?: number;
}

/** Distances of bid and ask from the fair price with `inventory` units held, far from the horizon (section 4). */
export function gueantDistances(model: GueantModel, inventory: number): { bid: number; ask: number } {
  const { gamma, sigma, k, drift = 0, impact = 0 } = model;
  const { skew } = gueantQuotes({ ...model, xi: gamma, orderSize: 1 });
  const slope = skew * Math.exp((k * impact) / 4);
  const half = monopolyHalfSpread(gamma, k) + impact / 2 + slope / 2;
  const shifted = drift === 0 ? inventory : inventory - drift / (gamma * sigma * sigma);
  return { bid: half + slope * shifted, ask: half - slope * shifted };
}
