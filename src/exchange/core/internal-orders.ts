/**
 * Orders of the exchange's internal accounts: the recorded market and the crowd. They need no draft and have no record.
 */

import { AssertionFailed, assert } from '../../shared/base/errors.js';
import { type Micros, ONE } from '../../shared/base/micros.js';
import {
  type AccountSlot,
  BID,
  type BookSide,
  type MarketIndex,
  REFUSED_BALANCE,
  REFUSED_GRID,
  REFUSED_MARKET,
} from './contract.js';
import type { CoreContext } from './core-context.js';
import { legFor, type Matching, RECORDED_ACCOUNT } from './matching/matching.js';
import { isBuyLeg, type OrderPool } from './matching/order-pool.js';
import { asMicros, buyLock } from './money.js';
import { f64, i32 } from './typed-arrays.js';

/** Places and cancels internal orders. */
export class InternalOrders {
  /** Immediate fill of the last `place`, Micros of shares. */
  lastFilled = asMicros(0);
  readonly #context: CoreContext;
  readonly #matching: Matching;
  readonly #pool: OrderPool;

  constructor(context: CoreContext, matching: Matching, pool: OrderPool) {
    this.#context = context;
    this.#matching = matching;
    this.#pool = pool;
  }

  /**
   * `price` is in YES space. A bid is worked as *sell NO* when enough NO is held, else as *buy YES*; an ask as *sell YES*,
   * else *buy NO*. An `immediate` order drops the part that is not filled at once.
   * Returns the handle (> 0) of the resting part, 0 when nothing rests, or one of the `REFUSED_` numbers.
   */
  place(
    account: AccountSlot,
    index: MarketIndex,
    side: BookSide,
    price: Micros,
    amount: Micros,
    immediate: boolean,
  ): number {
    this.lastFilled = asMicros(0);
    const context = this.#context;
    const matching = this.#matching;
    const market = context.catalog.markets[index];
    assert(
      account > RECORDED_ACCOUNT && account < context.funds.count,
      'an order comes from an account that was opened',
    );
    if (market === undefined || !market.isTradable || market.orderbook === null) return REFUSED_MARKET;
    const { orderbook: trading } = market;
    const { tick, lot, config } = trading;
    if (price < config.min_price || price > config.max_price || price % tick !== 0) return REFUSED_GRID;
    if (!(amount > 0) || amount > config.max_amount || amount % lot !== 0) return REFUSED_GRID;
    market.shares.ensureAccount(account);
    const leg = legFor(market, account, side === BID, amount);
    if (isBuyLeg(leg)) {
      const own = side === BID ? price : ONE - price;
      if (context.funds.available(account) < buyLock(own, amount, trading.lockRate)) return REFUSED_BALANCE;
    }
    const atTick = price / tick;
    const most = Number.POSITIVE_INFINITY;
    const left = matching.take(context.nowMs, trading, account, leg, atTick, amount, most, 0);
    this.lastFilled = asMicros(matching.filled);
    if (left === 0 || immediate || matching.metSelf) return 0;
    return this.#pool.makeHandle(matching.rest(trading, account, leg, atTick, left, 0));
  }

  /** Constant time. False when the order no longer rests: filled, canceled, or the market closed. */
  cancel(handle: number): boolean {
    const pool = this.#pool;
    const slot = pool.findSlot(handle);
    // API orders have handles too, but end only by their drafts.
    if (slot === 0 || i32(pool.record, slot) !== 0) return false;
    const market = this.#context.catalog.market(i32(pool.market, slot));
    if (market.orderbook === null) throw new AssertionFailed('an order rests on a market without a book');
    this.#matching.cancel(market.orderbook, slot);
    return true;
  }

  /** Unfilled shares of an order; 0 when it no longer rests. */
  remaining(handle: number): Micros {
    const slot = this.#pool.findSlot(handle);
    return asMicros(slot === 0 ? 0 : f64(this.#pool.remaining, slot));
  }
}
