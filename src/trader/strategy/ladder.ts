/** Rounds a strategy's float prices and sizes to a market's tick, lot and limits. */

import { complement, type Micros, maxMicros, micros, ONE, toMultiple } from '../../shared/base/micros.js';
import type { Book, BookSide, MarketFacts, MarketView } from '../market/view.js';
import { MAX_LEVELS, type QuoteLevel } from './contract.js';

/** Lowest and highest YES price at which orders of both YES and NO are valid; null if no price is valid. */
export function priceRange(market: MarketFacts): { readonly low: Micros; readonly high: Micros } | null {
  const { tickMicros } = market;
  const lowest = maxMicros(tickMicros, maxMicros(market.minPriceMicros, complement(market.maxPriceMicros)));
  const low = toMultiple(lowest, tickMicros, 'ceil');
  const high = complement(low);
  return low <= high ? { low, high } : null;
}

/** The most aggressive price that does not trade at once: one tick before the opposite side's best price. */
export function passiveLimit(book: Book, side: BookSide, tickMicros: Micros): number {
  const opposite = side === 'bid' ? book.asks[0] : book.bids[0];
  if (opposite === undefined) return side === 'bid' ? ONE : 0;
  return side === 'bid' ? opposite.priceMicros - tickMicros : opposite.priceMicros + tickMicros;
}

/** Millionths of shares that a side may fill before the net position reaches its limit. Reduce-only: the limit is 0. */
export function positionRoom(side: BookSide, { inventory, stance }: Pick<MarketView, 'inventory' | 'stance'>): number {
  const net = side === 'bid' ? inventory.netMicros : -inventory.netMicros;
  return stance === 'reduce-only' ? Math.max(0, -net) : Math.max(0, inventory.maxPositionMicros - net);
}

/** Wanted levels of one side, before rounding to the market's tick, lot and limits. */
export interface LadderWish {
  readonly side: BookSide;
  /** Price of the side's best level, a float. This price is rounded to a tick, away from the mid. */
  readonly price: number;
  /** Distance between two neighbouring levels, ticks. */
  readonly stepTicks: number;
  readonly levels: number;
  readonly levelShares: number;
  /** Maximum shares of all the side's levels together. */
  readonly totalShares: number;
}

/** Converts wanted levels into valid ones. The ladder ends before the first level outside the market's limits. */
export function ladder(wish: LadderWish, market: MarketFacts): readonly QuoteLevel[] {
  const range = priceRange(market);
  const amount = Number.isFinite(wish.levelShares) ? amountOnLot(wish.levelShares, market) : null;
  if (range === null || amount === null || !Number.isFinite(wish.price)) return [];
  const { tickMicros } = market;
  const first = onTick(wish.side, wish.price, tickMicros);
  const step = Math.max(1, wish.stepTicks) * tickMicros * (wish.side === 'bid' ? -1 : 1);
  const result: QuoteLevel[] = [];
  let left = wish.totalShares;
  for (let i = 0; i < Math.min(wish.levels, MAX_LEVELS); i++) {
    const priceMicros = first + i * step;
    const amountMicros = amountOnLot(Math.min(left, amount / ONE), market);
    if (priceMicros < range.low || priceMicros > range.high || amountMicros === null) break;
    result.push({ priceMicros: micros(priceMicros), amountMicros });
    left -= amountMicros / ONE;
  }
  return result;
}

/** Rounds a float price to a tick, away from the mid. A tolerance for float errors keeps 0.42 from becoming 0.41. */
export function onTick(side: BookSide, price: number, tickMicros: Micros): Micros {
  const value = Math.max(-1, Math.min(2, price)) * ONE;
  const whole = side === 'bid' ? Math.floor(value + FLOAT_NOISE) : Math.ceil(value - FLOAT_NOISE);
  return toMultiple(micros(whole), tickMicros, side === 'bid' ? 'floor' : 'ceil');
}

/** Tolerance for float errors in prices and sizes, in millionths. */
const FLOAT_NOISE = 1e-4;

/** Rounds shares down to a valid order amount; null below the market's minimum amount. */
export function amountOnLot(shares: number, market: MarketFacts): Micros | null {
  const wanted = Math.floor(Math.max(0, shares) * ONE + FLOAT_NOISE);
  const amount = toMultiple(micros(Math.min(wanted, market.maxAmountMicros)), market.lotMicros, 'floor');
  return amount > 0 && amount >= market.minAmountMicros ? amount : null;
}

/** Conditions under which a strategy does not quote. */
export interface GuardSetting {
  /** Maximum age of the book for quoting, ms. */
  readonly maxBookAgeMs: number;
  /** Pause of quoting after a price jump, ms. */
  readonly jumpPauseMs: number;
  /** Time before the market's resolution at which quoting stops, ms. */
  readonly haltBeforeMs: number;
}

/** Reason why this market must not be quoted now, in one sentence; null if quoting is allowed. */
export function whyNoQuotes(view: MarketView, setting: GuardSetting): string | null {
  const { health, market, timeToResolutionMs } = view;
  if (market.phase !== 'open') return `the market is ${market.phase}, not open`;
  if (health.crossed || health.locked) return 'the book is crossed or locked, so it is old or wrong';
  if (health.frozen) return 'the book is frozen: it does not change although trades pass its best prices';
  if (health.bookAgeMs > setting.maxBookAgeMs)
    return `the book is ${health.bookAgeMs} ms old, at most ${setting.maxBookAgeMs} ms are accepted`;
  if (health.sinceJumpMs !== null && health.sinceJumpMs < setting.jumpPauseMs)
    return `the price jumped ${health.sinceJumpMs} ms ago, quoting pauses for ${setting.jumpPauseMs} ms`;
  if (timeToResolutionMs !== null && timeToResolutionMs <= setting.haltBeforeMs) {
    const seconds = Math.round(timeToResolutionMs / 1000);
    return `the market resolves in ${seconds} s, quoting stops ${setting.haltBeforeMs / 1000} s before that`;
  }
  return null;
}
