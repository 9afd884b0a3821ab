/**
 * Closed-form quotes of Guéant, Lehalle and Fernandez-Tapia (arXiv 1105.3115) far from the horizon, with an order size
 * and a risk parameter of its own for non-execution (Guéant, arXiv 1605.01862, eq. 4.6 and 4.7).
 */

export interface GueantSetting {
  /** Rate of fills at distance 0, and how it thins out: lambda = a e^(-k delta). */
  readonly a: number;
  readonly k: number;
  /** Inventory risk aversion; `xi` the one of non-execution (equal in the original). */
  readonly gamma: number;
  readonly xi: number;
  readonly orderSize: number;
  /** Volatility of the price per square root of a unit of time. */
  readonly sigma: number;
}

/** bid = fair - (half + skew q), ask = fair + (half - skew q). */
export function gueantQuotes({ a, k, gamma, xi, orderSize, sigma }: GueantSetting): { half: number; skew: number } {
  const ratio = (xi * orderSize) / k;
  const c1 = ratio === 0 ? 1 / k : Math.log1p(ratio) / (xi * orderSize);
  const growth = ratio === 0 ? Math.E : (1 + ratio) ** (1 / ratio + 1);
  const c2 = Math.sqrt((gamma / (2 * a * orderSize * k)) * growth);
  return { half: c1 + (orderSize / 2) * sigma * c2, skew: sigma * c2 };
}
