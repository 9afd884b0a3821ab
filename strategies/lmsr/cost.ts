/** Hanson's logarithmic market scoring rule as a maker's quotes: how deep, and how much between two prices. */

import { logit, sigmoid } from '../../src/trader/strategy/strategy.js';
import type { Wish } from '../common/quotes.js';

/**
 * Depth b, in shares, at which the rule loses at most this much, whatever is traded: its loss is b ln(1 / p) for the outcome
 * that comes, p being its prior, so the less likely one counts.
 */
export const computeDepth = (lossBudget: number, prior: number): number =>
  lossBudget / -Math.log(Math.min(prior, 1 - prior));

/** Maximum loss of the rule if YES comes true, and if NO does. */
export const worstLosses = (depth: number, prior: number): { readonly yes: number; readonly no: number } => ({
  yes: -depth * Math.log(prior),
  no: -depth * Math.log(1 - prior),
});

/** Price after this many shares bought (below 0: sold) since the prior. */
export const priceAt = (depth: number, prior: number, bought: number): number => sigmoid(logit(prior) - bought / depth);

/**
 * Asks of a maker at this price, ascending from the first tick above it: at each as many shares as the rule would have
 * sold by then at that price less the vig. Sold so, no share brings less than the rule asks.
 *
 * @param tick in price
 * @param vig in log-odds
 */
export function asksAbove(
  price: number,
  { depth, vig, tick, step, levels }: { depth: number; vig: number; tick: number; step: number; levels: number },
): readonly Wish[] {
  const wishes: Wish[] = [];
  let from = logit(price);
  const first = Math.ceil(sigmoid(from + vig) / tick - 1e-9);
  for (let level = 0; level < levels; level++) {
    const at = (first + level * step) * tick;
    if (!(at < 1)) break;
    const to = logit(at) - vig;
    wishes.push({ price: at, shares: Math.max(0, depth * (to - from)) });
    from = Math.max(from, to);
  }
  return wishes;
}
