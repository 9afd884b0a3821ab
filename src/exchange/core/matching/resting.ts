/** Resting orders of a market as numbers, for a snapshot. */

import type { Market } from '../market.js';
import { f64, i32, u8 } from '../typed-arrays.js';
import { isBidLeg, type OrderPool } from './order-pool.js';

const VALUES = 8;

/** Every resting order of a market, in the order of their queues. */
export function dumpResting(pool: OrderPool, market: Market): readonly number[] {
  return (market.orderbook?.book.resting() ?? []).flatMap((slot) => [
    slot,
    i32(pool.tick, slot),
    i32(pool.account, slot),
    i32(pool.record, slot),
    u8(pool.leg, slot),
    f64(pool.remaining, slot),
    f64(pool.locked, slot),
    f64(pool.ahead, slot),
  ]);
}

/** Puts dumped orders back into pool and book, in the same queues. */
export function loadResting(pool: OrderPool, market: Market, values: readonly number[]): void {
  for (let at = 0; at < values.length; at += VALUES) {
    const row = values.slice(at, at + VALUES);
    const [slot = 0, tick = 0, account = 0, record = 0, leg = 0, remaining = 0, locked = 0, ahead = 0] = row;
    pool.place(slot, { tick, market: market.index, account, record, leg, remaining, locked, ahead });
    market.shares.ensureAccount(account);
    market.orderbook?.book.append(slot, tick, isBidLeg(leg));
  }
}
