/** Orders that may still fill or have unbooked fills: a mirror of their ledger rows. */

import { must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { BookedFill, FailureNote, FillBooking, Ledger, OrderChange, OrderRecord } from '../ledger/contract.js';

export class UnsettledOrders {
  readonly #ledger: Ledger;
  readonly #unsettled = new Map<string, OrderRecord>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    for (const order of ledger.unsettledOrders()) this.#keep(order);
  }

  /** Any order of the ledger, settled or not; null for a foreign one. */
  get(pubkey: string): OrderRecord | null {
    return this.#unsettled.get(pubkey) ?? this.#ledger.order(pubkey);
  }

  /** In order of creation; must not change while iterating. */
  get unsettled(): Iterable<OrderRecord> {
    return this.#unsettled.values();
  }

  /** Null for a settled order and for a foreign one. */
  findUnsettled(pubkey: string): OrderRecord | null {
    return this.#unsettled.get(pubkey) ?? null;
  }

  add(order: OrderRecord): void {
    this.#ledger.addOrder(order);
    this.#keep(order);
  }

  change(pubkey: string, change: OrderChange): void {
    this.#keep(this.#ledger.changeOrder(pubkey, change));
  }

  bookFill(fill: BookedFill): FillBooking {
    const booking = this.#ledger.bookFill(fill);
    if (booking === 'booked') this.#readAgain(fill.orderPubkey);
    return booking;
  }

  noteFailedTrade(tradePubkey: string, orderPubkey: string, amount: Micros, nowMs: number): FailureNote {
    const note = this.#ledger.noteFailedTrade(tradePubkey, orderPubkey, amount, nowMs);
    if (note !== 'repeated') this.#readAgain(orderPubkey);
    return note;
  }

  #readAgain(pubkey: string): void {
    this.#keep(must(this.#ledger.order(pubkey), `order ${pubkey}`));
  }

  #keep(order: OrderRecord): void {
    const settled = order.closedMs !== null && order.filledMicros <= order.bookedMicros + order.failedMicros;
    if (settled) this.#unsettled.delete(order.pubkey);
    else this.#unsettled.set(order.pubkey, order);
  }
}
