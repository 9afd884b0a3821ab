/**
 * Avellaneda and Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8(3), 2008 (the
 * published version): for comparison and for strategies of markets whose price does not end at 0 or 1.
 */

export interface StoikovSetting {
  /** Risk aversion, per unit of money. */
  readonly gamma: number;
  /** Volatility of the price per square root of a unit of time. */
  readonly sigma: number;
  /** How fast fills thin out with distance: lambda = A e^(-k delta); per unit of price. */
  readonly k: number;
}

/** r = s - q gamma sigma^2 (T - t). */
export const stoikovReservation = (
  price: number,
  inventory: number,
  { gamma, sigma }: StoikovSetting,
  timeLeft: number,
): number => price - inventory * gamma * sigma * sigma * timeLeft;

/** Both half-spreads together: gamma sigma^2 (T - t) + (2 / gamma) ln(1 + gamma / k); 2 / k for gamma 0. */
export function stoikovSpread({ gamma, sigma, k }: StoikovSetting, timeLeft: number): number {
  const monopoly = gamma === 0 ? 1 / k : Math.log1p(gamma / k) / gamma;
  return gamma * sigma * sigma * timeLeft + 2 * monopoly;
}
