/**
 * Quotes books with a large tick, where an order earns by its queue position and a resting order costs nothing. The
 * strategy compares others' best price, the price one tick better, and the next level behind; it quotes at the most
 * valuable. The strategy cancels its orders on a side when others leave that side.
 */

import {
  type BookSide,
  dearerFee,
  defineStrategy,
  type MarketView,
  micros,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  type QuoteLevel,
  type Quoter,
  type Quotes,
  reservationPrice,
  touch,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import {
  guardParams,
  integer,
  makeGuards,
  number,
  orderShares,
  postOnly,
  resizeFraction,
  riskAversion,
} from './common/params.js';
import { getSign, isAdding, netShares, oneLevel, showLevel, toFairMicros } from './common/quotes.js';
import { computeStaleSigma } from './common/stale.js';
import { type Place, placeValue, type SweepingTakers } from './touch/value.js';

const params = {
  order_shares: orderShares('25'),
  penny_min_spread_ticks: integer(
    'ticks',
    [2, 500_000],
    3,
    'Minimum spread of others at which the strategy also considers a price one tick better than their best price.',
  ),
  thin_fraction: number(
    'part',
    [0.01, 1],
    0.7,
    "The strategy cancels its quotes of a side if others remove at least this part of the side's best level between " +
      'two polls, without a change of the best price.',
  ),
  pull_s: number('s', [0, 3600], 5, 'Time for which the strategy does not quote a side that it has canceled.'),
  prior_sweep_ticks: number('ticks', [0, 500_000], 1.5, 'Assumed price move after a taker has taken a whole level.'),
  move_gain: number(
    'part',
    [0, 10],
    0.5,
    'Minimum relative gain in expected value for which an order moves to another price.',
  ),
  min_trades: integer(
    'trades',
    [1, 100],
    5,
    'Number of observed trades that is needed before the first quote, to estimate the size of takers.',
  ),
  risk_aversion: riskAversion,
  ...guardParams(60),
  post_only: postOnly,
  resize_fraction: resizeFraction,
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'touch-maker',
  summary:
    "For large ticks: quotes at others' best price, one tick better or one level behind it, by the value of the place in the queue.",
  params,
  create: (p) => new TouchMaker(p),
});

/** Others' best level of one side in the newest book. */
interface Touch {
  readonly priceMicros: number;
  readonly amountMicros: number;
}

type Sides<T> = Readonly<Record<BookSide, T>>;

class TouchMaker implements Quoter {
  readonly #params: Params;
  #last: Sides<Touch> | null = null;
  #pulledUntilMs: Record<BookSide, number> = { bid: 0, ask: 0 };

  constructor(p: Params) {
    this.#params = p;
  }

  quote(view: MarketView): Quotes {
    const p = this.#params;
    const best = touch(view.others);
    if (best !== null) this.#pullSides(best, view.nowMs);
    const blocked = whyNoQuotes(view, makeGuards(p));
    if (blocked !== null) return NO_QUOTES(blocked);
    if (best === null) return NO_QUOTES("a side of others' book is empty");
    const { trades, market } = view;
    const { meanTradeShares } = view.flow;
    if (meanTradeShares === null || trades.length < p.min_trades)
      return NO_QUOTES(`${trades.length} trades were observed, ${p.min_trades} are needed`);
    const takers = {
      meanShares: meanTradeShares,
      sweepMove: (p.prior_sweep_ticks * market.tickMicros) / ONE,
      staleSigma: computeStaleSigma(view),
    };
    return makeQuotes(view, takers, this.#pulledUntilMs, p);
  }

  /** Stops a side for `pull_s` if others leave its best level or move towards it: they may have information. */
  #pullSides(now: Sides<Touch>, nowMs: number): void {
    const last = this.#last;
    this.#last = now;
    if (last === null) return;
    for (const side of ['bid', 'ask'] as const) {
      const other = side === 'bid' ? 'ask' : 'bid';
      const isThinned =
        now[side].priceMicros === last[side].priceMicros &&
        now[side].amountMicros <= (1 - this.#params.thin_fraction) * last[side].amountMicros;
      const isPressed = getSign(side) * (now[other].priceMicros - last[other].priceMicros) < 0;
      if (isThinned || isPressed) this.#pulledUntilMs[side] = nowMs + this.#params.pull_s * 1000;
    }
  }
}

function makeQuotes(view: MarketView, takers: SweepingTakers, pulledUntilMs: Sides<number>, p: Params): Quotes {
  const mid = view.estimates.mid;
  if (mid === null) return NO_QUOTES('no mid price');
  const fair = reservationPrice(mid, p.risk_aversion, netShares(view));
  const factors: Record<string, number> = {
    fair_price: mid,
    reservation_price: fair,
    taker_shares: takers.meanShares,
    stale_sd_price: takers.staleSigma,
  };
  const chooseSide = (side: BookSide): { readonly levels: readonly QuoteLevel[]; readonly why: string } => {
    const isReducing = !isAdding(view, side);
    if (view.nowMs < pulledUntilMs[side] && !isReducing) return { levels: [], why: 'pulled' };
    const choice = bestPlace(view, side, fair, takers, p);
    factors[`${side}_value`] = choice.value;
    return choice.value > 0
      ? { levels: oneLevel(view, side, choice.price, p.order_shares / ONE), why: choice.name }
      : { levels: [], why: whyNothing(view, side, fair, takers, p) };
  };
  const [bid, ask] = [chooseSide('bid'), chooseSide('ask')];
  return {
    fairMicros: toFairMicros(mid),
    bids: bid.levels,
    asks: ask.levels,
    keepWithinTicks: 0,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    note: `bid ${showLevel(bid.levels)} (${bid.why}), ask ${showLevel(ask.levels)} (${ask.why}), mean taker order ${takers.meanShares.toFixed(1)} shares`,
    factors,
  };
}

interface Choice {
  readonly name: 'join' | 'penny' | 'stand back';
  readonly price: number;
  readonly value: number;
}

/** Returns the price with the highest value per taker. The value at own orders' prices is raised by `move_gain`. */
function bestPlace(view: MarketView, side: BookSide, fair: number, takers: SweepingTakers, p: Params): Choice {
  const order = p.order_shares / ONE;
  const choices = listPlaces(view, side, p).map(({ name, price, ...queue }): Choice => {
    const place: Place = { half: getSign(side) * (fair - price) - dearerFee(view.market, price), ...queue };
    return { name, price, value: placeValue(place, order, takers) };
  });
  const resting = new Set(view.orders.filter((own) => own.side === side).map(({ priceMicros }) => priceMicros));
  const weigh = ({ price, value }: Choice): number =>
    value > 0 && resting.has(micros(Math.round(price * ONE))) ? value * (1 + p.move_gain) : value;
  return choices.reduce((best, choice) => (weigh(choice) > weigh(best) ? choice : best));
}

/** Reason why no price level of a side has a positive value. */
function whyNothing(view: MarketView, side: BookSide, fair: number, takers: SweepingTakers, p: Params): string {
  const { value } = bestPlace(view, side, fair, { ...takers, staleSigma: 0 }, p);
  return value > 0 ? 'the price moves too far between two polls' : 'no price has a positive expected gain';
}

type Option = Omit<Place, 'half'> & Pick<Choice, 'name' | 'price'>;

function listPlaces(view: MarketView, side: BookSide, p: Params): readonly Option[] {
  const { others, market, estimates } = view;
  const [first, second] = side === 'bid' ? others.bids : others.asks;
  const tick = market.tickMicros;
  const atBest = (first?.priceMicros ?? 0) / ONE;
  const shares = (first?.amountMicros ?? 0) / ONE;
  const ahead = queueAhead(view, side, first?.priceMicros, shares);
  const places: Option[] = [{ name: 'join', price: atBest, ahead, behind: Math.max(0, shares - ahead) }];
  if (((estimates.spread ?? 0) * ONE) / tick > p.penny_min_spread_ticks - 0.5) {
    places.push({ name: 'penny', price: atBest + (getSign(side) * tick) / ONE, ahead: 0, behind: shares });
  }
  if (second !== undefined) {
    const there = second.amountMicros / ONE;
    const before = queueAhead(view, side, second.priceMicros, there);
    places.push({
      name: 'stand back',
      price: second.priceMicros / ONE,
      ahead: shares + before,
      behind: Math.max(0, there - before),
    });
  }
  return places;
}

/** Others' shares ahead at a price: all shares there, unless an own order already rests at that price. */
function queueAhead({ orders }: MarketView, side: BookSide, priceMicros: number | undefined, shares: number): number {
  const own = orders.find((order) => order.side === side && order.priceMicros === priceMicros);
  return Math.min(shares, (own?.queueAheadMicros ?? shares * ONE) / ONE);
}
