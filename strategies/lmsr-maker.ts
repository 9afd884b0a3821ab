/**
 * Quotes an empty market with a known maximum loss. Quoted prices follow a logarithmic market scoring rule around a
 * prior, plus a margin per side. Only own fills move the price.
 */

import {
  defineStrategy,
  type MarketView,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  type Quoter,
  type Quotes,
  touch,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import { guardParams, integer, makeGuards, number, postOnly, widenFactor } from './common/params.js';
import { levelsFrom, netShares, showLevel, toFairMicros } from './common/quotes.js';
import { asksAbove, computeDepth, priceAt, worstLosses } from './lmsr/cost.js';

const params = {
  prior_price: number(
    'price',
    [0.001, 0.999],
    0.5,
    'Value of YES before the first trade. Set your own value in each strategy file.',
  ),
  loss_budget: number(
    'currency',
    [0.01, 1_000_000],
    20,
    'Maximum loss in one market, before fees. The maximum loss determines the size of the quotes.',
  ),
  vig_log_odds: number(
    'log-odds',
    [0, 5],
    0.08,
    'Margin on each side of the price. At a price of 0.50, 0.08 in log-odds is 0.02 in price.',
  ),
  levels: integer('levels', [1, 10], 3, 'Number of price levels on each side.'),
  level_step_ticks: integer('ticks', [1, 500_000], 2, 'Distance between neighbouring price levels of a side.'),
  yield_to_others_ticks: integer(
    'ticks',
    [0, 500_000],
    4,
    "The strategy does not quote if others' spread is at most this wide, because the market already has a book.",
  ),
  widen_factor: { ...widenFactor, help: 'Factor that multiplies the margin while the trader is in mode `widened`.' },
  ...guardParams(60, 0),
  post_only: postOnly,
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'lmsr-maker',
  summary: 'Quotes markets without a book, with a known maximum loss (a logarithmic market scoring rule).',
  params,
  state: { version: 1 },
  create: (p, _, saved) => new LmsrMaker(p, savedStart(saved)),
});

function savedStart(saved: unknown): number | null {
  if (typeof saved !== 'object' || saved === null || !('startShares' in saved)) return null;
  return typeof saved.startShares === 'number' ? saved.startShares : null;
}

class LmsrMaker implements Quoter {
  readonly #params: Params;
  /** Net position at the start, shares; null before the first view. These shares do not move the rule's price. */
  #startShares: number | null;

  constructor(p: Params, startShares: number | null) {
    this.#params = p;
    this.#startShares = startShares;
  }

  save(): unknown {
    return { startShares: this.#startShares };
  }

  quote(view: MarketView): Quotes {
    const p = this.#params;
    this.#startShares ??= netShares(view);
    const blocked = whyNoQuotes(view, makeGuards(p)) ?? whyYield(view, p);
    if (blocked !== null) return NO_QUOTES(blocked);
    return makeQuotes(view, netShares(view) - this.#startShares, p);
  }
}

function whyYield({ others, market }: MarketView, p: Params): string | null {
  const best = touch(others);
  if (best === null) return null;
  const ticks = (best.ask.priceMicros - best.bid.priceMicros) / market.tickMicros;
  return ticks > p.yield_to_others_ticks
    ? null
    : `the spread of others is ${ticks} ticks, yield_to_others_ticks is ${p.yield_to_others_ticks}`;
}

function makeQuotes(view: MarketView, bought: number, p: Params): Quotes {
  const depth = computeDepth(p.loss_budget, p.prior_price);
  const price = priceAt(depth, p.prior_price, bought);
  const worst = worstLosses(depth, p.prior_price);
  const factors = {
    price,
    depth_shares: depth,
    bought_shares: bought,
    worst_loss_yes: worst.yes,
    worst_loss_no: worst.no,
  };
  if (!(price > 0 && price < 1)) return NO_QUOTES('the computed price is 0 or 1', factors);
  const vig = p.vig_log_odds * (view.stance === 'widen' ? p.widen_factor : 1);
  const rule = { depth, vig, tick: view.market.tickMicros / ONE, step: p.level_step_ticks, levels: p.levels };
  const bids = levelsFrom(
    view,
    'bid',
    // A bid for YES is an ask of NO.
    asksAbove(1 - price, rule).map(({ price: no, shares }) => ({ price: 1 - no, shares })),
  );
  const asks = levelsFrom(view, 'ask', asksAbove(price, rule));
  if (bids.length + asks.length === 0) return NO_QUOTES('every level is below the minimum order size', factors);
  return {
    fairMicros: toFairMicros(price),
    bids,
    asks,
    // The maximum loss is guaranteed only if every order has exactly the computed price and size.
    keepWithinTicks: 0,
    keepWithinSizeFraction: 0,
    postOnly: p.post_only,
    note: `bid ${showLevel(bids)}, ask ${showLevel(asks)} around ${price.toFixed(4)} after ${bought} shares bought`,
    factors,
  };
}
