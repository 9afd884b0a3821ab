/**
 * The intents under way, as a mirror of the ledger's rows beside what only this process needs to know: which request is
 * out, when to act next. Every change of state goes through `move`, which writes the row in the same breath.
 */

import { assert, must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { OwnTradeRow } from '../../shared/protocol/records.js';
import type { IntentStep } from '../../shared/protocol/request-owner.js';
import {
  type BookedFill,
  type ConversionKind,
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

export class InFlightIntent {
  intent: IntentRow;
  /** The request that is out; at most one per intent, so that its answers cannot overtake each other. */
  busy: IntentStep | null = null;
  /** Our clock, ms: when to act next; null for nothing to do. */
  dueMs: number | null = null;
  /** What is due: the same signature once more, or a look at the record. */
  resend = false;
  /** Looks and sends in a row that brought nothing new: what the waiting times grow by. */
  tries = 0;
  /** When a record was first seen as expired; it is believed at the second look. */
  expiredSinceMs: number | null = null;
  /** Since when we know it to be live; a list that left earlier may miss it. */
  liveSinceMs: number;
  /** A list or read of this process has shown it live. */
  confirmed = false;
  /** The exchange said that it does not know this record, and a person was told. */
  missingTold = false;
  /** A place that is not wanted any more: it is not signed, or not sent again. */
  withdrawn = false;
  /** Its record is not what we asked for, and a person was told. */
  differsTold = false;
  /** What it reserves, and the rows that this was read from: the same rows reserve the same. */
  reserved: Reserved | null = null;

  constructor(intent: IntentRow, nowMs: number) {
    this.intent = intent;
    this.liveSinceMs = nowMs;
  }
}

export interface Reserved {
  readonly intent: IntentRow;
  readonly order: OrderRecord | null;
  readonly reservation: Reservation | null;
}

const NO_CHANGE = {};

export class InFlightIntents {
  readonly #ledger: Ledger;
  readonly #byId = new Map<string, InFlightIntent>();
  /** What there may be one of: a place for each order, a cancel for each order, a conversion of each kind for each market. */
  readonly #slots: Readonly<Record<IntentKind, Map<string, InFlightIntent>>> = {
    place: new Map(),
    cancel: new Map(),
    merge: new Map(),
    split: new Map(),
    redeem: new Map(),
  };

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** As they are now: what is taken up or dropped while the caller goes through them makes no difference. */
  all(): InFlightIntent[] {
    return [...this.#byId.values()];
  }

  /** For a caller that changes none of them. */
  get each(): Iterable<InFlightIntent> {
    return this.#byId.values();
  }

  /** Our clock stepped back to `nowMs`: what was stored before would lie in the future for as long as it stepped. */
  stepBack(nowMs: number): void {
    for (const inFlight of this.#byId.values()) {
      if (inFlight.dueMs !== null) inFlight.dueMs = Math.min(inFlight.dueMs, nowMs);
      if (inFlight.expiredSinceMs !== null) inFlight.expiredSinceMs = Math.min(inFlight.expiredSinceMs, nowMs);
      inFlight.liveSinceMs = Math.min(inFlight.liveSinceMs, nowMs);
    }
  }

  get(intentId: string): InFlightIntent | null {
    return this.#byId.get(intentId) ?? null;
  }

  /** The place whose order this is, unless it is over. */
  ofOrder(orderPubkey: string): InFlightIntent | null {
    return this.#slots.place.get(orderPubkey) ?? null;
  }

  findCancel(orderPubkey: string): InFlightIntent | null {
    return this.#slots.cancel.get(orderPubkey) ?? null;
  }

  findConversion(kind: ConversionKind, marketConditionId: string): InFlightIntent | null {
    return this.#slots[kind].get(marketConditionId) ?? null;
  }

  /** Takes up an intent whose row is in the ledger already. */
  take(intent: IntentRow, nowMs: number): InFlightIntent {
    assert(!this.#byId.has(intent.id), `intent ${intent.id} is tracked twice`);
    const inFlight = new InFlightIntent(intent, nowMs);
    this.#byId.set(intent.id, inFlight);
    this.#index(inFlight);
    return inFlight;
  }

  /** An intent that may be over already: then it is looked at again. */
  takeAgain(intentId: string, nowMs: number): InFlightIntent {
    return this.get(intentId) ?? this.take(must(this.#ledger.intent(intentId), `intent ${intentId}`), nowMs);
  }

  /** Writes the change; an intent that reaches a final state leaves. */
  move(
    inFlight: InFlightIntent,
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

  /** A change that is no change of state. */
  write(inFlight: InFlightIntent, change: IntentChange): void {
    inFlight.intent = this.#ledger.changeIntent(inFlight.intent.id, change);
    this.#index(inFlight);
  }

  drop(inFlight: InFlightIntent): void {
    this.#byId.delete(inFlight.intent.id);
    const slots = this.#slots[inFlight.intent.kind];
    const name = chooseSlot(inFlight.intent);
    if (name !== null && slots.get(name) === inFlight) slots.delete(name);
  }

  #index(inFlight: InFlightIntent): void {
    const { kind } = inFlight.intent;
    const name = chooseSlot(inFlight.intent);
    if (name === null) return;
    const holder = this.#slots[kind].get(name);
    assert(holder === undefined || holder === inFlight, `two intents under way: ${kind} of ${name}`);
    if (holder === undefined) this.#slots[kind].set(name, inFlight);
  }
}

/** Order or market of which there may be only one intent of this kind; null for a place without a draft. */
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

/** Orders that may still fill or whose fills are not all booked: a mirror of their rows in the ledger. */
export class UnsettledOrders {
  readonly #ledger: Ledger;
  readonly #unsettled = new Map<string, OrderRecord>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    for (const order of ledger.unsettledOrders()) this.#keep(order);
  }

  /** Any order of the ledger, settled or not; null for one that it never made. */
  get(pubkey: string): OrderRecord | null {
    return this.#unsettled.get(pubkey) ?? this.#ledger.order(pubkey);
  }

  /** In the order in which they came; not to be changed meanwhile. */
  get unsettled(): Iterable<OrderRecord> {
    return this.#unsettled.values();
  }

  /** Null for one that is settled as well as for one that this ledger never made. */
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

/** Pages of a hundred rows are polled; what is further back is looked up. */
const MOST = 1_000;

/** Own trades in the ledger, with the newest row of each. Polls repeat them: an equal row needs no read of the ledger. */
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
