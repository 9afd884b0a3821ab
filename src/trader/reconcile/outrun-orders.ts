/**
 * Orders of which more is booked than their own row shows, look after look: a fill that the exchange lists and its order denies.
 * That is judged by rounds of reconciliation, as anything that differs; here it is noticed between two of them.
 */

import type { OrderRow } from '../../shared/protocol/records.js';
import type { Ledger } from '../ledger/contract.js';
import { LONGEST_LAG_MS } from './differences.js';

export class OutrunOrders {
  readonly #ledger: Pick<Ledger, 'order'>;
  /** By pubkey: our clock, ms, when the first of the looks in a row began that showed less than is booked. */
  #sinceMs: ReadonlyMap<string, number> = new Map();
  /** Those for which a round was wanted. */
  readonly #told = new Set<string>();

  constructor(ledger: Pick<Ledger, 'order'>) {
    this.#ledger = ledger;
  }

  /**
   * Takes in a complete look at our resting orders. True when one of them has been behind for longer than lists lag, once for each.
   *
   * @param startedMs our clock, when the look's first page left
   */
  onLook(rows: readonly OrderRow[], startedMs: number): boolean {
    const behind = new Map<string, number>();
    for (const { pubkey, filled_amount: filled } of rows) {
      if (pubkey === null || filled === null) continue;
      const order = this.#ledger.order(pubkey);
      // A clock that stepped back begins anew.
      if (order !== null && filled < order.bookedMicros)
        behind.set(pubkey, Math.min(this.#sinceMs.get(pubkey) ?? startedMs, startedMs));
    }
    this.#sinceMs = behind;
    for (const pubkey of this.#told) if (!behind.has(pubkey)) this.#told.delete(pubkey);
    const due = [...behind].filter(
      ([pubkey, sinceMs]) => startedMs >= sinceMs + LONGEST_LAG_MS && !this.#told.has(pubkey),
    );
    for (const [pubkey] of due) this.#told.add(pubkey);
    return due.length > 0;
  }
}
