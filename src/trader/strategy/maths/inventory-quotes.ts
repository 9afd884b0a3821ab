/**
 * Computes optimal quotes under inventory risk. These quotes serve for comparison, and for prices that do not settle at
 * 0 or 1. `stoikov…` follows Avellaneda and Stoikov, "High-frequency trading in a limit order book", Quantitative
 * Finance 8(3), 2008 (the published version). `gueant…` follows Guéant, Lehalle and Fernandez-Tapia (arXiv 1105.3115).
 */

/** Parameters of Avellaneda and Stoikov's model. */
export interface StoikovSetting {
  /** Risk aversion gamma, per unit of money; 0 or more. */
  readonly gamma: number;
  /** Volatility of the price per square root of a unit of time. */
  readonly sigma: number;
  /** Decay rate k of the fill rate with distance delta, per unit of price: lambda = A e^(-k delta). */
  readonly k: number;
}

/**
 * Returns quotes around the reservation price r = s - q gamma sigma^2 (T - t). The full spread is gamma sigma^2 (T - t)
 * + (2 / gamma) ln(1 + gamma / k), or 2 / k for gamma 0. A large inventory may move a quote beyond the fair price.
 */
export function stoikovQuotes(
  price: number,
  inventory: number,
  { gamma, sigma, k }: StoikovSetting,
  timeLeft: number,
): { bid: number; ask: number } {
  const risk = gamma * sigma * sigma * timeLeft;
  const reservation = price - inventory * risk;
  const half = risk / 2 + monopolyHalfSpread(gamma, k);
  return { bid: reservation - half, ask: reservation + half };
}

/** Best half-spread without inventory risk: (1 / gamma) ln(1 + gamma / k), or the monopolist's 1 / k for gamma 0. */
const monopolyHalfSpread = (gamma: number, k: number): number => (gamma === 0 ? 1 / k : Math.log1p(gamma / k) / gamma);

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
 * Returns `half` and `skew` for the quotes bid = fair - (half + skew q) and ask = fair + (half - skew q), far from the
 * horizon. Order size and risk aversion to non-execution follow Guéant (arXiv 1605.01862, eq. 4.6 and 4.7).
 */
export function gueantQuotes({ a, k, gamma, xi, orderSize, sigma }: GueantSetting): { half: number; skew: number } {
  const ratio = (xi * orderSize) / k;
  const c1 = monopolyHalfSpread(xi * orderSize, k);
  const growth = ratio === 0 ? Math.E : (1 + ratio) ** (1 / ratio + 1);
  const c2 = Math.sqrt((gamma / (2 * a * orderSize * k)) * growth);
  return { half: c1 + (orderSize / 2) * sigma * c2, skew: sigma * c2 };
}
