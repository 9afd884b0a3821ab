/** Own orders and trades as rows of a recording, one per seen state. */

import type { OwnRow } from '../../../recording/store/contract.js';
import type { OwnTradeRow } from '../../../shared/protocol/records.js';
import type { OwnOrderRow } from './contract.js';

/** Enough for all orders of hours; a dropped one is written again when seen again, which is harmless. */
const REMEMBERED = 20_000;

export class OwnRows {
  readonly #written = new Map<string, string>();

  /** The row; null without news (or without a pubkey yet). */
  order(row: OwnOrderRow, seenMs: number): OwnRow | null {
    const { pubkey, status } = row;
    if (pubkey === null || status === null) return null;
    if (!this.#isNew(`order ${pubkey}`, `${status} ${row.filled_amount} ${row.remaining_amount}`)) return null;
    return {
      record: 'order',
      seen_ms: seenMs,
      pubkey,
      order_pubkey: null,
      status,
      side: row.side,
      is_yes: row.outcome.is_yes,
      price_micros: row.price,
      amount_micros: row.amount,
      filled_amount_micros: row.filled_amount,
      remaining_amount_micros: row.remaining_amount,
      fee_micros: null,
      is_maker: null,
      timestamp: null,
    };
  }

  trade(row: OwnTradeRow, seenMs: number): OwnRow | null {
    if (!this.#isNew(`trade ${row.pubkey}`, row.state)) return null;
    const { side, outcome, pubkey } = row.order;
    return {
      record: 'trade',
      seen_ms: seenMs,
      pubkey: row.pubkey,
      order_pubkey: pubkey,
      status: row.state,
      side,
      is_yes: outcome.is_yes,
      price_micros: row.price,
      amount_micros: row.amount,
      filled_amount_micros: null,
      remaining_amount_micros: null,
      fee_micros: row.fee,
      is_maker: row.is_maker,
      timestamp: row.timestamp,
    };
  }

  #isNew(key: string, state: string): boolean {
    if (this.#written.get(key) === state) return false;
    this.#written.delete(key);
    this.#written.set(key, state);
    const oldest = this.#written.size > REMEMBERED ? this.#written.keys().next().value : undefined;
    if (oldest !== undefined) this.#written.delete(oldest);
    return true;
  }
}
