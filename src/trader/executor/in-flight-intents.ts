/** Intents in flight: copies of their ledger rows with data of this process. `move` writes changes of state. */

import { isDeepStrictEqual } from 'node:util';
import { assert, must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { OwnTradeRow } from '../../shared/protocol/records.js';
import type { IntentStep } from '../../shared/protocol/request-owner.js';
import {
  type BookedFill,
  type FailureNote,
  type FillBooking,
  type IntentChange,
  type IntentKind,
  type IntentRow,
  isFinalIntent,
  type Ledger,
  type OrderChange,
  type OrderRecord,
} from '../ledger/contract.js';
import type { Reservation } from './contract.js';
import { type IntentEvent, nextState } from './lifecycle.js';

export class InFlight {
  intent: IntentRow;
  /** The pending request; at most one per intent, so that answers cannot arrive out of order. */
  busy: IntentStep | null = null;
  /** Time of the next action, our clock, ms; null without an action. */
  dueMs: number | null = null;
  /** Kind of the due action: true sends the same signature again, false reads the record. */
  resend = false;
  /** Number of consecutive reads and sends without news; it increases the waits. */
  tries = 0;
  /** Time when the record was first seen expired, our clock, ms; the second read confirms it. */
  expiredSinceMs: number | null = null;
  /** First time when the intent was known to be live, our clock, ms; an older list may miss it. */
  liveSinceMs: number;
  /** True when a list or read of this process has shown the intent live. */
  confirmed = false;
  /** True when the operator was notified that the exchange does not know the record. */
  missingTold = false;
  /** True for a withdrawn order: it is not signed, or not sent again. */
  withdrawn = false;
  differsTold = false;
  /** Cache: the reservation, and the rows that it was computed from. */
  reserved: {
    readonly intent: IntentRow;
    readonly order: OrderRecord | null;
    readonly reservation: Reservation | null;
  } | null = null;

  constructor(intent: IntentRow, nowMs: number) {
    this.intent = intent;
    this.liveSinceMs = nowMs;
  }
}

const NO_CHANGE = {};

export class InFlightIntents {
  readonly #ledger: Ledger;
  /** By intent id; intents must not be added or removed during an iteration. */
  readonly byId = new Map<string, InFlight>();
  /** Unique intents: one place per order, one cancel per order, one conversion of each kind per market. */
  readonly #slots: Readonly<Record<IntentKind, Map<string, InFlight>>> = {
    place: new Map(),
    cancel: new Map(),
    merge: new Map(),
    split: new Map(),
    redeem: new Map(),
  };

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** All intents, as a copy: the caller may add and remove intents while it iterates. */
  all(): InFlight[] {
    return [...this.byId.values()];
  }

  /** Handles our clock being set back to `nowMs`: stored times in the future become `nowMs`. */
  stepBack(nowMs: number): void {
    for (const inFlight of this.byId.values()) {
      if (inFlight.dueMs !== null) inFlight.dueMs = Math.min(inFlight.dueMs, nowMs);
      if (inFlight.expiredSinceMs !== null) inFlight.expiredSinceMs = Math.min(inFlight.expiredSinceMs, nowMs);
      inFlight.liveSinceMs = Math.min(inFlight.liveSinceMs, nowMs);
    }
  }

  get(intentId: string): InFlight | null {
    return this.byId.get(intentId) ?? null;
  }

  /** The unfinished place or cancel of an order, or the conversion of a kind in a market; null without one. */
  find(kind: IntentKind, name: string): InFlight | null {
    return this.#slots[kind].get(name) ?? null;
  }

  /** Adds an intent whose row is in the ledger. */
  take(intent: IntentRow, nowMs: number): InFlight {
    assert(!this.byId.has(intent.id), `intent ${intent.id} is tracked twice`);
    const inFlight = new InFlight(intent, nowMs);
    this.byId.set(intent.id, inFlight);
    this.#index(inFlight);
    return inFlight;
  }

  /** Adds an intent that may have ended, so that its record is read again. */
  takeAgain(intentId: string, nowMs: number): InFlight {
    return this.get(intentId) ?? this.take(must(this.#ledger.intent(intentId), `intent ${intentId}`), nowMs);
  }

  /** Applies an event and writes the row; an intent in a final state is removed. */
  move(
    inFlight: InFlight,
    event: IntentEvent,
    nowMs: number,
    lastReason: string,
    change: Omit<IntentChange, 'state' | 'updatedMs' | 'lastReason'> = NO_CHANGE,
  ): void {
    const state = nextState(inFlight.intent.state, event);
    if (state === 'live' && inFlight.intent.state !== 'live') inFlight.liveSinceMs = nowMs;
    this.write(inFlight, { state, updatedMs: nowMs, lastReason, ...change });
    if (isFinalIntent(state)) this.drop(inFlight);
  }

  /** Writes a change of the row that does not change the state. */
  write(inFlight: InFlight, change: IntentChange): void {
    inFlight.intent = this.#ledger.changeIntent(inFlight.intent.id, change);
    this.#index(inFlight);
  }

  drop(inFlight: InFlight): void {
    this.byId.delete(inFlight.intent.id);
    const slots = this.#slots[inFlight.intent.kind];
    const name = chooseSlot(inFlight.intent);
    if (name !== null && slots.get(name) === inFlight) slots.delete(name);
  }

  #index(inFlight: InFlight): void {
    const { kind } = inFlight.intent;
    const name = chooseSlot(inFlight.intent);
    if (name === null) return;
    const holder = this.#slots[kind].get(name);
    assert(holder === undefined || holder === inFlight, `two intents under way: ${kind} of ${name}`);
    if (holder === undefined) this.#slots[kind].set(name, inFlight);
  }
}

/** Returns the unique key of an intent within its kind: order or market; null for a place without a draft. */
function chooseSlot(intent: IntentRow): string | null {
  switch (intent.kind) {
    case 'place':
      return intent.draftPubkey;
    case 'cancel':
      return must(intent.orderPubkey, 'order of a cancel');
    case 'merge':
    case 'split':
    case 'redeem':
      return intent.marketConditionId;
  }
}

/** Orders that may still fill, or with fills not booked yet: copies of their ledger rows. */
export class UnsettledOrders {
  readonly #ledger: Ledger;
  /** Unsettled orders by pubkey, in order of creation; they must not change during an iteration. */
  readonly unsettled = new Map<string, OrderRecord>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    for (const order of ledger.unsettledOrders()) this.#keep(order);
  }

  /** Any order of the ledger, settled or not; null for a foreign one. */
  get(pubkey: string): OrderRecord | null {
    return this.unsettled.get(pubkey) ?? this.#ledger.order(pubkey);
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
    if (settled) this.unsettled.delete(order.pubkey);
    else this.unsettled.set(order.pubkey, order);
  }
}

/** Maximum number of cached trades: ten pages of a hundred rows. */
const MOST = 1_000;

/** Own trades in the ledger with their newest row: an equal row of a later poll needs no ledger read. */
export class BookedTrades {
  readonly #rows = new Map<string, OwnTradeRow>();

  has(row: OwnTradeRow): boolean {
    const known = this.#rows.get(row.pubkey);
    return known !== undefined && (known === row || isDeepStrictEqual(known, row));
  }

  drop(tradePubkey: string): void {
    this.#rows.delete(tradePubkey);
  }

  /** Remembers a trade that the ledger holds with exactly these fields. */
  add(row: OwnTradeRow): void {
    this.#rows.set(row.pubkey, row);
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > MOST && oldest !== undefined) this.#rows.delete(oldest);
  }
}
