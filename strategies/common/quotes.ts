/** Steps that several strategies take on their way from a price to quotes. */

import {
  amountOnLot,
  type BookSide,
  ladder,
  MAX_LEVELS,
  type MarketView,
  type Micros,
  micros,
  ONE,
  onTick,
  passiveLimit,
  positionRoom,
  priceRange,
  type QuoteLevel,
} from '../../src/trader/strategy/strategy.js';

/** A price in (0, 1) in millionths, never 0 or 1. */
export const toFairMicros = (price: number): Micros => micros(Math.min(ONE - 1, Math.max(1, Math.round(price * ONE))));

/** +1 for a bid. */
export const getSign = (side: BookSide): 1 | -1 => (side === 'bid' ? 1 : -1);

/** The one of two prices of a side that is further from the middle. */
export const chooseFarther = (side: BookSide, a: number, b: number): number =>
  side === 'bid' ? Math.min(a, b) : Math.max(a, b);

/** Best price of others on a side; null where it is empty. */
export function findBest({ others }: Pick<MarketView, 'others'>, side: BookSide): number | null {
  const level = (side === 'bid' ? others.bids : others.asks)[0];
  return level === undefined ? null : level.priceMicros / ONE;
}

/** The most aggressive price of a side that does not trade at once, in price. */
export const passivePrice = ({ others, market }: MarketView, side: BookSide): number =>
  passiveLimit(others, side, market.tickMicros) / ONE;

/** YES less NO as a strategy's arithmetic wants it, in shares. */
export const netShares = ({ inventory }: MarketView): number => inventory.netMicros / ONE;

/** One level of a side at this price, no larger than the position has room for. */
export function oneLevel(view: MarketView, side: BookSide, price: number, shares: number): readonly QuoteLevel[] {
  const levelShares = Math.min(shares, positionRoom(side, view) / ONE);
  return ladder({ side, price, stepTicks: 1, levels: 1, levelShares, totalShares: levelShares }, view.market);
}

/** Price of a side without others, and its distance rules to others. */
export interface Stand {
  /** The price that both sides are centred on. */
  readonly centre: number;
  /** Distance from it, in price. */
  readonly half: number;
  /** Maximum ticks by which a quote improves the best of others. */
  readonly improveTicks: number;
  readonly shares: number;
}

/** One level at that distance: no better than others make it needed, and never one that would trade at once. */
export function standing(view: MarketView, side: BookSide, stand: Stand): readonly QuoteLevel[] {
  const sign = getSign(side);
  const tick = view.market.tickMicros / ONE;
  const wanted = stand.centre - sign * stand.half;
  const best = findBest(view, side);
  const needed = best === null ? wanted : best + sign * stand.improveTicks * tick;
  const price = chooseFarther(side, chooseFarther(side, wanted, needed), passivePrice(view, side));
  return oneLevel(view, side, price, stand.shares);
}

/** Whether a fill of this side would add to the position. */
export const isAdding = (view: MarketView, side: BookSide): boolean => getSign(side) * netShares(view) >= 0;

/** Whether a side may be quoted at this fair price: near 0 and 1 only what reduces the position. */
export const mayQuote = (view: MarketView, side: BookSide, fair: number, least: number): boolean =>
  !isAdding(view, side) || (fair >= least && fair <= 1 - least);

/**
 * Whether an order at this price would be more than this many ticks behind the best of others. Uninformed takers stop at the best,
 * so a taker who reaches an order behind it has moved the price there, and is mostly informed.
 */
export function isBehind(
  side: BookSide,
  price: number,
  best: number | null,
  ticks: number,
  tickMicros: Micros,
): boolean {
  if (best === null) return false;
  const bestMicros = Math.round(best * ONE);
  return getSign(side) * (bestMicros - onTick(side, price, tickMicros)) > ticks * tickMicros;
}

/** This many shares at this price, any price. */
export interface Wish {
  readonly price: number;
  readonly shares: number;
}

/**
 * Levels of a side from wishes of any price, best first: rounded away from the middle onto the tick, one step back from others
 * where they would trade at once, merged where they meet, cut to the room of the position. An amount below
 * an order's minimum goes to the level behind it, which has no better price.
 */
export function levelsFrom(view: MarketView, side: BookSide, wishes: readonly Wish[]): readonly QuoteLevel[] {
  const { market } = view;
  const range = priceRange(market);
  if (range === null) return [];
  const shares = new Map<Micros, number>();
  for (const wish of wishes) {
    const price = chooseFarther(side, wish.price, passivePrice(view, side));
    const at = onTick(side, price, market.tickMicros);
    if (at < range.low || at > range.high) continue;
    shares.set(at, (shares.get(at) ?? 0) + wish.shares);
  }
  const sorted = [...shares].sort(([a], [b]) => getSign(side) * (b - a));
  const levels: QuoteLevel[] = [];
  let room = positionRoom(side, view) / ONE;
  let carried = 0;
  for (const [priceMicros, wanted] of sorted) {
    const amountMicros = amountOnLot(Math.min(room, wanted + carried), market);
    if (amountMicros === null) {
      carried += wanted;
      continue;
    }
    levels.push({ priceMicros, amountMicros });
    carried += wanted - amountMicros / ONE;
    room -= amountMicros / ONE;
  }
  return levels.slice(0, MAX_LEVELS);
}

export const showLevel = ([level]: readonly QuoteLevel[]): string =>
  level === undefined ? 'none' : (level.priceMicros / ONE).toFixed(4);
