/**
 * Turns approved intents into effects at the exchange, each at most once: row, draft, stored draft, signature, stored
 * signature, submit, and then the exchange's record, which alone says what became of it. It alone changes the state of
 * intents and orders, by the table in `lifecycle.ts`.
 *
 * It never signs what is not stored, never drafts again what may have been submitted, never takes silence for an answer,
 * and never trusts our clock about the exchange's expiries. It sees no network: asks go out, reports come in, and every
 * ask comes back exactly once.
 */

import { assert, must } from '../../shared/base/errors.js';
import { describeOwner, type IntentStep } from '../../shared/protocol/ask-owner.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { OrderRow, OwnTradeRow } from '../../shared/protocol/records.js';
import type { Ask, Report } from '../../shared/protocol/seam.js';
import { isFinalIntent, type Ledger } from '../ledger/contract.js';
import { type Approved, isApproved } from '../risk/risk.js';
import { ExecutorContext, type Look } from './context.js';
import type {
  DraftSigner,
  ExecutorSettings,
  LiveOrder,
  MissingFills,
  OrderExecutor,
  Placing,
  Reaction,
  Reservation,
} from './contract.js';
import { newRow, onDraft } from './drafts.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { STANDINGS } from './lifecycle.js';
import { observeOrder } from './orders.js';
import { observe, onRead } from './records.js';
import { liveOrders, reservations } from './reservations.js';
import { onSubmit, sign, uncertain } from './submits.js';
import { missingFills, observeTrades } from './trades.js';

export class Executor implements OrderExecutor {
  readonly #desk: ExecutorContext;
  readonly #signer: DraftSigner;

  /** A start with a ledger that has a past calls `recover` before anything else. */
  constructor(ledger: Ledger, signer: DraftSigner, profile: VenueProfile, settings: ExecutorSettings) {
    this.#desk = new ExecutorContext(ledger, profile, settings);
    this.#signer = signer;
  }

  begin(approved: Approved, nowMs: number, reason: string): readonly Ask[] {
    assert(isApproved(approved), 'an intent that risk did not approve');
    const { intent } = approved;
    const strategy = intent.kind === 'place' ? intent.strategy : '';
    const off = intent.kind === 'place' ? 'placing' : 'converting';
    assert(this.#desk.isAllowed(intent.kind, strategy), `a ${intent.kind} while ${off} is off: ${intent.intentId}`);
    return this.#desk.reaction(nowMs, () => {
      const row = newRow(this.#desk, intent, reason, nowMs);
      this.#desk.ledger.addIntent(row);
      this.#desk.ask(this.#desk.tracks.take(row, nowMs), 'draft', nowMs);
    }).asks;
  }

  onReport(report: Report): Reaction {
    const { owner } = report.ask;
    assert(owner.kind === 'intent', `a report for no intent: ${describeOwner(owner)}`);
    const { step, intentId } = owner;
    return this.#desk.reaction(report.nowMs, () => {
      if (report.venueTimeMs !== null) this.#desk.venueNowMs = report.venueTimeMs;
      const track = this.#desk.tracks.get(intentId);
      if (track === null || track.busy !== step) {
        // Settled by another way while this was out: its record is still news.
        observe(this.#desk, track, report);
        return;
      }
      track.busy = null;
      if (step === 'draft') onDraft(this.#desk, track, report);
      else if (step === 'submit') onSubmit(this.#desk, track, report);
      else onRead(this.#desk, track, report);
      this.#next(track, report.nowMs);
    });
  }

  afterCommit(nowMs: number): Reaction {
    return this.#desk.reaction(nowMs, () => {
      for (const track of this.#desk.toSign.splice(0)) sign(this.#desk, this.#signer, track, nowMs);
    });
  }

  tick(nowMs: number, venueNowMs: number | null): Reaction {
    return this.#desk.reaction(nowMs, () => {
      if (venueNowMs !== null) this.#desk.venueNowMs = venueNowMs;
      for (const track of this.#desk.tracks.all()) {
        if (track.intent.state === 'abandoned') this.#desk.lapse(track, nowMs);
        else this.#actIfDue(track, nowMs);
      }
    });
  }

  recover(nowMs: number): Reaction {
    return this.#desk.reaction(nowMs, () => {
      for (const intent of this.#desk.ledger.activeIntents()) {
        this.#takeUp(this.#desk.tracks.take(intent, nowMs), nowMs);
      }
    });
  }

  onOwnOrders(rows: readonly OrderRow[], listSentMs: number, nowMs: number): Reaction {
    const look: Look = { sentMs: listSentMs, nowMs, venueTimeMs: null, source: 'list' };
    return this.#desk.reaction(nowMs, () => {
      const listed = new Set<string>();
      for (const row of rows) {
        const order = row.pubkey === null ? null : this.#desk.orders.get(row.pubkey);
        if (order === null) {
          const pubkey = row.pubkey ?? '(none)';
          const text = `order ${pubkey} rests under our wallet and is not of this ledger: ${JSON.stringify(row)}`;
          this.#desk.foreign('foreign_order', pubkey, row.market.condition_id, text, nowMs);
          continue;
        }
        listed.add(order.pubkey);
        observeOrder(this.#desk, order, row, look);
      }
      for (const track of this.#desk.tracks.all()) {
        const { kind, state, draftPubkey } = track.intent;
        if (kind !== 'place' || state !== 'live' || listed.has(must(draftPubkey, 'pubkey of a live order'))) continue;
        // Absence from a list proves nothing; its own record does. A list that left earlier may not have it yet.
        if (track.liveSinceMs < listSentMs && track.busy === null && track.dueMs === null) track.dueMs = nowMs;
      }
    });
  }

  onOwnTrades(rows: readonly OwnTradeRow[], nowMs: number): Reaction {
    return this.#desk.reaction(nowMs, () => observeTrades(this.#desk, rows, nowMs));
  }

  setPlacing(allowed: Placing): void {
    this.#desk.placing = allowed;
  }

  setConverting(allowed: boolean): void {
    this.#desk.converting = allowed;
  }

  withdraw(marketConditionId: string | null, nowMs: number): void {
    for (const track of this.#desk.tracks.all()) {
      const { kind, state, marketConditionId: market } = track.intent;
      if (kind !== 'place' || track.withdrawn) continue;
      if (marketConditionId !== null && market !== marketConditionId) continue;
      const { effect } = STANDINGS[state];
      if (effect !== 'none' && effect !== 'maybe') continue;
      track.withdrawn = true;
      this.#desk.tracks.write(track, { state, updatedMs: nowMs, lastReason: 'withdrawn while it was under way' });
    }
  }

  liveOrders(): readonly LiveOrder[] {
    return liveOrders(this.#desk);
  }

  reservations(): readonly Reservation[] {
    return reservations(this.#desk);
  }

  pendingMerge(marketConditionId: string): string | null {
    return this.#desk.tracks.conversionOf('merge', marketConditionId)?.intent.id ?? null;
  }

  pendingRedeem(marketConditionId: string): string | null {
    return this.#desk.tracks.conversionOf('redeem', marketConditionId)?.intent.id ?? null;
  }

  pendingCancel(orderPubkey: string): string | null {
    return this.#desk.tracks.cancelOf(orderPubkey)?.intent.id ?? null;
  }

  missingFills(): readonly MissingFills[] {
    return missingFills(this.#desk);
  }

  /** Nothing that is unsettled is left without a next look, and nothing that is over is kept. */
  #next(track: InFlightIntent, nowMs: number): void {
    if (this.#desk.tracks.get(track.intent.id) !== track) return;
    const { state, kind } = track.intent;
    const { effect } = STANDINGS[state];
    const idle = track.busy === null && track.dueMs === null;
    if (isFinalIntent(state)) {
      if (idle) this.#desk.tracks.drop(track);
    } else if (idle && (effect === 'maybe' || (effect === 'there' && kind !== 'place'))) {
      this.#desk.lookLater(track, nowMs);
    }
    this.#actIfDue(track, nowMs);
  }

  #actIfDue(track: InFlightIntent, nowMs: number): void {
    if (track.busy !== null || track.dueMs === null || track.dueMs > nowMs) return;
    const step = this.#dueStep(track, nowMs);
    track.dueMs = null;
    const objection = step === 'draft' ? this.#desk.objectionTo(track, nowMs) : null;
    if (objection !== null) {
      this.#desk.giveUp(track, 'draftLost', 'withdrawn', nowMs, `not drafted: ${objection}`);
      return;
    }
    if (step === 'submit') {
      const { state, submitCount } = track.intent;
      this.#desk.tracks.write(track, { state, updatedMs: nowMs, submitCount: submitCount + 1 });
    }
    if (step !== null) this.#desk.ask(track, step, nowMs);
  }

  #dueStep(track: InFlightIntent, nowMs: number): IntentStep | null {
    const { effect } = STANDINGS[track.intent.state];
    if (effect === 'none') return track.intent.state === 'intended' ? 'draft' : null;
    if (effect === 'never') return null;
    return track.resend && this.#desk.mayResend(track, nowMs) ? 'submit' : 'read';
  }

  /** What the process before this one had under way. */
  #takeUp(track: InFlightIntent, nowMs: number): void {
    const { effect } = STANDINGS[track.intent.state];
    if (effect === 'none') {
      this.#desk.giveUp(track, 'withdrawn', 'withdrawn', nowMs, 'the trader stopped before it was signed');
    } else if (effect === 'maybe') {
      uncertain(this.#desk, track, nowMs, nowMs, 'the trader stopped before it was settled');
    } else if (effect === 'there' && track.intent.kind !== 'place') {
      // Orders are confirmed by the next list of own orders, conversions by their records.
      track.dueMs = nowMs;
    }
    this.#actIfDue(track, nowMs);
  }
}
