/**
 * Reduces a position over a set time, as passively as the plan allows. Ahead of the plan, orders rest at others' best
 * price; behind the plan, they rest one tick better. Far behind the plan, or near its end, the strategy takes others'
 * orders, but not below the floor price. The strategy never adds to the position.
 */

import {
  amountOnLot,
  type BookSide,
  defineStrategy,
  findBeyondDust,
  type MarketView,
  micros,
  NO_QUOTES,
  ONE,
  onTick,
  type ParamsOf,
  type QuoteLevel,
  type Quoter,
  type Quotes,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import { guardParams, makeGuards, number, orderShares, repriceTicks, resizeFraction, shares } from './common/params.js';
import {
  chooseFarther,
  DUST_MICROS,
  findBest,
  getSign,
  levelsFrom,
  netShares,
  passivePrice,
  showLevel,
  toFairMicros,
} from './common/quotes.js';
import { chooseManner, type Manner, type Plan, passedPart, plannedShares, savedPlan } from './unwinder/plan.js';

const params = {
  horizon_s: number(
    's',
    [1, 1e7],
    3600,
    'Time over which the position is reduced, from its first observation. A market that ends earlier shortens this time.',
  ),
  urgency: number(
    'times',
    [0, 10],
    2,
    'Speed of the early sales. 0 sells evenly over time; a larger value sells more at the beginning.',
  ),
  keep_shares: shares(['0', '1000000'], '0', 'Number of shares that remain at the end of the plan.'),
  floor_price: number(
    'price',
    [0, 0.999999],
    0,
    "Minimum sale price of a held share, YES or NO. At 0 there is no floor, and others' orders are never taken.",
  ),
  lag_fraction: number(
    'part',
    [0, 1],
    0.1,
    "Lag behind the plan, as a fraction of the position, above which the order is one tick better than others' best price. Above a lag of 0.3 others' orders are taken if floor_price is set.",
  ),
  max_take_fraction: number('part', [0, 1], 0.3, "Maximum fraction of others' best level that is taken at once."),
  order_shares: orderShares('25'),
  ...guardParams(10),
  reprice_ticks: { ...repriceTicks, default: 0 },
  resize_fraction: resizeFraction,
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'unwinder',
  summary:
    "Only reduces a position to a target over a set time. Orders rest while time allows; others' orders are taken only when the plan falls behind.",
  params,
  takes: true,
  state: { version: 1 },
  create: (p, _, saved) => new Unwinder(p, savedPlan(saved)),
});

class Unwinder implements Quoter {
  readonly #params: Params;
  #plan: Plan | null;

  constructor(p: Params, plan: Plan | null) {
    this.#params = p;
    this.#plan = plan;
  }

  save(): unknown {
    return { plan: this.#plan };
  }

  quote(view: MarketView): Quotes {
    const p = this.#params;
    const left = Math.max(0, Math.abs(netShares(view)) - p.keep_shares / ONE);
    this.#plan = planFor(view, left, this.#plan, p);
    const blocked = whyNoQuotes(view, makeGuards(p));
    if (blocked !== null) return NO_QUOTES(blocked);
    if (this.#plan === null || left === 0) return NO_QUOTES('no shares are left to sell');
    return reduce(view, left, this.#plan, p);
  }
}

/** Returns the plan to follow. A larger position, or one of the other side, or one after a finished plan gets a new one. */
function planFor(view: MarketView, left: number, plan: Plan | null, p: Params): Plan | null {
  if (left === 0) return null;
  const sign = netShares(view) > 0 ? 1 : -1;
  const { nowMs, timeToResolutionMs, market } = view;
  const leastOrder = Math.max(market.lotMicros, market.minAmountMicros) / ONE;
  // A rest below the minimum order cannot be sold, so it finishes the plan.
  const isFinished = plan !== null && plan.lowest < leastOrder && left >= plan.lowest + leastOrder;
  if (plan !== null && plan.sign === sign && left <= plan.shares && !isFinished)
    return { ...plan, lowest: Math.min(plan.lowest, left) };
  const untilEndMs = timeToResolutionMs === null ? Infinity : timeToResolutionMs - p.halt_before_s * 1000;
  const forMs = Math.max(0, Math.min(p.horizon_s * 1000, untilEndMs));
  return { sign, shares: left, lowest: left, fromMs: nowMs, forMs };
}

function reduce(view: MarketView, left: number, plan: Plan, p: Params): Quotes {
  const passed = passedPart(plan, view.nowMs);
  const planned = plannedShares(plan.shares, p.urgency, passed);
  const lag = (left - planned) / plan.shares;
  const manner = p.floor_price > 0 ? chooseManner(lag, passed, p.lag_fraction) : restingManner(lag, p);
  const side: BookSide = plan.sign > 0 ? 'ask' : 'bid';
  const taken = manner === 'take' ? takingLevel(view, side, left, p) : [];
  const levels = taken.length > 0 ? taken : restingLevel(view, side, left, manner, p);
  const doing = taken.length > 0 ? 'take' : manner === 'rest' ? 'rest' : 'improve';
  const factors = { left_shares: left, planned_shares: planned, lag_part: lag, passed_part: passed };
  if (levels.length === 0) return NO_QUOTES(`no valid order at or above the floor for ${left} shares`, factors);
  return {
    fairMicros: toFairMicros(chooseFair(view, levels)),
    bids: side === 'bid' ? levels : [],
    asks: side === 'ask' ? levels : [],
    keepWithinTicks: p.reprice_ticks,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: taken.length === 0,
    note: `${doing} at ${showLevel(levels)}: ${left} shares left to sell, ${planned.toFixed(2)} planned`,
    factors,
  };
}

/** Returns how to trade at this lag behind the plan if there is no floor price: others' orders are never taken. */
const restingManner = (lag: number, p: Params): Manner => (lag > p.lag_fraction ? 'improve' : 'rest');

const chooseFair = ({ estimates }: MarketView, [level]: readonly QuoteLevel[]): number =>
  estimates.microprice ?? (level?.priceMicros ?? ONE / 2) / ONE;

/** Worst YES price that the floor price allows on a side. To sell a NO share for f is to buy a YES share for 1 - f. */
const toYesFloor = (side: BookSide, floor: number): number => (side === 'ask' ? floor : 1 - floor);

function restingLevel(
  view: MarketView,
  side: BookSide,
  left: number,
  manner: Manner,
  p: Params,
): readonly QuoteLevel[] {
  const tick = view.market.tickMicros / ONE;
  // Very small orders must not lead our price down the spread.
  const [best] = findBeyondDust(side === 'bid' ? view.others.bids : view.others.asks, DUST_MICROS);
  const touch = best === undefined ? (findBest(view, side) ?? passivePrice(view, side)) : best.priceMicros / ONE;
  const wanted = manner === 'rest' ? touch : touch + getSign(side) * tick;
  const price = chooseFarther(
    side,
    chooseFarther(side, wanted, passivePrice(view, side)),
    toYesFloor(side, p.floor_price),
  );
  return levelsFrom(view, side, [{ price, shares: Math.min(left, p.order_shares / ONE) }]);
}

/** Level that trades at once with others' best order. The engine sells shares, or buys the other outcome and merges. */
function takingLevel(view: MarketView, side: BookSide, left: number, p: Params): readonly QuoteLevel[] {
  const { market, others } = view;
  const level = (side === 'ask' ? others.bids : others.asks)[0];
  if (level === undefined) return [];
  const price = level.priceMicros / ONE;
  if (getSign(side) * (price - toYesFloor(side, p.floor_price)) > 0) return [];
  const shares = Math.min(left, p.order_shares / ONE, (p.max_take_fraction * level.amountMicros) / ONE);
  const amountMicros = amountOnLot(shares, market);
  if (amountMicros === null || onTick(side, price, market.tickMicros) !== level.priceMicros) return [];
  return [{ priceMicros: micros(level.priceMicros), amountMicros }];
}
