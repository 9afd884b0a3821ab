/**
 * How far a probability can move before a reaction, and its cost for a quote that rests meanwhile. Model: a Brownian
 * score decides at time T by crossing a level, so dp = phi(Phi^-1(p)) / sqrt(T - t) dW (pm-AMM, 2024): the closer the
 * end, the faster the price.
 */

import { normalCdf, normalDensity, normalQuantile } from '../../../shared/base/normal.js';

/** Volatility of the price per square root of a second at this many seconds before the end. Infinity at 0. */
export function newsSigma(p: number, secondsLeft: number): number {
  if (p <= 0 || p >= 1) return 0;
  return secondsLeft <= 0 ? Number.POSITIVE_INFINITY : normalDensity(normalQuantile(p)) / Math.sqrt(secondsLeft);
}

/**
 * Expected loss of a quote at distance `half` from fair when the price moves by a normal step of deviation `sigma`
 * before a refresh: E[(move - half)+] = s phi(h/s) - h (1 - Phi(h/s)), per share and side, in price.
 */
export function staleCost(half: number, sigma: number): number {
  if (sigma <= 0) return Math.max(0, -half);
  const z = half / sigma;
  return Math.max(0, sigma * normalDensity(z) - half * normalCdf(-z));
}
