/**
 * What holding a binary to settlement is worth to one with exponential utility (CARA, risk aversion gamma per share).
 * The price of a further share then shifts with inventory by exactly gamma x shares in log-odds, which is Hanson's
 * LMSR with b = 1 / gamma (Chen and Pennock 2007). The Gaussian shortcut of Avellaneda and Stoikov is wrong here.
 */

import { logit, sigmoid } from './log-odds.js';

/** Reservation price r = S(x - gamma q w). `heldPart` w is the carried fraction of the settlement's variance. */
export const reservationPrice = (p: number, gamma: number, netShares: number, heldPart = 1): number =>
  sigmoid(logit(p) - gamma * netShares * heldPart);

/** Certainty equivalent of q shares: -(1/gamma) ln(p e^(-gamma q) + 1 - p). With gamma 0 it is p q. */
export function certaintyEquivalent(p: number, gamma: number, netShares: number): number {
  if (gamma === 0) return p * netShares;
  const shift = gamma * netShares;
  // For a short position e^(-gamma q) is huge: factoring it out keeps the logarithm finite.
  if (shift < 0) return netShares - Math.log(p + (1 - p) * Math.exp(shift)) / gamma;
  return -Math.log(p * Math.exp(-shift) + 1 - p) / gamma;
}

/** Highest price for n more shares and lowest price to sell n that keep utility equal. */
export function indifferencePrices(
  p: number,
  gamma: number,
  netShares: number,
  n: number,
): { bid: number; ask: number } {
  const here = certaintyEquivalent(p, gamma, netShares);
  return {
    bid: (certaintyEquivalent(p, gamma, netShares + n) - here) / n,
    ask: (here - certaintyEquivalent(p, gamma, netShares - n)) / n,
  };
}

/** Prices of an event with exclusive markets: p_i e^(-gamma q_i) / sum_j p_j e^(-gamma q_j). */
export function eventReservationPrices(p: readonly number[], gamma: number, netShares: readonly number[]): number[] {
  const logs = p.map((price, i) => Math.log(price) - gamma * (netShares[i] ?? 0));
  const highest = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - highest));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}
