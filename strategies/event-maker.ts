/**
 * Quotes all outcomes of an event together. Each outcome's price is evidence on the others, so newly read books correct
 * older ones. Holdings of one outcome shift the quotes of all. Own bids never sum to more than the certain payment of
 * one, nor own asks to less, so no taker can trade all for a sure gain.
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
  mayQuote,
  netShares,
  showLevel,
  standing,
  toFairMicros,
} from './common/quotes.js';
import { believe, type EventBelief } from './event/belief.js';
import { LastFill } from './event/last-fill.js';
import { bookVariance, type Reading } from './event/outcomes.js';
import { holdOwnPrices, type OwnPrices } from './event/sums.js';

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
    'The event is not quoted if outcomes with a usable book have less than this fraction of the probability. For nested outcomes it is a fraction of their number.',
  ),
  half_spread_ticks: halfSpreadTicks('the price that it is centred on'),
  uncertainty_sds: number(
    'standard deviations',
    [0, 10],
    1,
    "Minimum half-spread, in standard deviations of the price that remain after all outcomes' books are combined.",
  ),
  sum_edge: number(
    'price',
    [0, 1],
    0.01,
    'Own bids sum to at most one minus this, and own asks to at least one plus this. Nested outcomes: minimum distance of a bid below the ask of a wider threshold.',
  ),
  improve_ticks: improveTicks,
  order_shares: orderShares('25'),
  risk_aversion: riskAversion,
  min_fair_price: minFairPrice('the fair price'),
  ...standingParams(60),
  jump_widen_s: {
    ...widenS,
    help: 'Time after a price jump in any outcome for which all quotes are wider by `widen_factor`. 0: never.',
  },
  fill_widen_s: {
    ...widenS,
    help: 'Time after an own fill in any outcome for which all quotes are wider by `widen_factor`. 0: never.',
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

type EventQuotes = Readonly<Record<string, Quotes>>;

function quoteEvent(view: WholeEventView, event: EventFacts, lastFill: LastFill, p: Params): EventQuotes {
  const { markets } = view;
  if (event.outcomes === null)
    return silence(
      markets,
      "nobody has said what its event's outcomes exclude: declare it under `events` of the trader's file",
    );
  const undeclared = markets.find(({ view: { market } }) => !isDeclared(market.conditionId, event));
  if (undeclared !== undefined)
    return silence(
      markets,
      `${undeclared.view.market.conditionId} is none of the markets that are declared of the event`,
    );
  const closing = markets.find(({ view: { market } }) => market.phase !== 'open')?.view.market;
  if (closing !== undefined) return silence(markets, `an outcome, ${closing.conditionId}, is ${closing.phase}`);
  const readings = markets.map((market) => readMarket(market.view, p));
  const unseen = view.unseen.length;
  const belief = believe(event.outcomes, { readings, mids: markets.map(lastMid), unseen, net: markets.map(netOf) }, p);
  if (typeof belief === 'string') return silence(markets, belief);
  const isAlarmed =
    lastFill.isWithin(p.fill_widen_s * 1000, view.nowMs) || markets.some((market) => hasJumped(market.view, p));
  return quoteMarkets(markets, event.outcomes, { ...belief, isAlarmed }, p);
}

/** The estimated prices, and whether a recent fill or jump widens all quotes. */
interface Belief extends EventBelief {
  readonly isAlarmed: boolean;
}

/** True when the event's declaration names this market, or names no markets. */
const isDeclared = (conditionId: string, { marketConditionIds }: EventFacts): boolean =>
  marketConditionIds.length === 0 || marketConditionIds.includes(conditionId);

const silence = (markets: readonly MarketOfEvent[], why: string): EventQuotes =>
  Object.fromEntries(markets.map(({ view }) => [view.market.conditionId, NO_QUOTES(why)]));

const netOf = ({ view }: MarketOfEvent): number => netShares(view);
const lastMid = ({ view }: MarketOfEvent): number | null => view.estimates.mid;

/** Price of an outcome by its own book; null without two sides, or when the book is old or broken. */
function readMarket(view: MarketView, p: Params): Reading | null {
  const [bid, ask] = [findBest(view, 'bid'), findBest(view, 'ask')];
  const { estimates, health } = view;
  if (bid === null || ask === null || health.crossed || health.frozen) return null;
  if (!(health.bookAgeMs >= 0 && health.bookAgeMs <= p.max_sibling_age_ms)) return null;
  const mid = (bid + ask) / 2;
  return { mid, variance: bookVariance({ mid, spread: ask - bid }, estimates.sigmaLogOddsPerSqrtS, health.bookAgeMs) };
}

/** Intermediate state of one market's quotes. */
interface Plan {
  readonly view: MarketView;
  /** Why the market has no quotes; null when it has some. */
  readonly blocked: string | null;
  readonly fair: number;
  readonly sd: number;
  readonly centre: number;
  readonly half: number;
}

function quoteMarkets(
  markets: readonly MarketOfEvent[],
  outcomes: NonNullable<EventFacts['outcomes']>,
  belief: Belief,
  p: Params,
): EventQuotes {
  const plans = markets.map((market, index) => planMarket(market, index, belief, p));
  const own: OwnPrices = {
    bids: plans.map((plan) => ({ resting: findResting(plan.view, 'bid'), wanted: wantedPrice(plan, 'bid', p) })),
    asks: plans.map((plan) => ({ resting: findResting(plan.view, 'ask'), wanted: wantedPrice(plan, 'ask', p) })),
  };
  const held = holdOwnPrices(outcomes, own, { edge: p.sum_edge, isWhole: belief.isWhole });
  const said = plans.map((plan, index): [string, Quotes] => {
    const prices = { bid: held.bids[index] ?? null, ask: held.asks[index] ?? null };
    return [plan.view.market.conditionId, quotesOf(plan, prices, belief, p)];
  });
  return Object.fromEntries(said);
}

function planMarket({ view }: MarketOfEvent, index: number, belief: Belief, p: Params): Plan {
  const known = belief.outcomes[index] ?? null;
  if (known === null) {
    const blocked = whyNoQuotes(view, makeGuards(p)) ?? 'its own book is none to go by';
    return { view, blocked, fair: 0, sd: 0, centre: 0, half: 0 };
  }
  const { mid: fair, centre } = known;
  const sd = Math.sqrt(known.variance);
  const isOdd = !(fair > 0 && fair < 1);
  const blocked = isOdd ? 'what the others say leaves nothing between 0 and 1' : whyNoQuotes(view, makeGuards(p));
  const wider = view.stance === 'widen' || belief.isAlarmed ? p.widen_factor : 1;
  const tick = view.market.tickMicros / ONE;
  const half = wider * Math.max(p.half_spread_ticks * tick, p.uncertainty_sds * sd) + dearerFee(view.market, fair);
  return { view, blocked, fair, sd, centre, half };
}

const hasJumped = ({ health: { sinceJumpMs } }: MarketView, p: Params): boolean =>
  sinceJumpMs !== null && sinceJumpMs < p.jump_widen_s * 1000;

function wantedPrice(plan: Plan, side: BookSide, p: Params): number | null {
  const [level] = quoteSide(plan, side, Number.NaN, p);
  return level === undefined ? null : level.priceMicros / ONE;
}

/** Resting or pending order nearest to the mid; null without one. */
function findResting({ orders }: MarketView, side: BookSide): number | null {
  const prices = orders.filter((order) => order.side === side).map(({ priceMicros }) => priceMicros / ONE);
  if (prices.length === 0) return null;
  return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
}

/** @param bound nearest allowed price to the mid; NaN for none */
function quoteSide(plan: Plan, side: BookSide, bound: number, p: Params): readonly QuoteLevel[] {
  const { view, blocked, fair, centre, half } = plan;
  if (blocked !== null || !mayQuote(view, side, fair, p.min_fair_price)) return NO_LEVELS;
  const wanted = centre - getSign(side) * half;
  const held = Number.isNaN(bound) ? wanted : chooseFarther(side, wanted, bound);
  return standing(view, side, { centre: held, half: 0, improveTicks: p.improve_ticks, shares: p.order_shares / ONE });
}

function quotesOf(
  plan: Plan,
  prices: { readonly bid: number | null; readonly ask: number | null },
  belief: EventBelief,
  p: Params,
): Quotes {
  const { blocked, fair, sd, centre, half } = plan;
  if (blocked !== null) return NO_QUOTES(blocked, belief.factors);
  const bids = prices.bid === null ? NO_LEVELS : quoteSide(plan, 'bid', prices.bid, p);
  const asks = prices.ask === null ? NO_LEVELS : quoteSide(plan, 'ask', prices.ask, p);
  return {
    fairMicros: toFairMicros(fair),
    bids,
    asks,
    keepWithinTicks: p.reprice_ticks,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    note: `bid ${showLevel(bids)}, ask ${showLevel(asks)} around ${centre.toFixed(4)}, ${fair.toFixed(4)} by all outcomes`,
    factors: {
      ...belief.factors,
      fair_price: fair,
      fair_sd_price: sd,
      reservation_price: centre,
      half_spread_price: half,
    },
  };
}

const NO_LEVELS: readonly QuoteLevel[] = [];
