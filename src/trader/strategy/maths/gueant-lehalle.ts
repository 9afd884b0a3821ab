/**
 * Closed-form quotes of Guéant, Lehalle and Fernandez-Tapia (arXiv 1105.3115) far from the horizon. Order size and the
 * risk aversion of non-execution follow Guéant (arXiv 1605.01862, eq. 4.6 and 4.7). The exact solution for any horizon
 * is in `gueant-horizon.ts`.
 */

import { monopolyHalfSpread } from './avellaneda-stoikov.js';

/** Parameters of the closed form; prices and sizes in the caller's own units, positive unless stated otherwise. */
export interface GueantSetting {
  /** Rate of fills at distance 0 and its decay: lambda = a e^(-k delta). */
  readonly a: number;
  readonly k: number;
  /** Risk aversion of inventory; `xi` is the risk aversion of non-execution (equal in the original paper). */
  readonly gamma: number;
  readonly xi: number;
  readonly orderSize: number;
  /** Volatility of the price per square root of a unit of time. */
  readonly sigma: number;
}

/** Returns half and skew of the quotes bid = fair - (half + skew q), ask = fair + (half - skew q). */
export function gueantQuotes({ a, k, gamma, xi, orderSize, sigma }: GueantSetting): { half: number; skew: number } {
  const ratio = (xi * orderSize) / k;
  const c1 = monopolyHalfSpread(xi * orderSize, k);
  const growth = ratio === 0 ? Math.E : (1 + ratio) ** (1 / ratio + 1);
  const c2 = Math.sqrt((gamma / (2 * a * orderSize * k)) * growth);
  return { half: c1 + (orderSize / 2) * sigma * c2, skew: sigma * c2 };
}

/** The original model: orders of one unit, a single risk aversion, and optional drift and impact. */
export interface GueantModel {
  readonly a: number;
  readonly k: number;
  readonly gamma: number;
  readonly sigma: number;
  /** Expected change of the price per unit of time; default 0. Needs gamma above 0. */
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
