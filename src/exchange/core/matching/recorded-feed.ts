/**
 * Where recorded events enter the exchange: one by one, or many of one market in one call, which is what a backtest spends
 * its time on. Many do what one by one does; only the cost of a call each is gone, and what an event cannot see (the clock,
 * what is due) is looked at when it matters. Nothing is allocated for an event.
 */

import { EVENT, type EventChunk } from '../../../recording/contract.js';
import { ONE } from '../../../shared/base/micros.js';
import type { BookSide } from '../contract.js';
import type { CoreContext } from '../core-context.js';
import type { Market, Trading } from '../market.js';
import { f64, i32, u8 } from '../typed-arrays.js';
import type { Matching } from './matching.js';

/** One market's events in time order, as columns. Prices and amounts in Micros. */
export type RecordedColumns = EventChunk;

const OFF_GRID = -1;

/** Plays recorded events into the books of their markets. */
export class RecordedFeed {
  /** Events of the last `play` that the market had no place for: off its grid, or a trade while it does not trade. */
  refused = 0;

  readonly #context: CoreContext;
  readonly #matching: Matching;
  readonly #reach: (nowMs: number) => void;

  /** `reach` does what is due by a time and moves the clock there. */
  constructor(context: CoreContext, matching: Matching, reach: (nowMs: number) => void) {
    this.#context = context;
    this.#matching = matching;
    this.#reach = reach;
  }

  /** A level now holds `total`. False when the market has no place for it. */
  level(market: Market | undefined, side: BookSide, price: number, total: number): boolean {
    const trading = market?.trading ?? null;
    if (trading === null || !Number.isSafeInteger(total) || total < 0) return false;
    const tick = tickOf(trading, price);
    if (tick === OFF_GRID) return false;
    trading.book.changeRecorded(side, tick, total);
    return true;
  }

  /** Somebody traded, at the time of the exchange's clock. False when the market has no place for it. */
  trade(market: Market | undefined, takerSide: BookSide, price: number, amount: number): boolean {
    const trading = market?.trading ?? null;
    if (market === undefined || trading === null || !market.trades) return false;
    const tick = tickOf(trading, price);
    if (tick === OFF_GRID || !Number.isSafeInteger(amount) || amount <= 0) return false;
    this.#matching.recordedTrade(this.#context.nowMs, market, trading, takerSide, tick, amount);
    return true;
  }

  /** See `ExchangeCore.playRecorded`. */
  play(market: Market, events: RecordedColumns, from: number, untilMs: number): number {
    const { length, timeMs, kind, side, priceMicros, amountMicros } = events;
    const context = this.#context;
    const clockMs = context.nowMs;
    let dueMs = context.due.nextMs;
    let refused = 0;
    let at = from;
    for (; at < length; at++) {
      const nowMs = f64(timeMs, at);
      const what = u8(kind, at);
      if (nowMs > untilMs || what > EVENT.clear) break;
      if (nowMs >= dueMs) {
        this.#reach(nowMs);
        dueMs = context.due.nextMs;
      }
      if (what === EVENT.level) {
        if (!this.level(market, sideOf(side, at), i32(priceMicros, at), f64(amountMicros, at))) refused += 1;
      } else if (what === EVENT.trade) {
        // Another market may have been played further already; a market's own trades never go back.
        context.nowMs = Math.max(nowMs, market.tape.lastMs);
        if (!this.trade(market, sideOf(side, at), i32(priceMicros, at), f64(amountMicros, at))) refused += 1;
      } else market.trading?.book.clearRecorded();
    }
    this.refused = refused;
    context.nowMs = Math.max(clockMs, context.nowMs);
    if (at > from) this.#reach(f64(timeMs, at - 1));
    return at;
  }
}

/** By its bit (BID is 0, ASK is 1) and not by a choice, which a processor would guess wrong half the time: 10 % of a replay. */
const sideOf = (sides: Uint8Array, at: number): BookSide =>
  // One bit is one of the two.
  (u8(sides, at) & 1) as BookSide;

/** The tick of a price strictly between 0 and 1, or OFF_GRID. */
function tickOf(trading: Trading, price: number): number {
  // To the nearest integer, without a division; a price off the grid or out of range does not come back.
  const tick = (price * trading.ticksPerMicro + 0.5) | 0;
  return tick * trading.tick === price && price > 0 && price < ONE ? tick : OFF_GRID;
}
