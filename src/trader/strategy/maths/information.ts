/**
 * Protection against takers who know more (Glosten and Milgrom 1985, for a binary asset): when a part `informed` of
 * the takers knows the outcome and the rest flips a coin, quotes without loss lie L = ln((1 + a) / (1 - a)) from the
 * fair log-odds, whatever the price.
 */

import { logit, sigmoid } from './log-odds.js';

/** L for a fraction of informed takers in [0, 1). */
export const informedHalfSpread = (informed: number): number => Math.log1p(informed) - Math.log1p(-informed);

/** Zero-profit quotes around p. */
export function informedQuotes(p: number, informed: number): { bid: number; ask: number } {
  const x = logit(p);
  const half = informedHalfSpread(informed);
  return { bid: sigmoid(x - half), ask: sigmoid(x + half) };
}

/** Fraction of informed takers whose trades move a fair price by this much on average: a = move / (2 p (1-p)). */
export function informedFromMove(p: number, move: number): number {
  const slope = p * (1 - p);
  return slope <= 0 ? 0 : Math.min(MAX_INFORMED, Math.max(0, move / (2 * slope)));
}

/** Maximum: beyond it the model of noise traders does not apply. */
const MAX_INFORMED = 0.9;
