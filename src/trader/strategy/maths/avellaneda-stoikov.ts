/**
 * Avellaneda and Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8(3), 2008 (the
 * published version). For comparison, and for markets whose price does not end at 0 or 1.
 */

export interface StoikovSetting {
  /** Risk aversion, per unit of money; 0 or more. */
  readonly gamma: number;
  /** Volatility of the price per square root of a unit of time. */
  readonly sigma: number;
  /** Decay of fills with distance: lambda = A e^(-k delta); per unit of price. */
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
 * Quotes half a spread on each side of the reservation price. They are not clipped at the fair price: with a large
 * inventory a quote lies beyond it, as the paper's results require.
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

/**
 * Best half-spread of a maker without inventory risk: (1 / gamma) ln(1 + gamma / k), or the monopolist's 1 / k for
 * gamma 0.
 */
export const monopolyHalfSpread = (gamma: number, k: number): number =>
  gamma === 0 ? 1 / k : Math.log1p(gamma / k) / gamma;
