/**
 * Quotes all outcomes of an event together. Each outcome's price is evidence about the others, so newly read books
 * correct older ones. Shares held in one outcome shift the quotes of all outcomes. Own prices are limited so that no
 * taker can trade all outcomes for a sure gain.
 */

import {
  type BookSide,
  dearerFee,
  defineStrategy,
  type EventFacts,
  type MarketOfEvent,
  type MarketView,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  type QuoteLevel,
  type Quotes,
  type StrategyEvent,
  type WholeEventView,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import {
  halfSpreadTicks,
  improveTicks,
  integer,
  makeGuards,
  minFairPrice,
  number,
  orderShares,
  readEachTurn,
  riskAversion,
  standingParams,
} from './common/params.js';
import {
  chooseFarther,
  findBest,
  getSign,
  mostShares,
  netShares,
  showLevel,
  standing,
  toFairMicros,
} from './common/quotes.js';
import { type EventEstimate, estimateEvent } from './event/estimate.js';
import { bookVariance, type Reading } from './event/outcomes.js';
import { holdOwnPrices } from './event/sums.js';

const widenS = { kind: 'number', unit: 's', min: 0, max: 86_400, default: 0 } as const;

const params = readEachTurn({
  max_sum_error: number(
    'price',
    [0, 1],
    0.08,
    "The event is not quoted if the sum of its outcomes' mid prices differs from one by more than this. Exclusive outcomes: only a sum above one counts. Nested outcomes: a mid may exceed that of a wider threshold by at most this.",
  ),
  max_sibling_age_ms: integer(
    'ms',
    [100, 3_600_000],
    120_000,
    "Maximum age of an outcome's book that is used for the event's prices.",
  ),
  min_known: number(
    'part',
    [0, 1],
    0.8,
    'The event is not quoted if outcomes with a usable book have less than this fraction of the probability. For nested outcomes, the fraction counts outcomes, not probability.',
  ),
  half_spread_ticks: halfSpreadTicks('the price that it is centred on'),
  uncertainty_sds: number(
    'standard deviations',
    [0, 10],
    1,
    "Minimum half-spread, in standard deviations of the fair price that is estimated from all outcomes' books.",
  ),
  sum_edge: number(
    'price',
    [0, 1],
    0.01,
    'Own bids sum to at most one minus this. If every outcome of an exhaustive event has a usable book, own asks sum to at least one plus this. Nested outcomes have, in place of both sums, a minimum distance of a bid below the ask of a wider threshold.',
  ),
  improve_ticks: improveTicks,
  order_shares: orderShares('25'),
  risk_aversion: riskAversion,
  min_fair_price: minFairPrice('the fair price'),
  ...standingParams(60),
  jump_widen_s: {
    ...widenS,
    help: 'Time for which all quotes are wider by `widen_factor` after a price jump in any outcome. 0: never.',
  },
  fill_widen_s: {
    ...widenS,
    help: 'Time for which all quotes are wider by `widen_factor` after an own fill in any outcome. 0: never.',
  },
});

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'event-maker',
  summary: 'Quotes all outcomes of an event, with prices from all their books and one position over all outcomes.',
  scope: 'event',
  params,
  state: { version: 1 },
  create: (made, event, saved) => {
    const lastFill = new LastFill(saved);
    let p = made;
    return {
      quote: (view) => quoteEvent(view, event, lastFill, p),
      observe: (fill) => lastFill.observe(fill),
      save: () => lastFill.save(),
      params: (next) => {
        p = next;
      },
    };
  },
});

/** Time of the newest own fill in any outcome of an event. The taker of such a fill may know about all outcomes. */
class LastFill {
  /** Time of the newest own fill, our clock, ms; null before the first fill. */
  #atMs: number | null;

  /** @param saved result of `save` in an earlier run; any other value starts without a fill */
  constructor(saved: unknown) {
    const isSaved = typeof saved === 'object' && saved !== null && 'filledMs' in saved;
    this.#atMs = isSaved && typeof saved.filledMs === 'number' ? saved.filledMs : null;
  }

  observe({ kind, nowMs }: StrategyEvent): void {
    if (kind === 'fill') this.#atMs = nowMs;
  }

  /** True if the newest fill is younger than `ms`; false after our clock was set back. */
  isWithin(ms: number, nowMs: number): boolean {
    return this.#atMs !== null && nowMs >= this.#atMs && nowMs - this.#atMs < ms;
  }

  save(): { readonly filledMs: number | null } {
    return { filledMs: this.#atMs };
  }
}

type EventQuotes = Readonly<Record<string, Quotes>>;

function quoteEvent(view: WholeEventView, event: EventFacts, lastFill: LastFill, p: Params): EventQuotes {
  const { markets } = view;
  if (event.outcomes === null)
    return silence(markets, "the event's outcomes are not declared: declare them under `events` of the trader's file");
  const undeclared = markets.find(({ view: { market } }) => !isDeclared(market.conditionId, event));
  if (undeclared !== undefined)
    return silence(markets, `${undeclared.view.market.conditionId} is not one of the markets declared for the event`);
  const closing = markets.find(({ view: { market } }) => market.phase !== 'open')?.view.market;
  if (closing !== undefined) return silence(markets, `outcome ${closing.conditionId} is ${closing.phase}`);
  const readings = markets.map((market) => readMarket(market.view, p));
  const unseen = view.unseen.length;
  const mids = markets.map((market) => market.view.estimates.mid);
  const net = markets.map((market) => netShares(market.view));
  const estimate = estimateEvent(event.outcomes, { readings, mids, unseen, net }, p);
  if (typeof estimate === 'string') return silence(markets, estimate);
  const isAlarmed =
    lastFill.isWithin(p.fill_widen_s * 1000, view.nowMs) || markets.some((market) => hasJumped(market.view, p));
  return quoteMarkets(markets, event.outcomes, { ...estimate, isAlarmed }, p);
}

/** The estimated prices, and whether a recent fill or jump widens all quotes. */
interface Estimate extends EventEstimate {
  readonly isAlarmed: boolean;
}

/** True if the event's declaration in the configuration names this market, or names no markets. */
const isDeclared = (conditionId: string, { marketConditionIds }: EventFacts): boolean =>
  marketConditionIds.length === 0 || marketConditionIds.includes(conditionId);

const silence = (markets: readonly MarketOfEvent[], why: string): EventQuotes =>
  Object.fromEntries(markets.map(({ view }) => [view.market.conditionId, NO_QUOTES(why)]));

/** Price of an outcome from its own book; null if the book is old, crossed or frozen, or has an empty side. */
function readMarket(view: MarketView, p: Params): Reading | null {
  const [bid, ask] = [findBest(view, 'bid'), findBest(view, 'ask')];
  const { estimates, health } = view;
  if (bid === null || ask === null || health.crossed || health.frozen) return null;
  if (!(health.bookAgeMs >= 0 && health.bookAgeMs <= p.max_sibling_age_ms)) return null;
  const mid = (bid + ask) / 2;
  return { mid, variance: bookVariance({ mid, spread: ask - bid }, estimates.sigmaLogOddsPerSqrtS, health.bookAgeMs) };
}

/** Intermediate result in the computation of one market's quotes. */
interface Plan {
  readonly view: MarketView;
  /** Reason why the market has no quotes; null if it may have quotes. */
  readonly blocked: string | null;
  readonly fair: number;
  /** Standard deviation of the fair price, in price. */
  readonly sd: number;
  readonly centre: number;
  readonly half: number;
}

function quoteMarkets(
  markets: readonly MarketOfEvent[],
  outcomes: NonNullable<EventFacts['outcomes']>,
  estimate: Estimate,
  p: Params,
): EventQuotes {
  const plans = markets.map((market, index) => planMarket(market, index, estimate, p));
  const own = (side: BookSide) =>
    plans.map((plan) => ({ resting: findResting(plan.view, side), wanted: wantedPrice(plan, side, p) }));
  const limits = { edge: p.sum_edge, isWhole: estimate.isWhole };
  const held = holdOwnPrices(outcomes, { bids: own('bid'), asks: own('ask') }, limits);
  return Object.fromEntries(
    plans.map((plan, index) => {
      const prices = { bid: held.bids[index] ?? null, ask: held.asks[index] ?? null };
      return [plan.view.market.conditionId, quotesOf(plan, prices, estimate, p)];
    }),
  );
}

function planMarket({ view }: MarketOfEvent, index: number, estimate: Estimate, p: Params): Plan {
  const known = estimate.outcomes[index] ?? null;
  if (known === null) {
    const blocked = whyNoQuotes(view, makeGuards(p)) ?? 'its own book is not usable';
    return { view, blocked, fair: 0, sd: 0, centre: 0, half: 0 };
  }
  const { mid: fair, centre } = known;
  const sd = Math.sqrt(known.variance);
  const isOdd = !(fair > 0 && fair < 1);
  const blocked = isOdd
    ? 'the prices of the other outcomes leave no price between 0 and 1'
    : whyNoQuotes(view, makeGuards(p));
  const wider = view.stance === 'widen' || estimate.isAlarmed ? p.widen_factor : 1;
  const tick = view.market.tickMicros / ONE;
  const half = wider * Math.max(p.half_spread_ticks * tick, p.uncertainty_sds * sd) + dearerFee(view.market, fair);
  return { view, blocked, fair, sd, centre, half };
}

const hasJumped = ({ health: { sinceJumpMs } }: MarketView, p: Params): boolean =>
  sinceJumpMs !== null && sinceJumpMs < p.jump_widen_s * 1000;

function wantedPrice(plan: Plan, side: BookSide, p: Params): number | null {
  const [level] = quoteSide(plan, side, null, p);
  return level === undefined ? null : level.priceMicros / ONE;
}

/** Price of the resting or pending order nearest to the mid; null without one. */
function findResting({ orders }: MarketView, side: BookSide): number | null {
  const prices = orders.filter((order) => order.side === side).map(({ priceMicros }) => priceMicros / ONE);
  if (prices.length === 0) return null;
  return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
}

/** @param bound allowed price nearest to the mid; null for no bound */
function quoteSide(plan: Plan, side: BookSide, bound: number | null, p: Params): readonly QuoteLevel[] {
  const { view, blocked, fair, centre, half } = plan;
  if (blocked !== null) return [];
  const wanted = centre - getSign(side) * half;
  const centred = bound === null ? wanted : chooseFarther(side, wanted, bound);
  return standing(view, side, {
    centre: centred,
    half: 0,
    improveTicks: p.improve_ticks,
    shares: Math.min(p.order_shares / ONE, mostShares(view, side, fair, p.min_fair_price)),
  });
}

function quotesOf(
  plan: Plan,
  prices: { readonly bid: number | null; readonly ask: number | null },
  { factors }: EventEstimate,
  p: Params,
): Quotes {
  const { blocked, fair, sd, centre, half } = plan;
  if (blocked !== null) return NO_QUOTES(blocked, factors);
  const bids = prices.bid === null ? [] : quoteSide(plan, 'bid', prices.bid, p);
  const asks = prices.ask === null ? [] : quoteSide(plan, 'ask', prices.ask, p);
  return {
    fairMicros: toFairMicros(fair),
    bids,
    asks,
    keepWithinTicks: p.reprice_ticks,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    note: `bid ${showLevel(bids)}, ask ${showLevel(asks)} around ${centre.toFixed(4)}, fair price from all outcomes ${fair.toFixed(4)}`,
    factors: {
      ...factors,
      fair_price: fair,
      fair_sd_price: sd,
      reservation_price: centre,
      half_spread_price: half,
    },
  };
}
