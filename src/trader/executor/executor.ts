/**
 * Executes approved intents at the exchange, each at most once. The steps are: store the intent, request its draft,
 * store the draft, sign it, store the signature, submit. Only the exchange's record decides an intent's outcome. Only
 * the executor changes the states of intents and orders, by the table in `lifecycle.ts`.
 *
 * The executor signs only stored drafts. It never requests a second draft of an intent that may have been submitted. A
 * missing answer proves nothing, and a signed draft expires only by the exchange's clock. The executor has no network
 * access: it returns requests and gets one report for each.
 */

import { assert, must } from '../../shared/base/errors.js';
import { type FeeSchedule, notionalRate } from '../../shared/base/fees.js';
import { add, formatDecimal, type Micros, maxMicros, mul, sub, ZERO } from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { OrderRow, OwnTradeRow } from '../../shared/protocol/records.js';
import { describeOwner, type IntentStep } from '../../shared/protocol/request-owner.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import { isFinalOrder } from '../../shared/protocol/states.js';
import {
  type ConversionKind,
  type IntentKind,
  type IntentRow,
  isFinalIntent,
  type Ledger,
  type OrderRecord,
} from '../ledger/contract.js';
import type { Intent } from '../risk/intent.js';
import { type Approved, isApproved } from '../risk/risk.js';
import { Context, type RecordPoll } from './context.js';
import type { IntentSigner, Reaction, Reservation } from './contract.js';
import type { InFlight } from './in-flight-intents.js';
import { STANDINGS } from './lifecycle.js';
import { observeOrder, observeTrades } from './orders.js';
import { markUncertain, observeRecord, onDraft, onRead, onSubmit, sign } from './records.js';

/**
 * Executes intents. Call all methods that change state inside `ledger.transaction`. Queue each returned request
 * unchanged, and pass its result to `onReport` exactly once.
 */
export class Executor {
  readonly #context: Context;
  readonly #signer: IntentSigner;
  /**
   * Orders and conversions that may be signed and sent. If `placing` is false (kill, stop), the executor sends no
   * further order. Orders and conversions that may have been sent are still tracked. In a killed trader, set `placing`
   * before `recover` and `tick`.
   */
  readonly allowed: Pick<Context, 'placing' | 'converting'>;

  /** If the ledger is not new, call `recover` before any other method. */
  constructor(ledger: Ledger, signer: IntentSigner, profile: VenueProfile, settings: Context['settings']) {
    this.#context = new Context(ledger, profile, settings);
    this.allowed = this.#context;
    this.#signer = signer;
  }

  /**
   * Stores the intent's row and requests its draft. `reason` is JSON for the command `explain`. For an order, the
   * market's facts must be in the ledger (`saveMarket`). Cancels may target orders that are not in the ledger.
   *
   * Throws AssertionFailed if placing or converting is not allowed, the id is not new, or the same conversion or cancel
   * is pending.
   */
  begin(approved: Approved, nowMs: number, reason: string): readonly PlannedRequest[] {
    assert(isApproved(approved), 'risk has not approved the intent');
    const { intent } = approved;
    const strategy = intent.kind === 'place' ? intent.strategy : '';
    const off = intent.kind === 'place' ? 'placing' : 'converting';
    assert(this.#context.isAllowed(intent.kind, strategy), `${off} is off, but got ${intent.kind} ${intent.intentId}`);
    const reaction = this.#context.start(nowMs);
    const row = newRow(this.#context, intent, reason, nowMs);
    this.#context.ledger.addIntent(row);
    this.#context.queueRequest(this.#context.intents.take(row, nowMs), 'draft', nowMs);
    return reaction.requests;
  }

  /** Returns why a waiting draft or submit request must not be sent now; null if it may. Reads may always be sent. */
  findObjection(intentId: string, step: IntentStep, nowMs: number): string | null {
    if (step === 'read') return null;
    const inFlight = this.#context.intents.byId.get(intentId);
    return inFlight === undefined
      ? 'the intent of the request has ended'
      : this.#context.findObjection(inFlight, nowMs);
  }

  onReport(report: RequestResult): Reaction {
    const { owner } = report.request;
    assert(owner.kind === 'intent', `the report belongs to no intent: ${describeOwner(owner)}`);
    const { step, intentId } = owner;
    const reaction = this.#context.start(report.nowMs);
    if (report.venueTimeMs !== null) this.#context.venueNowMs = report.venueTimeMs;
    const inFlight = this.#context.intents.byId.get(intentId);
    if (inFlight === undefined || inFlight.busy !== step) {
      // The intent no longer waits for this answer, but a record in the answer is still applied.
      observeRecord(this.#context, inFlight, report);
      return reaction;
    }
    inFlight.busy = null;
    if (step === 'draft') onDraft(this.#context, inFlight, report);
    else if (step === 'submit') onSubmit(this.#context, inFlight, report);
    else onRead(this.#context, inFlight, report);
    this.#next(inFlight, report.nowMs);
    return reaction;
  }

  /** Signs drafts that an earlier transaction stored. Returns submit requests. `objectionTo` may reject an order. */
  signDrafts(nowMs: number, objectionTo?: Parameters<typeof sign>[4]): Reaction {
    const reaction = this.#context.start(nowMs);
    for (const inFlight of this.#context.toSign.splice(0))
      sign(this.#context, this.#signer, inFlight, nowMs, objectionTo);
    return reaction;
  }

  /** Does all due work. Call `tick` at least once a second. `venueNowMs`: exchange time; null while unknown. */
  tick(nowMs: number, venueNowMs: number | null): Reaction {
    const reaction = this.#context.start(nowMs);
    if (venueNowMs !== null) this.#context.venueNowMs = venueNowMs;
    for (const inFlight of this.#context.intents.all()) {
      if (inFlight.intent.state === 'abandoned') this.#context.lapse(inFlight, nowMs);
      else this.#actIfDue(inFlight, nowMs);
    }
    return reaction;
  }

  /** Restores the intents in flight from the ledger. Call `recover` once at the start, before any other method. */
  recover(nowMs: number): Reaction {
    const reaction = this.#context.start(nowMs);
    for (const intent of this.#context.ledger.activeIntents()) {
      this.#takeUp(this.#context.intents.take(intent, nowMs), nowMs);
    }
    return reaction;
  }

  /** Processes the complete list of own resting orders, whose first page was requested at `listSentMs`. */
  onOwnOrders(rows: readonly OrderRow[], listSentMs: number, nowMs: number): Reaction {
    const look: RecordPoll = { sentMs: listSentMs, nowMs, venueTimeMs: null, source: 'list' };
    const reaction = this.#context.start(nowMs);
    const listed = new Set<string>();
    for (const row of rows) {
      const order = row.pubkey === null ? null : this.#context.orders.get(row.pubkey);
      if (order === null) {
        if (isFinalOrder(row.status)) continue;
        const pubkey = row.pubkey ?? '(none)';
        const text = `order ${pubkey} rests for our wallet but is not in this ledger: ${describeRow(row)}`;
        this.#context.reportForeign('foreign_order', pubkey, row.market.condition_id, text, nowMs);
        continue;
      }
      listed.add(order.pubkey);
      observeOrder(this.#context, order, row, look);
    }
    for (const inFlight of this.#context.intents.all()) {
      const { kind, state, draftPubkey } = inFlight.intent;
      if (kind !== 'place' || state !== 'live' || listed.has(must(draftPubkey, 'pubkey of a live order'))) continue;
      // An order that is missing in the list may still rest, so its record is read. Lists that were requested before
      // the order was live are ignored.
      if (inFlight.liveSinceMs < listSentMs && inFlight.busy === null && inFlight.dueMs === null)
        inFlight.dueMs = nowMs;
    }
    return reaction;
  }

  /** Processes rows of any page of `trades.list`, in any order of pages. Known rows are skipped by a cache. */
  onOwnTrades(rows: readonly OwnTradeRow[], nowMs: number, venueTimeMs: number | null = null): Reaction {
    // A front end of the exchange may have a slow clock. Without any time of the exchange, no time counts as late.
    const knownMs = Math.max(venueTimeMs ?? 0, this.#context.venueNowMs ?? 0);
    const venueS = knownMs === 0 ? Number.POSITIVE_INFINITY : Math.floor(knownMs / 1000);
    const reaction = this.#context.start(nowMs);
    observeTrades(this.#context, rows, nowMs, venueS);
    return reaction;
  }

  isUnderWay(intentId: string): boolean {
    return this.#context.intents.byId.has(intentId);
  }

  setConfigHash(configHash: string): void {
    this.#context.settings = { ...this.#context.settings, configHash };
  }

  /**
   * Withdraws intents of these kinds that are in flight now in this market (null: in all markets). The executor does not
   * draft, sign or send withdrawn intents, but still tracks those that may have been sent. Later intents are not affected.
   */
  withdraw(marketConditionId: string | null, nowMs: number, kinds: readonly IntentKind[] = ['place']): void {
    for (const inFlight of this.#context.intents.all()) {
      const { kind, state, marketConditionId: market } = inFlight.intent;
      if (!kinds.includes(kind) || inFlight.withdrawn) continue;
      if (marketConditionId !== null && market !== marketConditionId) continue;
      const { effect } = STANDINGS[state];
      if (effect !== 'none' && effect !== 'maybe') continue;
      inFlight.withdrawn = true;
      this.#context.intents.write(inFlight, { state, updatedMs: nowMs, lastReason: `the trader withdrew the ${kind}` });
    }
  }

  /** Conversions in flight whose newest records show an impossible payment or number of sets that is not adopted. */
  get disputed(): readonly InFlight[] {
    return this.#context.intents
      .all()
      .filter(({ disputedMicros: figure, adoptedMicros }) => figure !== null && figure !== adoptedMicros);
  }

  restingOrders() {
    const resting = [];
    for (const { intent } of this.#context.intents.byId.values()) {
      const { kind, state, id: intentId, draftPubkey: orderPubkey } = intent;
      if (kind !== 'place' || state !== 'live' || orderPubkey === null) continue;
      const { createdMs } = must(this.#context.orders.get(orderPubkey), `order of ${intentId}`);
      const cancelPending = this.#context.intents.byKey.cancel.has(orderPubkey);
      resting.push({ orderPubkey, intentId, createdMs, cancelPending });
    }
    return resting;
  }

  /** Returns the reservations of all intents that may still move currency or shares. Cancels move neither. */
  reservations(): readonly Reservation[] {
    const found: Reservation[] = [];
    for (const inFlight of this.#context.intents.byId.values()) {
      const { intent } = inFlight;
      const pubkey = intent.kind === 'place' ? intent.draftPubkey : null;
      const order = pubkey === null ? null : (this.#context.orders.unsettled.get(pubkey) ?? null);
      // A reservation is computed again only if its ledger rows have changed.
      if (inFlight.reserved?.intent !== intent || inFlight.reserved.order !== order) {
        const phase = STANDINGS[intent.state].reserves;
        const amount = intent.amountMicros ?? ZERO;
        // Fills that failed count as unfilled, because the exchange may put their shares back into the order.
        const left = order === null ? amount : subtractBooked(order, amount);
        const isOver = phase === null || intent.kind === 'cancel';
        const reservation = isOver ? null : reserving(intent, phase, left, this.#context.feeSchedule);
        inFlight.reserved = { intent, order, reservation };
      }
      if (inFlight.reserved.reservation !== null) found.push(inFlight.reserved.reservation);
    }
    for (const order of this.#context.orders.unsettled.values()) {
      const inFlight = this.#context.intents.byId.get(order.intentId);
      // The loop above has already added the reservations of intents that have not ended.
      if (order.closedMs === null || (inFlight !== undefined && !isFinalIntent(inFlight.intent.state))) continue;
      const intent = must(this.#context.ledger.intent(order.intentId), `intent of order ${order.pubkey}`);
      // The order has ended, but shares and currency of fills that are not booked yet stay reserved.
      const left = subtractBooked(order, sub(order.filledMicros, order.failedMicros));
      found.push(reserving(intent, 'resting', left, this.#context.feeSchedule));
    }
    return found;
  }

  /** Returns the intent id of the unfinished conversion of this kind in this market; null if there is none. */
  pendingConversion(kind: ConversionKind, marketConditionId: string): string | null {
    return this.#context.intents.byKey[kind].get(marketConditionId)?.intent.id ?? null;
  }

  pendingCancel(orderPubkey: string): string | null {
    return this.#context.intents.byKey.cancel.get(orderPubkey)?.intent.id ?? null;
  }

  /** Returns orders whose filled amount exceeds their booked fills. The engine searches older trades for the rest. */
  missingFills() {
    const found = [];
    for (const order of this.#context.orders.unsettled.values()) {
      const { pubkey: orderPubkey, marketConditionId, createdMs, closedMs } = order;
      const missingMicros = sub(sub(order.filledMicros, order.bookedMicros), order.failedMicros);
      if (missingMicros > 0) found.push({ orderPubkey, marketConditionId, missingMicros, createdMs, closedMs });
    }
    return found;
  }

  /** Ends the wait for a missing fill whose shares the ledger has adopted. The fill counts as failed, not as booked. */
  endWait({ orderPubkey, missingMicros }: MissingFills, nowMs: number): void {
    this.#context.orders.noteFailedTrade(`${orderPubkey}@${nowMs}`, orderPubkey, missingMicros, nowMs);
  }

  /** Schedules the next read of an unfinished intent, or drops a finished intent from the list. */
  #next(inFlight: InFlight, nowMs: number): void {
    if (this.#context.intents.byId.get(inFlight.intent.id) !== inFlight) return;
    const { state, kind } = inFlight.intent;
    const { effect } = STANDINGS[state];
    const idle = inFlight.busy === null && inFlight.dueMs === null;
    const isPending = effect === 'maybe' || (effect === 'there' && kind !== 'place');
    if (idle && isFinalIntent(state)) this.#context.intents.drop(inFlight);
    else if (idle && isPending) this.#context.lookLater(inFlight, nowMs);
    this.#actIfDue(inFlight, nowMs);
  }

  #actIfDue(inFlight: InFlight, nowMs: number): void {
    if (inFlight.busy !== null || inFlight.dueMs === null || inFlight.dueMs > nowMs) return;
    const step = this.#dueStep(inFlight, nowMs);
    inFlight.dueMs = null;
    const objection = step === 'draft' ? this.#context.findObjection(inFlight, nowMs) : null;
    if (objection !== null) {
      this.#context.giveUp(inFlight, 'draftLost', 'withdrawn', nowMs, `not drafted: ${objection}`);
      return;
    }
    if (step === 'submit') {
      const { state, submitCount } = inFlight.intent;
      this.#context.intents.write(inFlight, { state, updatedMs: nowMs, submitCount: submitCount + 1 });
    }
    if (step !== null) this.#context.queueRequest(inFlight, step, nowMs);
  }

  #dueStep(inFlight: InFlight, nowMs: number): IntentStep | null {
    const { effect } = STANDINGS[inFlight.intent.state];
    if (effect === 'none') return inFlight.intent.state === 'intended' ? 'draft' : null;
    if (effect === 'never') return null;
    return inFlight.resend && this.#context.mayResend(inFlight, nowMs) ? 'submit' : 'read';
  }

  #takeUp(inFlight: InFlight, nowMs: number): void {
    const { effect } = STANDINGS[inFlight.intent.state];
    if (effect === 'none') {
      this.#context.giveUp(inFlight, 'withdrawn', 'withdrawn', nowMs, 'the trader stopped before the draft was signed');
    } else if (effect === 'maybe') {
      // Orders and splits are not sent again, because their market may have been paused or flattened since.
      inFlight.withdrawn = inFlight.intent.kind === 'place' || inFlight.intent.kind === 'split';
      markUncertain(this.#context, inFlight, nowMs, nowMs, 'the trader stopped before the outcome was known');
    } else if (effect === 'there' && inFlight.intent.kind !== 'place') {
      // The next list of own orders confirms orders, but the record of a conversion must be read.
      inFlight.dueMs = nowMs;
    }
    this.#actIfDue(inFlight, nowMs);
  }
}

function describeRow({ side, amount, price, outcome, status, market }: OrderRow): string {
  const [shares, limit] = [amount, price].map((value) => (value === null ? '?' : formatDecimal(value)));
  return `${side} ${shares} ${outcome.is_yes ? 'YES' : 'NO'} at ${limit}, ${status ?? '?'}, in "${market.title}"`;
}

type MissingFills = Readonly<ReturnType<Executor['missingFills']>[number]>;

const subtractBooked = (order: OrderRecord, upTo: Micros): Micros => maxMicros(ZERO, sub(upTo, order.bookedMicros));

/** Returns the reservation of an intent. A sale, merge or redeem reserves shares; a buy or split reserves currency. */
function reserving(intent: IntentRow, phase: Reservation['phase'], leftMicros: Micros, fees: FeeSchedule): Reservation {
  const { kind, marketConditionId, isYes, side, priceMicros, strategy, isProbe, createdMs } = intent;
  const feeRateMicros =
    side === null || priceMicros === null ? ZERO : notionalRate(fees, intent.feeRateMicros, priceMicros);
  const notional = side === 'buy' ? mul(must(priceMicros, 'price of a place'), leftMicros, 'ceil') : ZERO;
  const split = kind === 'split' ? leftMicros : ZERO;
  const given = side === 'buy' || kind === 'split' ? ZERO : leftMicros;
  return {
    intentId: intent.id,
    kind,
    marketConditionId,
    phase,
    isYes,
    side,
    priceMicros,
    remainingMicros: leftMicros,
    feeRateMicros,
    cashMicros: add(split, add(notional, mul(feeRateMicros, notional, 'ceil'))),
    yesMicros: isYes === false ? ZERO : (intent.redeemYesMicros ?? given),
    noMicros: isYes === true ? ZERO : (intent.redeemNoMicros ?? given),
    strategy,
    isProbe,
    createdMs,
  };
}

function newRow(context: Context, intent: Intent, reason: string, nowMs: number): IntentRow {
  const place = intent.kind === 'place' ? intent : null;
  const redeem = intent.kind === 'redeem' ? intent : null;
  const orderPubkey = intent.kind === 'cancel' ? intent.orderPubkey : null;
  return {
    id: intent.intentId,
    runId: context.settings.runId,
    kind: intent.kind,
    marketConditionId: intent.marketConditionId,
    isYes: place?.isYes ?? null,
    side: place?.side ?? null,
    priceMicros: place?.priceMicros ?? (intent.kind === 'split' ? intent.yesPriceMicros : null),
    amountMicros: 'amountMicros' in intent ? intent.amountMicros : null,
    redeemYesMicros: redeem?.yesMicros ?? null,
    redeemNoMicros: redeem?.noMicros ?? null,
    orderPubkey,
    feeRateMicros:
      place === null
        ? ZERO
        : must(context.worstFeeRate(place.marketConditionId), `facts of market ${place.marketConditionId}`),
    strategy: place?.strategy ?? '',
    isProbe: place?.isProbe === true,
    reason,
    state: 'intended',
    draftPubkey: null,
    message: null,
    expiresAtS: null,
    signature: null,
    submitCount: 0,
    createdMs: nowMs,
    updatedMs: nowMs,
    lastReason: 'the draft is requested',
    configHash: context.settings.configHash,
  };
}
