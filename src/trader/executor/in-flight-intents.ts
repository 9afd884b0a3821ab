/** Intents in flight: a copy of each intent's ledger row, with data that the ledger does not store. */

import { assert, must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import type { IntentStep } from '../../shared/protocol/request-owner.js';
import { type IntentKind, type IntentRow, isFinalIntent, type Ledger, type OrderRecord } from '../ledger/contract.js';
import type { Reservation } from './contract.js';
import { nextState } from './lifecycle.js';

type IntentChange = Parameters<Ledger['changeIntent']>[1];

export interface InFlight {
  intent: IntentRow;
  /** Step of the intent's pending request; null if none is pending. An intent has at most one pending request. */
  busy: IntentStep | null;
  /** Time of the intent's next action, our clock, ms; null if no action is planned. */
  dueMs: number | null;
  /** Next action of the intent: true submits the same signature again, false reads the exchange's record. */
  resend: boolean;
  /** Number of consecutive reads and submits that showed no change of the intent. The waits grow with this number. */
  tries: number;
  /** Time when the record was first shown as expired, our clock, ms; null if not. A second read confirms the expiry. */
  expiredSinceMs: number | null;
  /** Time since which the intent is known to be live, our clock, ms. A list requested earlier may lack the order. */
  liveSinceMs: number;
  /** Whether the operator was notified that the exchange does not know the record. */
  missingTold: boolean;
  /** Whether the intent was withdrawn; the executor then does not draft, sign or send it. */
  withdrawn: boolean;
  /** Whether the operator was notified that the record differs from the request. */
  differsTold: boolean;
  /** Impossible payment or amount of a conversion in its newest record, and the one an operator adopted; or null. */
  disputedMicros: Micros | null;
  adoptedMicros: Micros | null;
  /** Cached reservation of the intent, with the ledger rows from which it was computed. */
  reserved: {
    readonly intent: IntentRow;
    readonly order: OrderRecord | null;
    readonly reservation: Reservation | null;
  } | null;
}

const NO_CHANGE = {};

export class InFlightIntents {
  readonly #ledger: Ledger;
  /** Intents by id. Intents must not be added or removed while a caller iterates over them. */
  readonly byId = new Map<string, InFlight>();
  /** Unfinished intents by kind and key: one `place` and `cancel` per order, one conversion of each kind per market. */
  readonly byKey: Readonly<Record<IntentKind, Map<string, InFlight>>> = {
    place: new Map(),
    cancel: new Map(),
    merge: new Map(),
    split: new Map(),
    redeem: new Map(),
  };

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Returns a copy of the list of intents, so that the caller may add and remove intents while it iterates. */
  all(): InFlight[] {
    return [...this.byId.values()];
  }

  /** Replaces stored times later than `nowMs` by `nowMs`. Call `stepBack` after our clock was set back to `nowMs`. */
  stepBack(nowMs: number): void {
    for (const inFlight of this.byId.values()) {
      if (inFlight.dueMs !== null) inFlight.dueMs = Math.min(inFlight.dueMs, nowMs);
      if (inFlight.expiredSinceMs !== null) inFlight.expiredSinceMs = Math.min(inFlight.expiredSinceMs, nowMs);
      inFlight.liveSinceMs = Math.min(inFlight.liveSinceMs, nowMs);
    }
  }

  take(intent: IntentRow, nowMs: number): InFlight {
    assert(!this.byId.has(intent.id), `intent ${intent.id} is tracked twice`);
    const inFlight: InFlight = {
      intent,
      busy: null,
      dueMs: null,
      resend: false,
      tries: 0,
      expiredSinceMs: null,
      liveSinceMs: nowMs,
      missingTold: false,
      withdrawn: false,
      differsTold: false,
      disputedMicros: null,
      adoptedMicros: null,
      reserved: null,
    };
    this.byId.set(intent.id, inFlight);
    this.#index(inFlight);
    return inFlight;
  }

  /** Returns the intent. An ended intent is first added to the list again, so that its record can be read. */
  takeAgain(intentId: string, nowMs: number): InFlight {
    return this.byId.get(intentId) ?? this.take(must(this.#ledger.intent(intentId), `intent ${intentId}`), nowMs);
  }

  /** Applies an event to an intent and writes its ledger row. An intent in a final state is dropped from the list. */
  move(
    inFlight: InFlight,
    event: Parameters<typeof nextState>[1],
    nowMs: number,
    lastReason: string,
    change: Omit<IntentChange, 'state' | 'updatedMs' | 'lastReason'> = NO_CHANGE,
  ): void {
    const state = nextState(inFlight.intent.state, event);
    if (state === 'live' && inFlight.intent.state !== 'live') inFlight.liveSinceMs = nowMs;
    this.write(inFlight, { state, updatedMs: nowMs, lastReason, ...change });
    if (isFinalIntent(state)) this.drop(inFlight);
  }

  write(inFlight: InFlight, change: IntentChange): void {
    inFlight.intent = this.#ledger.changeIntent(inFlight.intent.id, change);
    this.#index(inFlight);
  }

  drop(inFlight: InFlight): void {
    this.byId.delete(inFlight.intent.id);
    const slots = this.byKey[inFlight.intent.kind];
    const key = findKey(inFlight.intent);
    if (key !== null && slots.get(key) === inFlight) slots.delete(key);
  }

  #index(inFlight: InFlight): void {
    const { kind } = inFlight.intent;
    const key = findKey(inFlight.intent);
    if (key === null) return;
    const holder = this.byKey[kind].get(key);
    assert(holder === undefined || holder === inFlight, `two ${kind} intents are in flight for ${key}`);
    if (holder === undefined) this.byKey[kind].set(key, inFlight);
  }
}

/** Returns an intent's unique key within its kind: an order or a market; null for a `place` without a draft. */
function findKey({ kind, draftPubkey, orderPubkey, marketConditionId }: IntentRow): string | null {
  if (kind === 'place') return draftPubkey;
  return kind === 'cancel' ? must(orderPubkey, 'order of a cancel') : marketConditionId;
}
