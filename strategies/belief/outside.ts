/**
 * Evidence about a price beside its own book: the user's value from a feed, and the prices of the event's other outcomes.
 * Both sources repeat their value at every turn. The strategy applies them to a copy of the belief, so that each value counts once.
 */

import type { FeedView, MarketView, SiblingView } from '../../src/trader/strategy/strategy.js';
import { bookVariance } from '../event/outcomes.js';
import { estimateOfBook, estimateOfFeed, gapSds } from '../fair/blend.js';
import type { Grid } from './grid.js';

/** Parameters of belief-maker for its feed. */
export interface FeedRules {
  /** Name of the feed; empty: no feed. */
  readonly feed: string;
  /** Error of a feed value without its own deviation, log-odds. */
  readonly model_sd_log_odds: number;
  readonly max_gap_sds: number;
}

/** Why nothing may be quoted: a named feed is required. Null when quotes are allowed. */
export function whyNoFeed(view: MarketView, rules: FeedRules): string | null {
  if (rules.feed === '') return null;
  const value = view.feeds[rules.feed];
  if (value === undefined) return `feed ${rules.feed} says nothing current of this market`;
  const book = estimateOfBook(view);
  if (book === null) return null;
  const gap = gapSds(readFeed(value, rules, view), book);
  return gap > rules.max_gap_sds
    ? `feed ${rules.feed} and book are ${gap.toFixed(1)} deviations apart, at most ${rules.max_gap_sds} are accepted`
    : null;
}

/** Weighs a belief by its feed and the other outcomes. Returns their values in words, for `explain`. */
export function weighByOutside(grid: Grid, view: MarketView, rules: FeedRules): string {
  const said: string[] = [];
  const value = view.feeds[rules.feed];
  if (value !== undefined) {
    const { x, variance } = readFeed(value, rules, view);
    grid.weighByLogOdds(x, Math.sqrt(variance));
    said.push(`feed ${rules.feed} says ${(1 / (1 + Math.exp(-x))).toFixed(4)}`);
  }
  const rest = readOthers(view);
  if (rest !== null) {
    grid.weighByPrice(rest.says, rest.price, rest.deviation);
    said.push(`the other outcomes leave it ${rest.says === 'is' ? '' : 'at most '}${rest.price.toFixed(4)}`);
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
 * 1 minus the prices of the other exclusive outcomes, with event-maker's rule for the error. Null when the trader's file
 * declares nothing about the event, or when a price of an exhaustive one is missing.
 */
function readOthers({ event }: MarketView): Rest | null {
  if (event === null || (event.outcomes !== 'exhaustive' && event.outcomes !== 'exclusive')) return null;
  const isExhaustive = event.outcomes === 'exhaustive';
  let [sum, variance, known] = [0, 0, 0];
  for (const sibling of event.siblings) {
    const told = readSibling(sibling);
    if (told === null) continue;
    sum += told.mid;
    variance += told.variance;
    known++;
  }
  if (known === 0 || (isExhaustive && known + 1 !== event.markets)) return null;
  return { says: isExhaustive ? 'is' : 'is at most', price: 1 - sum, deviation: Math.sqrt(variance) };
}

/** Null without a sound, two-sided book. */
function readSibling({ mid, bid, ask, bookAgeMs, sigmaLogOddsPerSqrtS, isSound }: SiblingView) {
  if (!isSound || mid === null || bid === null || ask === null || bookAgeMs === null || bookAgeMs < 0) return null;
  return { mid, variance: bookVariance({ mid, spread: ask - bid }, sigmaLogOddsPerSqrtS, bookAgeMs) };
}
