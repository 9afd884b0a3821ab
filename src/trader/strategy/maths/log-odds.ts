/** Computes prices in log-odds x = ln(p / (1 - p)) of a probability p = S(x) = 1 / (1 + e^-x). */

import { normalCdf, normalDensity, normalQuantile } from '../../../shared/base/random.js';

/** Log-odds of a probability; -Infinity at 0 and Infinity at 1. Throws RangeError outside [0, 1]. */
export function logit(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a probability lies in [0, 1], got ${p}`);
  return Math.log(p) - Math.log1p(-p);
}

/** Returns S(x), the probability with the log-odds x. S is accurate near 0 and 1, for any finite or infinite x. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

/** p (1 - p): the slope of the sigmoid, and the variance of a settled binary share. */
export const slope = (p: number): number => p * (1 - p);

// Under exponential utility (CARA, risk aversion gamma per share), each share held to settlement shifts the price of a
// further share by gamma in log-odds. This is Hanson's LMSR with b = 1 / gamma (Chen and Pennock 2007). The Gaussian
// model of Avellaneda and Stoikov does not fit binary settlement.

/** Reservation price r = S(x - gamma q w). `heldPart` is w, the fraction of settlement variance until the sale. */
export const reservationPrice = (p: number, gamma: number, netShares: number, heldPart = 1): number =>
  sigmoid(logit(p) - gamma * netShares * heldPart);

/** Certainty equivalent of q shares: -(1/gamma) ln(p e^(-gamma q) + 1 - p), or p q for gamma 0. */
export function certaintyEquivalent(p: number, gamma: number, netShares: number): number {
  if (gamma === 0) return p * netShares;
  const shift = gamma * netShares;
  // For a short position, e^(-gamma q) is very large. The term q outside the logarithm avoids the overflow.
  if (shift < 0) return netShares - Math.log(p + (1 - p) * Math.exp(shift)) / gamma;
  return -Math.log(p * Math.exp(-shift) + 1 - p) / gamma;
}

/** Highest price per share for buying n shares, and lowest for selling n shares, at unchanged expected utility. */
export function indifferencePrices(p: number, gamma: number, shares: number, n: number): { bid: number; ask: number } {
  const here = certaintyEquivalent(p, gamma, shares);
  return {
    bid: (certaintyEquivalent(p, gamma, shares + n) - here) / n,
    ask: (here - certaintyEquivalent(p, gamma, shares - n)) / n,
  };
}

/** Reservation prices of an event with exclusive markets: p_i e^(-gamma q_i) / sum_j p_j e^(-gamma q_j). */
export function eventReservationPrices(p: readonly number[], gamma: number, netShares: readonly number[]): number[] {
  const logs = p.map((price, i) => Math.log(price) - gamma * (netShares[i] ?? 0));
  const highest = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - highest));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

// Informed takers (Glosten and Milgrom 1985, binary asset): a fraction `informed` of takers knows the outcome, the
// others trade at random. Zero-profit quotes are L = ln((1 + a) / (1 - a)) away from the fair log-odds, at any price.

/** Zero-profit half-spread L in log-odds for a fraction of informed takers in [0, 1). */
export const informedHalfSpread = (informed: number): number => Math.log1p(informed) - Math.log1p(-informed);

/** Zero-profit bid and ask around the fair price p. */
export function informedQuotes(p: number, informed: number): { bid: number; ask: number } {
  const x = logit(p);
  const half = informedHalfSpread(informed);
  return { bid: sigmoid(x - half), ask: sigmoid(x + half) };
}

/** Fraction a of informed takers that explains an average price move after a trade: a = move / (2 p (1 - p)). */
export function informedFromMove(p: number, move: number): number {
  const variance = slope(p);
  return variance <= 0 ? 0 : Math.min(MAX_INFORMED, Math.max(0, move / (2 * variance)));
}

/** Maximum fraction of informed takers. Above this fraction, the model does not apply. */
const MAX_INFORMED = 0.9;

// News: a Brownian score that crosses a level at time T decides the outcome, so dp = phi(Phi^-1(p)) / sqrt(T - t) dW
// (pm-AMM, 2024).

/** Volatility of the price per square root of a second, with `secondsLeft` until the end; Infinity at 0 seconds. */
export function newsSigma(p: number, secondsLeft: number): number {
  if (p <= 0 || p >= 1) return 0;
  return secondsLeft <= 0 ? Number.POSITIVE_INFINITY : normalDensity(normalQuantile(p)) / Math.sqrt(secondsLeft);
}

/**
 * Expected loss per share, in price, of a quote at distance `half` from the fair price, until its refresh. The price
 * moves by a normal step of deviation `sigma`: E[(move - half)+] = s phi(h/s) - h (1 - Phi(h/s)).
 */
export function staleCost(half: number, sigma: number): number {
  if (sigma <= 0) return Math.max(0, -half);
  const z = half / sigma;
  return Math.max(0, sigma * normalDensity(z) - half * normalCdf(-z));
}
