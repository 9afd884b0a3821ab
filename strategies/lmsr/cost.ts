/** Computes a maker's quotes from Hanson's logarithmic market scoring rule. */

import { logit, sigmoid } from '../../src/trader/strategy/strategy.js';
import type { Wish } from '../common/quotes.js';

/**
 * Depth b of the rule, in shares, at which it loses at most `lossBudget`, in currency. The loss is b ln(1 / p) for an
 * outcome with prior p, so the less likely outcome determines the depth.
 */
export const computeDepth = (lossBudget: number, prior: number): number =>
  lossBudget / -Math.log(Math.min(prior, 1 - prior));

/** Maximum loss of the rule if YES wins, and if NO wins; currency. */
export const worstLosses = (depth: number, prior: number): { readonly yes: number; readonly no: number } => ({
  yes: -depth * Math.log(prior),
  no: -depth * Math.log(1 - prior),
});

/** The rule's price after the maker has bought this many shares since the start. Sold shares are negative. */
export const priceAt = (depth: number, prior: number, bought: number): number => sigmoid(logit(prior) - bought / depth);

/**
 * Asks from the first tick above this price, ascending. Each ask offers the shares that the rule would sell up to the
 * ask's price minus the margin. No share is therefore sold below the rule's price.
 *
 * @param tick in price
 * @param vig margin in log-odds
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
