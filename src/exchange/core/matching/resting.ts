/** Resting orders of a market as numbers, for a snapshot. */

import type { Market } from '../market.js';
import { i32, u8 } from '../typed-arrays.js';
import { isBidLeg, type OrderPool } from './order-pool.js';

/** Columns of a resting order in a snapshot, after its slot. */
const COLUMNS = ['tick', 'account', 'record', 'leg', 'remaining', 'locked', 'ahead'] as const;

/** Every resting order of a market, in the order of their queues. */
export const dumpResting = (pool: OrderPool, market: Market): readonly number[] =>
  (market.orderbook?.book.resting() ?? []).flatMap((slot) => [slot, ...COLUMNS.map((name) => pool[name][slot] ?? 0)]);

/** Puts dumped orders back into pool and book, in the same queues. */
export function loadResting(pool: OrderPool, market: Market, values: readonly number[]): void {
  for (let at = 0; at < values.length; at += 1 + COLUMNS.length) {
    const slot = values[at] ?? 0;
    pool.market[slot] = market.index;
    for (const [place, name] of COLUMNS.entries()) pool[name][slot] = values[at + 1 + place] ?? 0;
    market.shares.ensureAccount(i32(pool.account, slot));
    market.orderbook?.book.append(slot, i32(pool.tick, slot), isBidLeg(u8(pool.leg, slot)));
  }
}
