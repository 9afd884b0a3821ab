/**
 * Makes a market around the user's fair value from a feed, blended with others' book in log-odds by precision. Without
 * a current feed value it does not quote.
 */

import {
  type BookSide,
  dearerFee,
  defineStrategy,
  type FeedView,
  ladder,
  type MarketView,
  micros,
  NO_QUOTES,
  ONE,
  passiveLimit,
  type QuoteLevel,
  type Quotes,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import { makeGuards } from './common/params.js';
import { blend, type Estimate, estimateOfBook, estimateOfFeed, gapSds, kellyShares, toPrice } from './fair/blend.js';
import { type FairParams, params } from './fair/params.js';

export default defineStrategy({
  name: 'fair-maker',
  summary: 'Quotes around your own fair value from a feed. Does not quote without a current value.',
  params,
  create: (p) => ({ quote: (view) => quote(view, p) }),
});

function quote(view: MarketView, p: FairParams): Quotes {
  const blocked = whyNoQuotes(view, makeGuards(p));
  if (blocked !== null) return NO_QUOTES(blocked);
  const value = view.feeds[p.feed];
  if (value === undefined) return NO_QUOTES(`feed ${p.feed} says nothing current of this market`);
  const ageS = value.ageMs / 1000;
  if (!(ageS <= p.max_fair_age_s)) {
    return NO_QUOTES(
      `the value of feed ${p.feed} is ${Math.round(ageS)} s old, at most ${p.max_fair_age_s} s are accepted`,
    );
  }
  const model = estimateOfFeed(value, p.model_sd_log_odds, view.estimates.sigmaLogOddsPerSqrtS);
  const book = estimateOfBook(view);
  const gap = book === null ? 0 : gapSds(model, book);
  const factors = makeFactors(model, book, gap, ageS);
  if (gap > p.max_gap_sds) {
    return NO_QUOTES(
      `feed and book are ${gap.toFixed(1)} deviations apart, at most ${p.max_gap_sds} are accepted`,
      factors,
    );
  }
  const believed = book === null || p.book_weight === 'none' ? model : blend(model, book);
  const fair = toPrice(believed);
  if (!(fair >= p.min_fair_price && fair <= 1 - p.min_fair_price && fair > 0 && fair < 1)) {
    return NO_QUOTES(`the blended price ${fair.toFixed(4)} is within ${p.min_fair_price} of the end`, factors);
  }
  return quotesAround(fair, believed, { view, value, p, factors });
}

interface Situation {
  readonly view: MarketView;
  readonly value: FeedView;
  readonly p: FairParams;
  readonly factors: Readonly<Record<string, number>>;
}

function quotesAround(fair: number, { variance }: Estimate, situation: Situation): Quotes {
  const { value, p, factors } = situation;
  const bids = quoteSide('bid', fair, situation);
  const asks = quoteSide('ask', fair, situation);
  const showBest = ([level]: readonly QuoteLevel[]) =>
    level === undefined ? 'none' : (level.priceMicros / ONE).toFixed(4);
  return {
    fairMicros: micros(Math.min(ONE - 1, Math.max(1, Math.round(fair * ONE)))),
    bids,
    asks,
    keepWithinTicks: p.reprice_ticks,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    // When a value expires, its quotes are canceled at once, not at the next book.
    againMs: Math.min(value.validUntilMs ?? Number.MAX_SAFE_INTEGER, value.atMs + p.max_fair_age_s * 1000 + 1),
    note: `bid ${showBest(bids)}, ask ${showBest(asks)} around ${fair.toFixed(4)}, feed ${p.feed} ${(value.ageMs / 1000).toFixed(1)} s old`,
    factors: { ...factors, fair_price: fair, fair_sd_log_odds: Math.sqrt(variance) },
  };
}

/** One quote per side: far enough to pay its fee, no better than needed, no larger than the estimate's Kelly size. */
function quoteSide(side: BookSide, fair: number, { view, p }: Situation): readonly QuoteLevel[] {
  const { market, inventory, others, stance } = view;
  const tick = market.tickMicros / ONE;
  const sign = side === 'bid' ? 1 : -1;
  const wider = stance === 'widen' ? p.widen_factor : 1;
  const least = dearerFee(market, fair) + p.min_edge_ticks * tick;
  const wanted = fair - sign * wider * Math.max(p.half_spread_ticks * tick, least);
  const passive = passiveLimit(others, side, market.tickMicros) / ONE;
  const best = (side === 'bid' ? others.bids : others.asks)[0]?.priceMicros;
  const needed = best === undefined ? wanted : best / ONE + sign * p.improve_ticks * tick;
  const price = side === 'bid' ? Math.min(wanted, passive, needed) : Math.max(wanted, passive, needed);
  if (!(price > 0 && price < 1)) return [];
  const net = (sign * inventory.netMicros) / ONE;
  const reducible = Math.max(0, -net);
  const wealth = (inventory.availableFundsMicros + inventory.yesMicros * fair + inventory.noMicros * (1 - fair)) / ONE;
  const worth = Math.abs(kellyShares(p.kelly_fraction, wealth, fair, price));
  const most = Math.min(inventory.maxPositionMicros / ONE, worth) - net;
  const totalShares = stance === 'reduce-only' ? reducible : Math.max(reducible, most);
  const levelShares = Math.min(p.order_shares / ONE, totalShares);
  return ladder({ side, price, stepTicks: 1, levels: 1, levelShares, totalShares }, market);
}

function makeFactors(
  model: Estimate,
  book: Estimate | null,
  gap: number,
  ageS: number,
): Readonly<Record<string, number>> {
  const told = { feed_price: toPrice(model), feed_sd_log_odds: Math.sqrt(model.variance), feed_age_s: ageS };
  if (book === null) return told;
  return { ...told, book_price: toPrice(book), book_sd_log_odds: Math.sqrt(book.variance), gap_sds: gap };
}
