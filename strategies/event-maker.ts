/**
 * Quotes the outcomes of an event, of which at most one comes true. Each outcome's price is evidence on all the others, so that
 * a book that was not looked at for long is corrected by those that were; what is held in one outcome shifts the quotes of
 * all; and own bids never add up to what must pay one, nor own asks to less.
 */

import {
  type BookSide,
  dearerFee,
  defineStrategy,
  type EventView,
  eventReservationPrices,
  type MarketView,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  type QuoteLevel,
  type Quotes,
  type SiblingView,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import {
  halfSpreadTicks,
  improveTicks,
  jumpPauseS,
  makeGuards,
  minFairPrice,
  orderShares,
  riskAversion,
  standingParams,
} from './common/params.js';
import { findBest, getSign, mayQuote, netShares, showLevel, standing, toFairMicros } from './common/quotes.js';
import { addingUp, bookVariance, type Reading } from './event/outcomes.js';

const params = {
  max_sum_error: {
    kind: 'number',
    unit: 'price',
    min: 0,
    max: 1,
    default: 0.08,
    help: 'Nothing is quoted where the middles of all outcomes are together further from one than this (above one, where none may come true).',
  },
  max_sibling_age_ms: {
    kind: 'integer',
    unit: 'ms',
    min: 100,
    max: 3_600_000,
    default: 120_000,
    help: 'Oldest book of another outcome that still says anything.',
  },
  half_spread_ticks: halfSpreadTicks('the price that it is centred on'),
  uncertainty_sds: {
    kind: 'number',
    unit: 'standard deviations',
    min: 0,
    max: 10,
    default: 1,
    help: 'So many deviations of what the outcomes together leave open are the half-spread, if that is more.',
  },
  sum_edge: {
    kind: 'number',
    unit: 'price',
    min: 0,
    max: 1,
    default: 0.01,
    help: 'Own bids in all outcomes add up to at most one less this, own asks to at least one and this.',
  },
  improve_ticks: improveTicks,
  order_shares: orderShares('25'),
  risk_aversion: riskAversion,
  min_fair_price: minFairPrice('this price'),
  ...standingParams(60),
  jump_pause_s: {
    ...jumpPauseS,
    help: 'Stay out after a jump; wider by widen_factor as long after one in another outcome.',
  },
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'event-maker',
  summary: 'Quotes exclusive outcomes of an event by what all of them say together, with one position over all.',
  params,
  inputs: { event: true },
  create: (p) => ({ quote: (view) => quote(view, p) }),
});

function quote(view: MarketView, p: Params): Quotes {
  const blocked = whyNoQuotes(view, makeGuards(p));
  if (blocked !== null) return NO_QUOTES(blocked);
  const { event } = view;
  if (event === null) return NO_QUOTES('the market belongs to no event');
  if (event.outcomes === null)
    return NO_QUOTES(
      "nobody has said what its event's outcomes exclude: declare it under `events` of the trader's file",
    );
  const own = ownReading(view);
  if (own === null) return NO_QUOTES("others' book has not two sides");
  const readings = [own];
  for (const sibling of event.siblings) {
    const reading = siblingReading(sibling, p);
    if (reading === null) return NO_QUOTES(`another outcome, ${sibling.conditionId}, has no book to go by`);
    readings.push(reading);
  }
  const isWhole = event.outcomes === 'exhaustive' && event.markets === readings.length;
  if (event.outcomes === 'exhaustive' && !isWhole)
    return NO_QUOTES(`${readings.length} of the event's ${event.markets} markets are looked at, all are wanted`);
  return quotesFor(view, event, readings, isWhole, p);
}

function ownReading(view: MarketView): Reading | null {
  const [bid, ask] = [findBest(view, 'bid'), findBest(view, 'ask')];
  if (bid === null || ask === null) return null;
  const mid = (bid + ask) / 2;
  const { estimates, health } = view;
  return { mid, variance: bookVariance({ mid, spread: ask - bid }, estimates.sigmaLogOddsPerSqrtS, health.bookAgeMs) };
}

function siblingReading(
  { mid, bid, ask, bookAgeMs, sigmaLogOddsPerSqrtS, isSound }: SiblingView,
  p: Params,
): Reading | null {
  if (mid === null || bid === null || ask === null || bookAgeMs === null || !isSound) return null;
  if (!(bookAgeMs <= p.max_sibling_age_ms)) return null;
  return { mid, variance: bookVariance({ mid, spread: ask - bid }, sigmaLogOddsPerSqrtS, bookAgeMs) };
}

function quotesFor(
  view: MarketView,
  event: EventView,
  readings: readonly Reading[],
  isWhole: boolean,
  p: Params,
): Quotes {
  const sum = readings.reduce((all, { mid }) => all + mid, 0);
  const error = isWhole ? Math.abs(sum - 1) : Math.max(0, sum - 1);
  const factors = { outcomes: readings.length, sum_price: sum };
  if (error > p.max_sum_error)
    return NO_QUOTES(`the outcomes add up to ${sum.toFixed(4)}, at most ${p.max_sum_error} off is quoted`, factors);
  const together = isWhole || sum > 1 ? addingUp(readings) : readings;
  const [first] = together;
  const fair = first?.mid ?? 0;
  if (!(fair > 0 && fair < 1)) return NO_QUOTES('what the others say leaves nothing between 0 and 1', factors);
  const sd = Math.sqrt(first?.variance ?? 0);
  return quotesAround(view, event, { fair, sd, centre: computeCentre(view, event, together, p), factors }, isWhole, p);
}

/** Its price to one who holds what is held in all outcomes: the risk of the event, not of the market. */
function computeCentre(view: MarketView, event: EventView, together: readonly Reading[], p: Params): number {
  const prices = together.map(({ mid }) => Math.min(1, Math.max(1e-6, mid)));
  const net = [netShares(view), ...event.siblings.map(({ netMicros }) => netMicros / ONE)];
  // That none comes true is an outcome too, in which nothing is held.
  const none = 1 - prices.reduce((all, price) => all + price, 0);
  const [all, held] =
    none > 1e-6
      ? [
          [...prices, none],
          [...net, 0],
        ]
      : [prices, net];
  return eventReservationPrices(all, p.risk_aversion, held)[0] ?? 0;
}

interface Situation {
  readonly fair: number;
  readonly sd: number;
  readonly centre: number;
  readonly factors: Readonly<Record<string, number>>;
}

function quotesAround(view: MarketView, event: EventView, situation: Situation, isWhole: boolean, p: Params): Quotes {
  const { fair, sd, centre, factors } = situation;
  const jumped = event.siblings.some(({ sinceJumpMs }) => sinceJumpMs !== null && sinceJumpMs < p.jump_pause_s * 1000);
  const wider = view.stance === 'widen' || jumped ? p.widen_factor : 1;
  const tick = view.market.tickMicros / ONE;
  const half = wider * Math.max(p.half_spread_ticks * tick, p.uncertainty_sds * sd) + dearerFee(view.market, fair);
  const [most, least] = [computeBound('bid', event, isWhole, p), computeBound('ask', event, isWhole, p)];
  const bids = quoteSide('bid', view, { fair, centre, half }, most, p);
  const asks = quoteSide('ask', view, { fair, centre, half }, least, p);
  return {
    fairMicros: toFairMicros(fair),
    bids,
    asks,
    // What stays a tick off would break the sum that it is held to.
    keepWithinTicks: centre - half > most || centre + half < least ? 0 : p.reprice_ticks,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    note: `bid ${showLevel(bids)}, ask ${showLevel(asks)} around ${centre.toFixed(4)}, ${fair.toFixed(4)} by all outcomes${jumped ? ', wider after a jump in another' : ''}`,
    factors: { ...factors, fair_price: fair, fair_sd_price: sd, reservation_price: centre, half_spread_price: half },
  };
}

/** The most that a bid may be, or the least that an ask may be, beside our own in the other outcomes. */
function computeBound(side: BookSide, { siblings }: EventView, isWhole: boolean, p: Params): number {
  if (side === 'bid') {
    const bids = siblings.reduce((sum, { ownBidMicros }) => sum + (ownBidMicros ?? 0), 0);
    return 1 - p.sum_edge - bids / ONE;
  }
  // Somebody who buys every outcome of ours holds what pays one; without an ask in each of them nobody can.
  if (!isWhole || siblings.some(({ ownAskMicros }) => ownAskMicros === null)) return 0;
  const asks = siblings.reduce((sum, { ownAskMicros }) => sum + (ownAskMicros ?? 0), 0);
  return 1 + p.sum_edge - asks / ONE;
}

interface Around {
  readonly fair: number;
  readonly centre: number;
  readonly half: number;
}

function quoteSide(side: BookSide, view: MarketView, { fair, centre, half }: Around, bound: number, p: Params) {
  if (!mayQuote(view, side, fair, p.min_fair_price)) return NO_LEVELS;
  const wanted = centre - getSign(side) * half;
  const held = side === 'bid' ? Math.min(wanted, bound) : Math.max(wanted, bound);
  const stand = { centre: held, half: 0, improveTicks: p.improve_ticks, shares: p.order_shares / ONE };
  return standing(view, side, stand);
}

const NO_LEVELS: readonly QuoteLevel[] = [];
