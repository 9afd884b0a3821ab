/**
 * Orders of the exchange's internal accounts: the recorded market and the crowd. They need no draft and have no record.
 */

import { AssertionFailed, assert } from '../../shared/base/errors.js';
import { type Micros, ONE } from '../../shared/base/micros.js';
import type { CoreContext } from './core-context.js';
import type { Market } from './market.js';
import { legFor, type Matching, RECORDED_ACCOUNT } from './matching/matching.js';
import { isBuyLeg, type OrderPool } from './matching/order-pool.js';
import { buyLock } from './money.js';
import { i32 } from './typed-arrays.js';
import { type AccountSlot, BID, type BookSide, REFUSED_BALANCE, REFUSED_GRID, REFUSED_MARKET } from './types.js';

/** Terms of an internal order; the price in YES space. */
export interface InternalOrder {
  readonly account: AccountSlot;
  readonly side: BookSide;
  readonly price: Micros;
  readonly amount: Micros;
  /** Whether an unfilled rest is dropped. */
  readonly immediate: boolean;
}

interface Parts {
  readonly context: CoreContext;
  readonly matching: Matching;
  readonly pool: OrderPool;
}

/** Places and cancels internal orders. */
export class InternalOrders {
  readonly #parts: Parts;
  #lastFilled = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Amount that the last order filled at once. */
  get lastFilled(): number {
    return this.#lastFilled;
  }

  /** Handle of the resting order, 0 if nothing rests, or one of the `REFUSED_` codes. */
  place(market: Market | undefined, { account, side, price, amount, immediate }: InternalOrder): number {
    this.#lastFilled = 0;
    const { context, matching, pool } = this.#parts;
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
    const left = matching.take(context.nowMs, market, trading, account, leg, atTick, amount, most, 0);
    this.#lastFilled = matching.filled;
    if (left === 0 || immediate || matching.metSelf) return 0;
    return pool.makeHandle(matching.rest(market, trading, account, leg, atTick, left, 0));
  }

  /** False for an order that no longer exists. */
  cancel(handle: number): boolean {
    const { context, matching, pool } = this.#parts;
    const slot = pool.findSlot(handle);
    // API orders have handles too, but end only by their drafts.
    if (slot === 0 || i32(pool.record, slot) !== 0) return false;
    const market = context.catalog.market(i32(pool.market, slot));
    if (market.orderbook === null) throw new AssertionFailed('an order rests on a market without a book');
    matching.cancel(market, market.orderbook, slot);
    return true;
  }
}
