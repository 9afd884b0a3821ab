/** Functions that turn prices into quotes, shared by several strategies. */

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

/** Tolerance for float errors where a price or a probability is compared with a limit. */
export const ROUNDING = 1e-9;

/** Converts a price in (0, 1) to millionths, never 0 or 1. */
export const toFairMicros = (price: number): Micros => micros(Math.min(ONE - 1, Math.max(1, Math.round(price * ONE))));

/** Sign of a side: +1 for a bid, -1 for an ask. */
export const getSign = (side: BookSide): 1 | -1 => (side === 'bid' ? 1 : -1);

/** Returns the less aggressive of two prices on a side. */
export const chooseFarther = (side: BookSide, a: number, b: number): number =>
  side === 'bid' ? Math.min(a, b) : Math.max(a, b);

/** Others' best price on a side; null when the side is empty. */
export function findBest({ others }: Pick<MarketView, 'others'>, side: BookSide): number | null {
  const level = (side === 'bid' ? others.bids : others.asks)[0];
  return level === undefined ? null : level.priceMicros / ONE;
}

/** Others' best price is the first level at which their cumulative shares reach this number, micros. */
export const DUST_MICROS = micros(5 * ONE);

/** The most aggressive price of a side that does not trade at once, from 0 to 1. */
export const passivePrice = ({ others, market }: MarketView, side: BookSide): number =>
  passiveLimit(others, side, market.tickMicros) / ONE;

/** Net position (YES minus NO) in shares, as a float. */
export const netShares = ({ inventory }: MarketView): number => inventory.netMicros / ONE;

/** Makes one level at this price, limited to the shares that the position limit allows. */
export function oneLevel(view: MarketView, side: BookSide, price: number, shares: number): readonly QuoteLevel[] {
  const levelShares = Math.min(shares, positionRoom(side, view) / ONE);
  return ladder({ side, price, stepTicks: 1, levels: 1, levelShares, totalShares: levelShares }, view.market);
}

/** Centre and distance of quotes, and how far quotes may improve others' best price. */
export interface Stand {
  /** Price that both sides are centred on. */
  readonly centre: number;
  /** Distance from the centre, in price. */
  readonly half: number;
  /** Maximum number of ticks by which a quote improves others' best price. */
  readonly improveTicks: number;
}

/** Price at the wanted distance that improves others' best price by no more than allowed and never trades at once. */
export function standingPrice(view: MarketView, side: BookSide, { centre, half, improveTicks }: Stand): number {
  const sign = getSign(side);
  const wanted = centre - sign * half;
  const best = findBest(view, side);
  const needed = best === null ? wanted : best + sign * improveTicks * (view.market.tickMicros / ONE);
  return chooseFarther(side, chooseFarther(side, wanted, needed), passivePrice(view, side));
}

/** Makes one level at the price that `standingPrice` returns. */
export const standing = (view: MarketView, side: BookSide, stand: Stand & { readonly shares: number }) =>
  oneLevel(view, side, standingPrice(view, side, stand), stand.shares);

/** True if a fill of this side would add to the position. */
export const isAdding = (view: MarketView, side: BookSide): boolean => getSign(side) * netShares(view) >= 0;

/** Maximum shares of a side at this fair price. Near 0 and 1, orders may only reduce the position. */
export const mostShares = (view: MarketView, side: BookSide, fair: number, least: number): number =>
  fair >= least && fair <= 1 - least ? Number.POSITIVE_INFINITY : Math.max(0, -getSign(side) * netShares(view));

/**
 * True if an order at this price would be more than `ticks` behind others' best price. A taker who reaches such an
 * order has moved the price there, and is usually informed.
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

/** A wanted price and number of shares, both not yet rounded to the market's grid. */
export interface Wish {
  readonly price: number;
  readonly shares: number;
}

/**
 * Converts wanted prices into levels of a side, best first. Prices are rounded away from the mid, and equal prices are
 * merged. A price that would trade at once is moved to one tick from others' best price. Amounts are limited by the
 * position limit. An amount below the market's minimum is added to the next worse level.
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
