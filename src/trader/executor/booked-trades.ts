/**
 * Own trades that the ledger has, with the row that the exchange last showed of each. Polls repeat them: an equal row
 * needs no look into the ledger, a row that differs in any field is looked up there.
 */

import type { OwnTradeRow } from '../../shared/protocol/records.js';

/** Pages of a hundred rows are polled; what is further back is looked up. */
const MOST = 1_000;

export class BookedTrades {
  readonly #rows = new Map<string, OwnTradeRow>();

  has(row: OwnTradeRow): boolean {
    const known = this.#rows.get(row.pubkey);
    return known !== undefined && (known === row || sameRow(known, row));
  }

  /** The ledger has it no longer. */
  drop(tradePubkey: string): void {
    this.#rows.delete(tradePubkey);
  }

  /** The ledger has this trade with this very content. */
  add(row: OwnTradeRow): void {
    this.#rows.set(row.pubkey, row);
    if (this.#rows.size <= MOST) return;
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest);
      return;
    }
  }
}

/** Everything that `observeTrades` reads of a row. */
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
