/** The user's value and others' book as one belief in log-odds, each weighed by how far it may be off. */

import { type FeedView, logit, type MarketView, ONE, sigmoid, touch } from '../../src/trader/strategy/strategy.js';

/** A source's estimate of a price: log-odds, and their variance. */
export interface Estimate {
  readonly x: number;
  readonly variance: number;
}

/** Minimum error of any source, in log-odds: a deviation of zero would be certainty. */
const LEAST_SD = 1e-6;

/** Mean weighed by precision: the variance is below that of either. */
export function blend(a: Estimate, b: Estimate): Estimate {
  const precision = 1 / a.variance + 1 / b.variance;
  return { x: (a.x / a.variance + b.x / b.variance) / precision, variance: 1 / precision };
}

/** How many standard deviations of their difference two estimates are apart. */
export const gapSds = (a: Estimate, b: Estimate): number => Math.abs(a.x - b.x) / Math.sqrt(a.variance + b.variance);

/**
 * The feed's value, with `usualSd` where it names no deviation. It widens with its age as the price moves; for a
 * bid and an ask, the truth lies anywhere between.
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

/** Variance of a truth that may lie anywhere between two log-odds. */
const between = (low: number, high: number): number => (high - low) ** 2 / 12;

/**
 * Shares that a bettor with this part of Kelly's stake holds, whose belief is `p` and who gets them at `price`: below 0
 * where the price is above the belief.
 */
export const kellyShares = (fraction: number, wealth: number, p: number, price: number): number =>
  (fraction * wealth * (p - price)) / (price * (1 - price));

export const toPrice = ({ x }: Estimate): number => sigmoid(x);
