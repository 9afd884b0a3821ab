/** Blends the user's value and others' book in log-odds, weighted by their possible error. */

import { type FeedView, logit, type MarketView, ONE, sigmoid, touch } from '../../src/trader/strategy/strategy.js';

/** A source's estimate of a price: log-odds, and their variance. */
export interface Estimate {
  readonly x: number;
  readonly variance: number;
}

/** Minimum error of any source, in log-odds: zero would mean certainty. */
const LEAST_SD = 1e-6;

/** Mean weighted by precision; its variance is below either one's. */
export function blend(a: Estimate, b: Estimate): Estimate {
  const precision = 1 / a.variance + 1 / b.variance;
  return { x: (a.x / a.variance + b.x / b.variance) / precision, variance: 1 / precision };
}

/** Distance of two estimates, in standard deviations of their difference. */
export const gapSds = (a: Estimate, b: Estimate): number => Math.abs(a.x - b.x) / Math.sqrt(a.variance + b.variance);

/**
 * Estimate from the feed's value, with `usualSd` if it states no deviation. The error grows with age as the price
 * moves. If the feed gives a bid and an ask, the true value lies anywhere between them.
 */
export function estimateOfFeed({ p, bid, ask, sd, ageMs }: FeedView, usualSd: number, sigma: number): Estimate {
  const own = Math.max(sd ?? usualSd, LEAST_SD) ** 2 + (sigma ** 2 * ageMs) / 1000;
  if (p !== null) return { x: logit(p), variance: own };
  const [low, high] = [logit(bid ?? 0), logit(ask ?? 1)];
  return { x: (low + high) / 2, variance: own + between(low, high) };
}

/** Estimate from others' best prices; null without two sides. */
export function estimateOfBook({ others, estimates, health }: MarketView): Estimate | null {
  const best = touch(others);
  if (best === null || best.bid.priceMicros >= best.ask.priceMicros) return null;
  const [low, high] = [logit(best.bid.priceMicros / ONE), logit(best.ask.priceMicros / ONE)];
  const moved = (estimates.sigmaLogOddsPerSqrtS ** 2 * Math.max(0, health.bookAgeMs)) / 1000;
  return { x: (low + high) / 2, variance: between(low, high) + moved };
}

/** Variance of a true value anywhere between two log-odds. */
const between = (low: number, high: number): number => (high - low) ** 2 / 12;

/**
 * Shares held by a bettor with this fraction of Kelly's stake, belief `p` and purchase price `price`; below 0 when the
 * price exceeds the belief.
 */
export const kellyShares = (fraction: number, wealth: number, p: number, price: number): number =>
  (fraction * wealth * (p - price)) / (price * (1 - price));

export const toPrice = ({ x }: Estimate): number => sigmoid(x);
