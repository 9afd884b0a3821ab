import { EVENT, type EventChunk } from '../../../recording/contract.js';
import { assert } from '../../../shared/base/errors.js';
import { ONE } from '../../../shared/base/micros.js';
import { ASK, BID, type MarketIndex, type MatchingSide } from '../contract.js';
import type { CoreContext } from '../core-context.js';
import type { Market, Trading } from '../market.js';
import { f64, i32, u8 } from '../money.js';
import { NO_TICK } from './book.js';

const OFF_GRID = -1;

/** Applies recorded events to books: one event per call, or many events of one market. No call allocates memory. */
export class RecordedFeed {
  /** Number of events that the last `play` rejected: off the price grid, or a trade while the market does not trade. */
  refused = 0;

  readonly #context: CoreContext;

  constructor(context: CoreContext) {
    this.#context = context;
  }

  /**
   * Sets the recorded amount of a level to `total`. An added amount first trades with the real orders that it reaches.
   * If recorded makers are post-only, the added amount does not trade. Returns false for a price off the grid.
   */
  level(index: MarketIndex, side: MatchingSide, price: number, total: number): boolean {
    const { nowMs, catalog } = this.#context;
    const market = catalog.markets[index];
    return market !== undefined && this.#level(nowMs, market, side, price, total);
  }

  #level(nowMs: number, market: Market, side: MatchingSide, price: number, total: number): boolean {
    const { orderbook: trading } = market;
    if (trading === null || !Number.isSafeInteger(total) || total < 0) return false;
    const tick = toTick(trading, price);
    if (tick === OFF_GRID) return false;
    if (trading.book.awaitsSnapshot) trading.book.levelComes(nowMs);
    if (trading.book.isReached(side, tick)) this.#changeAtOrders(nowMs, trading, side, tick, total);
    else trading.book.changeRecorded(side, tick, total);
    return true;
  }

  /** Changes a recorded level that crosses real orders. An added amount trades with these orders or stays crossed. */
  #changeAtOrders(nowMs: number, trading: Trading, side: MatchingSide, tick: number, total: number): void {
    const { book } = trading;
    const level = book.openRecorded()[side];
    const arrived = total - level.knownAmount(tick);
    // The core's clock may go back here, but not to a time before the market's last trade.
    this.#context.nowMs = Math.max(nowMs, trading.market.tape.lastMs);
    // The added amount first trades with the present book; the level then shows only the untraded rest.
    const traded = arrived > 0 ? this.#meet(trading, side, tick, arrived) : 0;
    book.changeRecorded(side, tick, total);
    book.eatRecorded(side, tick, traded);
  }

  /** Trades an added amount with real orders of the other side. Returns the traded part of the added amount. */
  #meet(trading: Trading, side: MatchingSide, tick: number, amount: number): number {
    if (trading.book.model.postsOnly === true || !trading.market.isTradable) return 0;
    return this.#context.matching.recordedArrival(this.#context.nowMs, trading, side, tick, amount);
  }

  /** Removes all recorded amounts of a market. Real orders keep their queue places at levels of the next snapshot. */
  clear(index: MarketIndex): void {
    const { nowMs, catalog } = this.#context;
    catalog.market(index).orderbook?.book.clearRecorded(nowMs);
  }

  /** Stores the time at which a market's replay would have begun if the exchange had never stopped. */
  setReplayStart(index: MarketIndex, startMs: number): void {
    this.#context.catalog.market(index).replayStartMs = startMs;
  }

  /** After a pause, trades the recorded amounts that crossed real orders during the pause. */
  onReopen(market: Market): void {
    const { orderbook: trading } = market;
    if (trading === null || trading.book.recorded === null) return;
    const { book } = trading;
    for (const side of [BID, ASK] as const) {
      // If no real order can trade at a tick, the recorded amount stays crossed with real orders.
      for (let traded = 1; traded > 0; ) {
        const tick = book.bestShown(side);
        if (tick === NO_TICK || !book.isReached(side, tick)) break;
        traded = this.#meet(trading, side, tick, book.openRecorded()[side].displayedAmount(tick));
        book.eatRecorded(side, tick, traded);
      }
    }
  }

  /**
   * Plays a recorded trade of `amount` at `price`. The taker bought YES if `takerSide` is BID, else sold YES. The
   * recorded trade fills real orders up to its amount. After a recorded trade, the caller must report the level's
   * decrease by a call of `level`. Returns false if the market rejects the recorded trade.
   */
  trade(index: MarketIndex, takerSide: MatchingSide, price: number, amount: number): boolean {
    const market = this.#context.catalog.markets[index];
    return market !== undefined && this.#trade(market, takerSide, price, amount);
  }

  #trade(market: Market, takerSide: MatchingSide, price: number, amount: number): boolean {
    const { orderbook: trading } = market;
    if (trading === null || !market.isTradable) return false;
    const tick = toTick(trading, price);
    if (tick === OFF_GRID || !Number.isSafeInteger(amount) || amount <= 0) return false;
    this.#context.matching.recordedTrade(this.#context.nowMs, trading, takerSide, tick, amount);
    return true;
  }

  /**
   * Plays one market's recorded events, in order of time, from index `from` up to `untilMs` (inclusive). The core's
   * timers between two events run at their due times. Stops before the first event that is after `untilMs` or is not a
   * level, trade or clear. Returns that event's index, or the chunk's length. The call moves the clock to the last
   * played event, but never back. The journal cannot record this call.
   */
  play(index: MarketIndex, events: EventChunk, from: number, untilMs: number): number {
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
        context.at(nowMs);
        dueMs = context.timers.nextMs;
      }
      if (what === EVENT.level) {
        if (!this.#level(nowMs, market, readSide(side, at), i32(priceMicros, at), f64(amountMicros, at))) refused += 1;
      } else if (what === EVENT.trade) {
        // The core's clock may go back here, but not to a time before the market's last trade.
        context.nowMs = Math.max(nowMs, market.tape.lastMs);
        if (!this.#trade(market, readSide(side, at), i32(priceMicros, at), f64(amountMicros, at))) refused += 1;
      } else market.orderbook?.book.clearRecorded(nowMs);
    }
    this.refused = refused;
    context.nowMs = Math.max(clockMs, context.nowMs);
    if (at > from) context.at(f64(timeMs, at - 1));
    return at;
  }

  /** Ends the recording of a closed market and keeps its newest `keepTrades` trades. The journal omits this call. */
  end(index: MarketIndex, keepTrades: number): void {
    const market = this.#context.catalog.market(index);
    assert(market.state !== 'open', 'a market must be closed before its recording ends');
    market.tape.settle(keepTrades);
    if (market.orderbook !== null) market.orderbook.book.recorded = null;
  }
}

/** Returns the side of an event: BID (0) or ASK (1). A branch here would take 10 % of a replay's time. */
const readSide = (sides: Uint8Array, at: number): MatchingSide => (u8(sides, at) & 1) as MatchingSide;

/** Returns the tick of a price strictly between 0 and 1; OFF_GRID for any other price. */
function toTick(trading: Trading, price: number): number {
  // The tick is rounded without a division. Only a price equal to tick number × tick size is on the grid.
  const tick = (price * trading.ticksPerMicro + 0.5) | 0;
  return tick * trading.tick === price && price > 0 && price < ONE ? tick : OFF_GRID;
}
