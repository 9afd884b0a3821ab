/** Own orders and own trades as rows of a recording, each once for each state in which it was seen. */

import type { OwnRow } from '../../../recording/store/contract.js';
import type { OwnTradeRow } from '../../../shared/protocol/records.js';
import type { OwnOrderRow } from './contract.js';

/** Enough for every order of hours; what is forgotten is written once more when it is seen again, which harms nothing. */
const REMEMBERED = 20_000;

export class OwnRows {
  readonly #written = new Map<string, string>();

  /** The row, or null when it says nothing new (or has no pubkey yet). */
  order(row: OwnOrderRow, seenMs: number): OwnRow | null {
    const { pubkey, status } = row;
    if (pubkey === null || status === null) return null;
    if (!this.#isNew(`order ${pubkey}`, `${status} ${row.filled_amount} ${row.remaining_amount}`)) return null;
    return {
      record: 'order',
      seenMs,
      pubkey,
      orderPubkey: null,
      status,
      side: row.side,
      isYes: row.outcome.is_yes,
      priceMicros: row.price,
      amountMicros: row.amount,
      filledAmountMicros: row.filled_amount,
      remainingAmountMicros: row.remaining_amount,
      feeMicros: null,
      isMaker: null,
      timestamp: null,
    };
  }

  trade(row: OwnTradeRow, seenMs: number): OwnRow | null {
    if (!this.#isNew(`trade ${row.pubkey}`, row.state)) return null;
    const { side, outcome, pubkey: orderPubkey } = row.order;
    return {
      record: 'trade',
      seenMs,
      pubkey: row.pubkey,
      orderPubkey,
      status: row.state,
      side,
      isYes: outcome.is_yes,
      priceMicros: row.price,
      amountMicros: row.amount,
      filledAmountMicros: null,
      remainingAmountMicros: null,
      feeMicros: row.fee,
      isMaker: row.is_maker,
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
