/**
 * Makes a market around the user's fair value from a feed. The value is averaged with others' book in log-odds,
 * weighted by precision. Without a current feed value the strategy does not quote.
 */

import {
  type BookSide,
  dearerFee,
  defineStrategy,
  type FeedView,
  ladder,
  type MarketView,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  type QuoteLevel,
  type Quotes,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import {
  halfSpreadTicks,
  improveTicks,
  makeGuards,
  maxGapSds,
  modelSdLogOdds,
  number,
  orderShares,
  standingParams,
} from './common/params.js';
import { getSign, netShares, showLevel, standingPrice, toFairMicros } from './common/quotes.js';
import { blend, type Estimate, estimateOfBook, estimateOfFeed, gapSds, kellyShares, toPrice } from './fair/blend.js';

const params = {
  feed: { kind: 'feed', default: 'model', help: "Name of the feed in the trader's file that gives the value of YES." },
  model_sd_log_odds: modelSdLogOdds,
  book_weight: {
    kind: 'choice',
    choices: ['auto', 'none'],
    default: 'auto',
    help: "`auto`: the fair price includes others' book, weighted by its precision. `none`: only the feed is used.",
  },
  max_gap_sds: maxGapSds,
  max_fair_age_s: number('s', [0.1, 86_400], 60, 'Maximum age of a feed value that the strategy quotes on.'),
  half_spread_ticks: halfSpreadTicks('the fair price'),
  min_edge_ticks: number('ticks', [0, 500_000], 1, 'Minimum expected gain per share of a fill, after its fee.'),
  improve_ticks: improveTicks,
  order_shares: orderShares('25'),
  kelly_fraction: number(
    'part',
    [0.001, 1],
    0.25,
    'Maximum position, as a fraction of the full Kelly position at the fair price.',
  ),
  min_fair_price: number(
    'price',
    [0, 0.5],
    0.02,
    'The strategy does not quote if the fair price is below this value or above 1 minus this value.',
  ),
  ...standingParams(60),
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'fair-maker',
  summary: 'Quotes around your own fair value from a feed. Does not quote without a current value.',
  params,
  create: (p) => ({ quote: (view) => quote(view, p) }),
});

function quote(view: MarketView, p: Params): Quotes {
  const blocked = whyNoQuotes(view, makeGuards(p));
  if (blocked !== null) return NO_QUOTES(blocked);
  const value = view.feeds[p.feed];
  if (value === undefined) return NO_QUOTES(`feed ${p.feed} has no current value for this market`);
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
      `feed and book are ${gap.toFixed(1)} standard deviations apart, at most ${p.max_gap_sds} are accepted`,
      factors,
    );
  }
  const blended = book === null || p.book_weight === 'none' ? model : blend(model, book);
  const fair = toPrice(blended);
  if (!(fair >= p.min_fair_price && fair <= 1 - p.min_fair_price && fair > 0 && fair < 1)) {
    return NO_QUOTES(`the fair price ${fair.toFixed(4)} is within ${p.min_fair_price} of 0 or 1`, factors);
  }
  return quotesAround(fair, blended, { view, value, p, factors });
}

interface Situation {
  readonly view: MarketView;
  readonly value: FeedView;
  readonly p: Params;
  readonly factors: Readonly<Record<string, number>>;
}

function quotesAround(fair: number, { variance }: Estimate, situation: Situation): Quotes {
  const { value, p, factors } = situation;
  const bids = quoteSide('bid', fair, situation);
  const asks = quoteSide('ask', fair, situation);
  return {
    fairMicros: toFairMicros(fair),
    bids,
    asks,
    keepWithinTicks: p.reprice_ticks,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    // When a feed value expires, its quotes are canceled at once, not only at the next book read.
    againMs: Math.min(value.validUntilMs ?? Number.MAX_SAFE_INTEGER, value.atMs + p.max_fair_age_s * 1000 + 1),
    note: `bid ${showLevel(bids)}, ask ${showLevel(asks)} around ${fair.toFixed(4)}, feed ${p.feed} ${(value.ageMs / 1000).toFixed(1)} s old`,
    factors: { ...factors, fair_price: fair, fair_sd_log_odds: Math.sqrt(variance) },
  };
}

/** Makes one quote per side. Its distance from the fair price covers the fee and the minimum edge. */
function quoteSide(side: BookSide, fair: number, { view, p }: Situation): readonly QuoteLevel[] {
  const { market, inventory, stance } = view;
  const tick = market.tickMicros / ONE;
  const wider = stance === 'widen' ? p.widen_factor : 1;
  const least = dearerFee(market, fair) + p.min_edge_ticks * tick;
  const half = wider * Math.max(p.half_spread_ticks * tick, least);
  const price = standingPrice(view, side, { centre: fair, half, improveTicks: p.improve_ticks });
  if (!(price > 0 && price < 1)) return [];
  const net = getSign(side) * netShares(view);
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
  const ofFeed = { feed_price: toPrice(model), feed_sd_log_odds: Math.sqrt(model.variance), feed_age_s: ageS };
  if (book === null) return ofFeed;
  return { ...ofFeed, book_price: toPrice(book), book_sd_log_odds: Math.sqrt(book.variance), gap_sds: gap };
}
