/**
 * Own trades in the ledger, with the newest row of the exchange for each. Polls repeat rows: an equal row needs no
 * ledger read, a row that differs in any field is looked up.
 */

import type { OwnTradeRow } from '../../shared/protocol/records.js';

/** Ten polled pages of a hundred rows; older rows are looked up in the ledger. */
const MOST = 1_000;

export class BookedTrades {
  readonly #rows = new Map<string, OwnTradeRow>();

  has(row: OwnTradeRow): boolean {
    const known = this.#rows.get(row.pubkey);
    return known !== undefined && (known === row || sameRow(known, row));
  }

  /** The trade was removed from the ledger. */
  drop(tradePubkey: string): void {
    this.#rows.delete(tradePubkey);
  }

  /** The ledger holds this trade with exactly these fields. */
  add(row: OwnTradeRow): void {
    this.#rows.set(row.pubkey, row);
    if (this.#rows.size <= MOST) return;
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest);
      return;
    }
  }
}

/** Compares every field that `observeTrades` reads. */
const sameRow = (a: OwnTradeRow, b: OwnTradeRow): boolean =>
  a.state === b.state &&
  a.price === b.price &&
  a.amount === b.amount &&
  a.fee === b.fee &&
  a.is_maker === b.is_maker &&
  a.timestamp === b.timestamp &&
  a.market_condition_id === b.market_condition_id &&
  a.order.pubkey === b.order.pubkey &&
  a.order.side === b.order.side &&
  a.order.outcome.is_yes === b.order.outcome.is_yes;
