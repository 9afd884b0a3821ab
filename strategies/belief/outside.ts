/**
 * Applies evidence from outside a market's own book: the user's value from a feed, and the prices of the event's other
 * outcomes. Feed and other outcomes repeat their values in every market view. Outside values are applied to a copy of
 * the belief, so that each value counts only once.
 */

import type { FeedView, MarketView, SiblingView } from '../../src/trader/strategy/strategy.js';
import { bookVariance } from '../event/outcomes.js';
import { estimateOfBook, estimateOfFeed, gapSds } from '../fair/blend.js';
import type { Grid } from './grid.js';

/** Parameters of belief-maker for its feed. */
export interface FeedRules {
  /** Name of the feed; empty: no feed. */
  readonly feed: string;
  /** Assumed standard deviation of a feed value without a stated one, log-odds. */
  readonly model_sd_log_odds: number;
  readonly max_gap_sds: number;
}

/** Reason why the feed in the parameters prevents quotes; null when quotes are allowed. */
export function whyNoFeed(view: MarketView, rules: FeedRules): string | null {
  if (rules.feed === '') return null;
  const value = view.feeds[rules.feed];
  if (value === undefined) return `feed ${rules.feed} has no current value for this market`;
  const book = estimateOfBook(view);
  if (book === null) return null;
  const gap = gapSds(readFeed(value, rules, view), book);
  return gap > rules.max_gap_sds
    ? `feed ${rules.feed} and book are ${gap.toFixed(1)} standard deviations apart, at most ${rules.max_gap_sds} are accepted`
    : null;
}

/** Applies the feed and the other outcomes to a belief. Returns the applied values as text, for `explain`. */
export function weighByOutside(grid: Grid, view: MarketView, rules: FeedRules): string {
  const said: string[] = [];
  const value = view.feeds[rules.feed];
  if (value !== undefined) {
    const { x, variance } = readFeed(value, rules, view);
    grid.weighByLogOdds(x, Math.sqrt(variance));
    said.push(`feed ${rules.feed} gives ${(1 / (1 + Math.exp(-x))).toFixed(4)}`);
  }
  const rest = readOthers(view);
  if (rest !== null) {
    grid.weighByPrice(rest.says, rest.price, rest.deviation);
    said.push(`the other outcomes imply a price of ${rest.says === 'is' ? '' : 'at most '}${rest.price.toFixed(4)}`);
  }
  return said.join(', ');
}

const readFeed = (value: FeedView, rules: FeedRules, { estimates }: MarketView) =>
  estimateOfFeed(value, rules.model_sd_log_odds, estimates.sigmaLogOddsPerSqrtS);

interface Rest {
  readonly says: 'is' | 'is at most';
  readonly price: number;
  readonly deviation: number;
}

/**
 * Returns 1 minus the prices of the other exclusive outcomes; event-maker's rule gives the error. Null if the trader's
 * file declares neither `exclusive` nor `exhaustive`, or if a price of an exhaustive event is missing.
 */
function readOthers({ event }: MarketView): Rest | null {
  if (event === null || (event.outcomes !== 'exhaustive' && event.outcomes !== 'exclusive')) return null;
  const isExhaustive = event.outcomes === 'exhaustive';
  let [sum, variance, known] = [0, 0, 0];
  for (const sibling of event.siblings) {
    const reading = readSibling(sibling);
    if (reading === null) continue;
    sum += reading.mid;
    variance += reading.variance;
    known++;
  }
  if (known === 0 || (isExhaustive && known + 1 !== event.markets)) return null;
  return { says: isExhaustive ? 'is' : 'is at most', price: 1 - sum, deviation: Math.sqrt(variance) };
}

/** Price of another outcome from its own book; null unless that book is sound and has both sides. */
function readSibling({ mid, bid, ask, bookAgeMs, sigmaLogOddsPerSqrtS, isSound }: SiblingView) {
  if (!isSound || mid === null || bid === null || ask === null || bookAgeMs === null || bookAgeMs < 0) return null;
  return { mid, variance: bookVariance({ mid, spread: ask - bid }, sigmaLogOddsPerSqrtS, bookAgeMs) };
}
