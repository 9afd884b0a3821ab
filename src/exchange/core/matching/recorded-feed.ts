/**
 * Recorded events enter the exchange here: one by one, or many of one market in one call, as a backtest does. Nothing
 * is allocated for an event.
 */

import { EVENT, type EventChunk } from '../../../recording/contract.js';
import { assert } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import { ASK, BID, type BookSide, type MarketIndex } from '../contract.js';
import type { CoreContext } from '../core-context.js';
import type { Market, Trading } from '../market.js';
import { f64, i32, u8 } from '../money.js';
import { NO_TICK } from './book.js';
import type { Matching } from './matching.js';

/** One market's events in order of time, as columns. Prices and amounts in micros. */
export type RecordedColumns = EventChunk;

const OFF_GRID = -1;

/** Plays recorded events into the books of their markets. */
export class RecordedFeed {
  /** Events of the last `play` that the market rejected: off its grid, or a trade while it does not trade. */
  refused = 0;

  readonly #context: CoreContext;
  readonly #matching: Matching;
  readonly #reach: (nowMs: number) => void;

  /** `reach` does the work due by a time and sets the clock. */
  constructor(context: CoreContext, matching: Matching, reach: (nowMs: number) => void) {
    this.#context = context;
    this.#matching = matching;
    this.#reach = reach;
  }

  /**
   * Sets the recorded total of a level to `total`. The added amount meets real orders of the other side before it
   * rests; under a fill model of post-only makers it rests crossed. False when the price is off the market's grid.
   */
  level(index: MarketIndex, side: BookSide, price: number, total: number): boolean {
    const { nowMs, catalog } = this.#context;
    const market = catalog.markets[index];
    return market !== undefined && this.#level(nowMs, market, side, price, total);
  }

  #level(nowMs: number, market: Market, side: BookSide, price: number, total: number): boolean {
    const { orderbook: trading } = market;
    if (trading === null || !Number.isSafeInteger(total) || total < 0) return false;
    const tick = toTick(trading, price);
    if (tick === OFF_GRID) return false;
    if (trading.book.awaitsSnapshot) trading.book.levelComes(nowMs);
    if (trading.book.isReached(side, tick)) this.#changeAtOrders(nowMs, trading, side, tick, total);
    else trading.book.changeRecorded(side, tick, total);
    return true;
  }

  /** Changes a level at or beyond real orders of the other side: new amounts trade with them, or rest crossed. */
  #changeAtOrders(nowMs: number, trading: Trading, side: BookSide, tick: number, total: number): void {
    const { book } = trading;
    const level = book.openRecorded()[side];
    const arrived = total - level.knownAmount(tick);
    // Another market may be further already; a market's own trades never go back.
    this.#context.nowMs = Math.max(nowMs, trading.market.tape.lastMs);
    // The arriving amount trades with the present book first; its remainder then rests.
    const traded = arrived > 0 ? this.#meet(trading, side, tick, arrived) : 0;
    book.changeRecorded(side, tick, total);
    book.eatRecorded(side, tick, traded);
  }

  /** Part of an arriving amount that trades with real orders of the other side. */
  #meet(trading: Trading, side: BookSide, tick: number, amount: number): number {
    if (trading.book.model.postsOnly === true || !trading.market.isTradable) return 0;
    return this.#matching.recordedArrival(this.#context.nowMs, trading, side, tick, amount);
  }

  /** Removes all recorded liquidity. Real orders keep their place when a new snapshot shows their level again. */
  clear(index: MarketIndex): void {
    const { nowMs, catalog } = this.#context;
    catalog.market(index).orderbook?.book.clearRecorded(nowMs);
  }

  /** A market trades again: amounts that arrived at real orders meanwhile meet them now. */
  onReopen(market: Market): void {
    const { orderbook: trading } = market;
    if (trading === null || trading.book.recorded === null) return;
    const { book } = trading;
    for (const side of [BID, ASK] as const) {
      for (
        let tick = book.bestShown(side);
        tick !== NO_TICK && book.isReached(side, tick);
        tick = book.bestShown(side)
      ) {
        const traded = this.#meet(trading, side, tick, book.openRecorded()[side].displayedAmount(tick));
        book.eatRecorded(side, tick, traded);
        // No order at this tick may trade, so the recorded book stays crossed.
        if (traded === 0) break;
      }
    }
  }

  /**
   * Plays a trade: a taker took `amount` at `price`; `takerSide` BID is a buyer in YES space. Fills real orders up to
   * the amount. The decrease of the level must follow as `level`. False when the market cannot take the trade.
   */
  trade(index: MarketIndex, takerSide: BookSide, price: number, amount: number): boolean {
    const market = this.#context.catalog.markets[index];
    return market !== undefined && this.#trade(market, takerSide, price, amount);
  }

  #trade(market: Market, takerSide: BookSide, price: number, amount: number): boolean {
    const { orderbook: trading } = market;
    if (trading === null || !market.isTradable) return false;
    const tick = toTick(trading, price);
    if (tick === OFF_GRID || !Number.isSafeInteger(amount) || amount <= 0) return false;
    this.#matching.recordedTrade(this.#context.nowMs, trading, takerSide, tick, amount);
    return true;
  }

  /**
   * Plays one market's recorded events from place `from` up to `untilMs` (inclusive), at their own times, with the work
   * that is due between them. Returns the place of the first event not played: a later one, or one of another kind.
   * Afterwards the clock is at the last event, or unchanged if already later. No journal can hold this call.
   */
  play(index: MarketIndex, events: RecordedColumns, from: number, untilMs: number): number {
    const market = this.#context.catalog.market(index);
    const { length, timeMs, kind, side, priceMicros, amountMicros } = events;
    const context = this.#context;
    const clockMs = context.nowMs;
    let dueMs = context.timers.nextMs;
    let refused = 0;
    let at = from;
    for (; at < length; at++) {
      const nowMs = f64(timeMs, at);
      const what = u8(kind, at);
      if (nowMs > untilMs || what > EVENT.clear) break;
      if (nowMs >= dueMs) {
        this.#reach(nowMs);
        dueMs = context.timers.nextMs;
      }
      if (what === EVENT.level) {
        if (!this.#level(nowMs, market, readSide(side, at), i32(priceMicros, at), f64(amountMicros, at))) refused += 1;
      } else if (what === EVENT.trade) {
        // Another market may be further already; a market's own trades never go back.
        context.nowMs = Math.max(nowMs, market.tape.lastMs);
        if (!this.#trade(market, readSide(side, at), i32(priceMicros, at), f64(amountMicros, at))) refused += 1;
      } else market.orderbook?.book.clearRecorded(nowMs);
    }
    this.refused = refused;
    context.nowMs = Math.max(clockMs, context.nowMs);
    if (at > from) this.#reach(f64(timeMs, at - 1));
    return at;
  }

  /** Ends the recording of a closed market; only its newest `keepTrades` stay. No journal can hold this call. */
  end(index: MarketIndex, keepTrades: number): void {
    const market = this.#context.catalog.market(index);
    assert(market.state !== 'open', 'a recorded market is over when it has closed');
    market.tape.settle(keepTrades);
    market.orderbook?.book.endRecorded();
  }
}

/** Reads a side from its bit (BID 0, ASK 1). A branch would be mispredicted half the time: 10 % of a replay. */
const readSide = (sides: Uint8Array, at: number): BookSide =>
  // A bit has exactly the two values of a side.
  (u8(sides, at) & 1) as BookSide;

/** Tick of a price strictly between 0 and 1, or OFF_GRID. */
function toTick(trading: Trading, price: number): number {
  // Rounded without a division; a price off the grid or out of range does not map back.
  const tick = (price * trading.ticksPerMicro + 0.5) | 0;
  return tick * trading.tick === price && price > 0 && price < ONE ? tick : OFF_GRID;
}
