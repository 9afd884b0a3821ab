/** Averages the user's value and others' book in log-odds, weighted by the inverse of their variances. */

import { type FeedView, logit, type MarketView, ONE, sigmoid, touch } from '../../src/trader/strategy/strategy.js';

/** Estimate of a price by one source: the log-odds and their variance. */
export interface Estimate {
  readonly x: number;
  readonly variance: number;
}

/** Minimum standard deviation of any source, in log-odds. A standard deviation of 0 would mean certainty. */
const LEAST_SD = 1e-6;

/** Returns the mean of two estimates, weighted by precision. The mean's variance is below that of either estimate. */
export function blend(a: Estimate, b: Estimate): Estimate {
  const precision = 1 / a.variance + 1 / b.variance;
  return { x: (a.x / a.variance + b.x / b.variance) / precision, variance: 1 / precision };
}

/** Distance between two estimates, in standard deviations of their difference. */
export const gapSds = (a: Estimate, b: Estimate): number => Math.abs(a.x - b.x) / Math.sqrt(a.variance + b.variance);

/**
 * Estimate from a feed's value, with the deviation `usualSd` if the feed states none. The deviation grows with the
 * value's age, because the price moves. If the feed gives a bid and an ask, the true value lies anywhere between them.
 */
export function estimateOfFeed({ p, bid, ask, sd, ageMs }: FeedView, usualSd: number, sigma: number): Estimate {
  const own = Math.max(sd ?? usualSd, LEAST_SD) ** 2 + (sigma ** 2 * ageMs) / 1000;
  if (p !== null) return { x: logit(p), variance: own };
  const [low, high] = [logit(bid ?? 0), logit(ask ?? 1)];
  return { x: (low + high) / 2, variance: own + between(low, high) };
}

/** Estimate from others' best prices; null when a side of their book is empty or the book is crossed. */
export function estimateOfBook({ others, estimates, health }: MarketView): Estimate | null {
  const best = touch(others);
  if (best === null || best.bid.priceMicros >= best.ask.priceMicros) return null;
  const [low, high] = [logit(best.bid.priceMicros / ONE), logit(best.ask.priceMicros / ONE)];
  const moved = (estimates.sigmaLogOddsPerSqrtS ** 2 * Math.max(0, health.bookAgeMs)) / 1000;
  return { x: (low + high) / 2, variance: between(low, high) + moved };
}

/** Variance of a true value that lies anywhere between two log-odds. */
const between = (low: number, high: number): number => (high - low) ** 2 / 12;

/**
 * Shares that a bettor with this fraction of Kelly's stake holds, for the probability `p` and the purchase price
 * `price`. The result is negative when the price exceeds the probability.
 */
export const kellyShares = (fraction: number, wealth: number, p: number, price: number): number =>
  (fraction * wealth * (p - price)) / (price * (1 - price));

export const toPrice = ({ x }: Estimate): number => sigmoid(x);
