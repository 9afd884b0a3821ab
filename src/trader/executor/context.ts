/** State that the executor's parts share: ledger, intents, settings, and the events of the current call. */

import { must } from '../../shared/base/errors.js';
import { computeFee, type FeeSchedule } from '../../shared/base/fees.js';
import { add, formatDecimal, type Micros, maxMicros, micros, ONE, sub, ZERO } from '../../shared/base/micros.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { OwnTradeRow } from '../../shared/protocol/records.js';
import type { IntentStep } from '../../shared/protocol/request-owner.js';
import type { AnyCall, PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import {
  type BookedFill,
  type IntentKind,
  type IntentRow,
  type Ledger,
  type OrderRecord,
  placeTerms,
} from '../ledger/contract.js';
import { tradeNotional } from '../ledger/postings.js';
import type { Converting, ExecutorEvent, Reaction, Trouble } from './contract.js';
import { type InFlight, InFlightIntents } from './in-flight-intents.js';
import { FIRST_LOOK_MS, STANDINGS } from './lifecycle.js';

// Wait times before the next read or retry. The executor reads an unfinished record until it shows the end of the
// intent. Until then, the intent's capital stays reserved.

/** Maximum waits, ms. */
const LONGEST_WAITS_MS = {
  /** Wait between requests while the exchange does not answer; short, so that a new answer is noticed soon. */
  silent: 10_000,
  /** Wait before the next read of a record that the exchange does not know. */
  missing: 60_000,
  /** Wait between reads of a conversion. Conversions take 0.5 s on paper, seconds on a blockchain. */
  landing: 5_000,
};

interface ExecutorSettings {
  /** Id of the run, which `startRun` must have stored in the ledger. */
  readonly runId: string;
  readonly configHash: string;
  /** Poll interval of own orders, ms; also the minimum time between the two reads that confirm an expiry. */
  readonly ownPollMs: number;
}

/** Orders that the executor may begin, sign and send: all (true), none (false), or those of one strategy. */
type Placing = boolean | { readonly onlyStrategy: string };

/** Kind of irregular record that the exchange shows for our wallet. The ledger stores each such record once. */
type Oddity = Exclude<Trouble, 'record_missing' | 'record_differs'>;

/** Maximum number of cached own trades: ten pages of a hundred rows. */
const MOST = 1_000;

const TRADE_FIELDS = ['state', 'price', 'amount', 'fee', 'is_maker', 'timestamp', 'market_condition_id'] as const;

/** Maximum delay until a request whose answer was lost takes effect, s. This delay is added to a draft's expiry. */
const LATE_DELIVERY_S = 60;
/** Maximum age of an order's price when the order is signed or sent, ms. Usually the age is under a second. */
const PLACE_USEFUL_MS = 5_000;
/** Tolerance for a comparison of two exchange times, s: both are rounded to whole seconds. */
const WHOLE_SECONDS_S = 2;

/** Times of a read, and whether its records came from a list or from a read of one record. */
export interface RecordPoll extends Pick<RequestResult, 'sentMs' | 'nowMs' | 'venueTimeMs'> {
  /** A `list` row may be outdated: if it contradicts the known state, the record itself is read. */
  readonly source: 'record' | 'list';
}

/** Maximum number of rows unknown to this ledger that one read reports. A faulty exchange must not fill the disk. */
const MOST_FOREIGN = 20;

type Abandonment = 'draftLost' | 'withdrawn' | 'signRefused' | 'neverSent';

export class Context {
  readonly ledger: Ledger;
  readonly profile: VenueProfile;
  readonly feeSchedule: FeeSchedule;
  settings: ExecutorSettings;
  readonly intents: InFlightIntents;
  readonly orders: UnsettledOrders;
  readonly bookedTrades = new BookedTrades();
  readonly undoneOrders = new UndoneOrders();
  placing: Placing = true;
  converting: Converting = 'all';
  /** Newest time of the exchange's clock, ms; null before its first answer. */
  venueNowMs: number | null = null;
  /** Intents whose drafts were stored since the last signing and still need a signature. */
  readonly toSign: InFlight[] = [];
  #nowMs = Number.NEGATIVE_INFINITY;
  #requests: PlannedRequest[] = [];
  #events: ExecutorEvent[] = [];
  #foreign = 0;

  constructor(ledger: Ledger, profile: VenueProfile, settings: ExecutorSettings) {
    this.ledger = ledger;
    this.profile = profile;
    this.feeSchedule = profile.fee_schedule ?? 'notional';
    this.settings = settings;
    this.intents = new InFlightIntents(ledger);
    this.orders = new UnsettledOrders(ledger);
  }

  /** Begins a call of the executor. The returned reaction collects the requests and events of this call. */
  start(nowMs: number): Reaction {
    if (nowMs < this.#nowMs) this.intents.stepBack(nowMs);
    this.#nowMs = nowMs;
    this.#requests = [];
    this.#events = [];
    this.#foreign = 0;
    return { requests: this.#requests, events: this.#events };
  }

  queueRequest(inFlight: InFlight, step: IntentStep, nowMs: number): void {
    inFlight.busy = step;
    inFlight.dueMs = null;
    this.#requests.push(planRequest(step, inFlight.intent, nowMs));
  }

  emit(event: ExecutorEvent): void {
    this.#events.push(event);
  }

  reportTrouble(trouble: Trouble, market: string | null, text: string, subject: string | null = null): void {
    this.emit({ kind: 'trouble', trouble, market, text, subject });
  }

  /** Reports an irregular record of the exchange, once per record. Each failure of a settled trade is reported. */
  reportOddity(kind: Oddity, pubkey: string, market: string | null, text: string, nowMs: number): void {
    const isNew = this.ledger.noteOddity(kind, pubkey, text, nowMs);
    // A trade may settle and fail again. Each reversal changes the position, so orders in flight are decided again.
    if (isNew || kind === 'settled_trade_failed') this.reportTrouble(kind, market, text, pubkey);
  }

  /** Reports a row that is not in the ledger. Rows beyond the maximum per read are reported at the next read. */
  reportForeign(kind: Oddity, pubkey: string, market: string | null, text: string, nowMs: number): void {
    if (this.#foreign > MOST_FOREIGN) return;
    if (this.#foreign < MOST_FOREIGN) {
      if (!this.ledger.noteOddity(kind, pubkey, text, nowMs)) return;
      this.reportTrouble(kind, market, text);
    } else {
      const rest = `more than ${MOST_FOREIGN} rows that are not in this ledger; the others are not stored`;
      this.reportTrouble(kind, null, `one read of the exchange's list returned ${rest}`);
    }
    this.#foreign += 1;
  }

  /** Reports a record of the exchange that differs from its request, at most once per intent. */
  reportDifference(inFlight: InFlight, what: string, row: object): void {
    if (inFlight.differsTold) return;
    inFlight.differsTold = true;
    const text = `${what} differs from its request: ${rowText(row)}`;
    this.reportTrouble('record_differs', inFlight.intent.marketConditionId, text, inFlight.intent.id);
  }

  /** Books a fill once. A fill that contradicts its order raises an alarm, because the exchange has moved the money. */
  bookFill(order: OrderRecord, fill: BookedFill): ReturnType<Ledger['bookFill']> {
    const { marketConditionId, intentId } = order;
    const booking = this.orders.bookFill(fill);
    if (booking === 'repeated' || booking === 'differs') return booking;
    const intent = this.ledger.intent(intentId);
    const isNew = booking === 'booked';
    if (isNew) this.emit({ kind: 'fillBooked', fill, intentId, strategy: intent?.strategy ?? '' });
    const feeRateMicros = maxMicros(intent?.feeRateMicros ?? ZERO, this.worstFeeRate(marketConditionId) ?? ZERO);
    const fees = { schedule: this.feeSchedule, rateMicros: feeRateMicros };
    const objection = fillObjection(order, fill, fees, !isNew);
    if (objection !== null) this.reportOddity('fill_differs', fill.pubkey, marketConditionId, objection, fill.seenMs);
    return booking;
  }

  /** Returns the higher of a market's maker and taker fee rates; null if unknown. An order may make and take. */
  worstFeeRate(marketConditionId: string): Micros | null {
    const market = this.ledger.market(marketConditionId);
    return market === null ? null : maxMicros(market.makerFeeRateMicros, market.takerFeeRateMicros);
  }

  reportNotDone(inFlight: InFlight, slug: string, reason: string): void {
    const { id: intentId, kind: intentKind, marketConditionId: market } = inFlight.intent;
    this.emit({ kind: 'notDone', intentId, intentKind, market, slug, reason });
  }

  lookLater(inFlight: InFlight, nowMs: number, cause: Parameters<typeof growingWaitMs>[1] = 'silent'): void {
    inFlight.resend = false;
    inFlight.dueMs = nowMs + growingWaitMs(inFlight.tries++, cause);
  }

  /** Plans an intent's next request: a repeated submit if the draft is still valid, else a read of its record. */
  sendAgain(inFlight: InFlight, look: Pick<RecordPoll, 'nowMs'>): void {
    this.lookLater(inFlight, look.nowMs);
    inFlight.expiredSinceMs = null;
    inFlight.resend = this.mayResend(inFlight, look.nowMs);
  }

  isAllowed(kind: IntentKind, strategy: string): boolean {
    if (kind === 'cancel') return true;
    if (kind === 'split') return this.converting === 'all';
    if (kind !== 'place') return this.converting !== 'none';
    return typeof this.placing === 'boolean' ? this.placing : this.placing.onlyStrategy === strategy;
  }

  /** Returns why an intent must not be drafted, signed or sent now; null if it may be. */
  findObjection({ intent, withdrawn }: InFlight, nowMs: number): string | null {
    const { kind, strategy, createdMs } = intent;
    if (!this.isAllowed(kind, strategy))
      return kind === 'place' ? 'the trader stopped placing orders' : 'the trader stopped converting shares';
    if (withdrawn) return 'the intent was withdrawn';
    if (kind !== 'place') return null;
    // If our clock was set back, the difference is negative, so its absolute value is compared.
    const ageMs = Math.abs(nowMs - createdMs);
    return ageMs > PLACE_USEFUL_MS ? `the order's price was decided ${ageMs} ms ago` : null;
  }

  mayResend(inFlight: InFlight, nowMs: number): boolean {
    const { signature, expiresAtS, state } = inFlight.intent;
    if (signature === null || STANDINGS[state].effect !== 'maybe') return false;
    if (this.findObjection(inFlight, nowMs) !== null) return false;
    return expiresAtS === null || this.venueNowMs === null || this.venueNowMs < expiresAtS * 1000;
  }

  /**
   * Returns true if a second read, at least one poll interval after the first, also shows the record as expired. One
   * read is not enough: the submit may still be in flight, or the answer may be outdated.
   */
  confirmExpiry(inFlight: InFlight, look: RecordPoll): boolean {
    inFlight.resend = false;
    inFlight.expiredSinceMs ??= look.nowMs;
    const secondLookMs = inFlight.expiredSinceMs + this.settings.ownPollMs;
    // After our clock was set back, `sentMs` may be later than `nowMs`.
    if (Math.min(look.sentMs, look.nowMs) >= secondLookMs) return true;
    inFlight.dueMs = Math.max(secondLookMs, look.nowMs);
    return false;
  }

  /** Returns true if a submit has shown no effect, and its draft expired at least `lateS` seconds ago. */
  isOverdue({ intent }: InFlight, look: Omit<RecordPoll, 'source'>, lateS = LATE_DELIVERY_S): boolean {
    const { kind, state, draftPubkey, expiresAtS, updatedMs } = intent;
    if (kind === 'place' && draftPubkey !== null && this.orders.get(draftPubkey)?.filledMicros) return false;
    if (STANDINGS[state].effect !== 'maybe' || expiresAtS === null || look.venueTimeMs === null) return false;
    // Both clocks must agree, because one may be wrong. Our clock may have been set back.
    return Math.min(Math.abs(look.nowMs - updatedMs), look.venueTimeMs - expiresAtS * 1000) > lateS * 1000;
  }

  /** Ends a signed intent if two reads show that its draft expired without effect. */
  expire(inFlight: InFlight, look: RecordPoll, why = 'the draft expired, and two reads show no effect of it'): void {
    if (!this.confirmExpiry(inFlight, look)) return;
    this.#end(inFlight, 'recordExpired', look.nowMs, why);
    this.reportNotDone(inFlight, 'expired', why);
  }

  giveUp(inFlight: InFlight, event: Abandonment, slug: string, nowMs: number, reason: string): void {
    this.abandon(inFlight, event, nowMs, reason);
    this.reportNotDone(inFlight, slug, reason);
  }

  refuseToSign(inFlight: InFlight, nowMs: number, reason: string): void {
    const { id: intentId, marketConditionId: market } = inFlight.intent;
    this.abandon(inFlight, 'signRefused', nowMs, reason);
    this.emit({ kind: 'signingRefused', intentId, market, reason });
  }

  /** Abandons an intent whose signature was never sent. The intent ends when its draft's locks have expired. */
  abandon(inFlight: InFlight, event: Abandonment, nowMs: number, reason: string): void {
    inFlight.dueMs = null;
    this.intents.move(inFlight, event, nowMs, reason);
    // The draft of a cancel locks nothing, so the order may be canceled again at once.
    if (inFlight.intent.kind === 'cancel') this.intents.move(inFlight, 'lapsed', nowMs, reason);
    else this.waitOut(inFlight, nowMs);
  }

  /** Ends an abandoned intent once its draft has expired by the exchange's clock. */
  lapse(inFlight: InFlight, nowMs: number): void {
    this.waitOut(inFlight, nowMs);
    const { expiresAtS, updatedMs } = inFlight.intent;
    const { draft_lifetime_s, clock_tolerance_s } = this.profile;
    // If the exchange's time is unknown, our clock decides. An error is harmless: an abandoned draft takes no effect.
    const isOver =
      this.venueNowMs === null
        ? Math.abs(nowMs - updatedMs) > (draft_lifetime_s + LATE_DELIVERY_S + clock_tolerance_s) * 1000
        : this.venueNowMs > (must(expiresAtS, 'expiry of an abandoned draft') + WHOLE_SECONDS_S) * 1000;
    // An unsigned draft cannot take effect, so the order ends without an answer from the exchange.
    if (isOver) this.#end(inFlight, 'lapsed', nowMs, inFlight.intent.lastReason);
  }

  #end(inFlight: InFlight, event: 'lapsed' | 'recordExpired', nowMs: number, why: string): void {
    const { kind, draftPubkey } = inFlight.intent;
    const order = kind === 'place' && draftPubkey !== null ? this.orders.get(draftPubkey) : null;
    if (order !== null)
      this.orders.change(order.pubkey, { status: 'expired', filledMicros: order.filledMicros, closedMs: nowMs });
    this.intents.move(inFlight, event, nowMs, why);
  }

  /** Sets an abandoned draft's expiry to the latest possible one, because the answer with its expiry may be lost. */
  waitOut(inFlight: InFlight, nowMs: number): void {
    if (this.venueNowMs === null) return;
    const expiresAtS = Math.ceil(this.venueNowMs / 1000) + LATE_DELIVERY_S + this.profile.draft_lifetime_s;
    if (inFlight.intent.expiresAtS !== null && inFlight.intent.expiresAtS <= expiresAtS) return;
    this.intents.write(inFlight, { state: inFlight.intent.state, updatedMs: nowMs, expiresAtS });
  }
}

/** Maximum age of the state that an outdated answer of the exchange shows, ms. */
const OLD_COPY_MS = 10_000;
/** Maximum number of remembered orders. A further order replaces the oldest. */
const MOST_ORDERS = 1_000;

/**
 * Detects orders that rest although the exchange has shown them as canceled. A read within seconds of the cancel may be
 * outdated, so the first time the order only counts as resting and is canceled again. The cancel counts as undone if
 * the order still rests later, or rests again after a second end.
 */
class UndoneOrders {
  /** Time when the order was first shown as canceled, our clock, ms, by the order's pubkey. */
  readonly #canceledMs = new Map<string, number>();

  /** Returns true if a resting order's cancel was undone. `canceledMs`: stored end of the order, or null. */
  onResting(pubkey: string, canceledMs: number | null, sentMs: number): boolean {
    const known = this.#canceledMs.get(pubkey);
    if (known !== undefined && canceledMs !== null) return true;
    const sinceMs = known ?? canceledMs;
    if (sinceMs === null) return false;
    if (known === undefined) {
      this.#canceledMs.set(pubkey, sinceMs);
      const [oldest] = this.#canceledMs.keys();
      if (this.#canceledMs.size > MOST_ORDERS && oldest !== undefined) this.#canceledMs.delete(oldest);
    }
    return sentMs - sinceMs >= OLD_COPY_MS;
  }
}

/** Names of the decimal fields of orders, trades and conversions, which are parsed into Micros. */
const DECIMALS: ReadonlySet<string> = new Set([
  ...['price', 'amount', 'remaining_amount', 'filled_amount', 'funds', 'remaining_funds', 'filled_funds', 'fee'],
  ...['onchain_amount', 'onchain_funds', 'yes_shares', 'no_shares'],
]);

/** Returns a record as text for messages, with decimals instead of Micros. */
export const rowText = (row: object): string =>
  JSON.stringify(row, (key, value: unknown) =>
    // The cast is safe, because numbers in the decimal fields are Micros.
    DECIMALS.has(key) && typeof value === 'number' ? formatDecimal(value as Micros) : value,
  );

/** Maximum wait of an order's draft request in the queue, ms. A request that waits longer is dropped. */
const DRAFT_USEFUL_MS = 3_000;
/** Maximum wait of any other request of the executor in the queue, ms. A request that waits longer is dropped. */
const USEFUL_MS = 10_000;

export function planRequest(step: IntentStep, intent: IntentRow, nowMs: number): PlannedRequest {
  const { kind, createdMs, draftPubkey, orderPubkey } = intent;
  const owner = { kind: 'intent', step, intentId: intent.id } as const;
  const latestMs = nowMs + (step === 'draft' && kind === 'place' ? DRAFT_USEFUL_MS : USEFUL_MS);
  const draftLane = kind === 'cancel' ? 'cancel' : 'draft';
  if (step === 'draft') return { lane: draftLane, call: draftCall(intent), latestMs, owner };
  const params = { pubkey: must(orderPubkey ?? draftPubkey, 'pubkey of a record') };
  if (step === 'read')
    return { lane: 'own', call: { endpoint: CALLS[kind].read, params, query: {}, body: undefined }, latestMs, owner };
  const lane = kind === 'cancel' ? 'cancel' : 'submit';
  const body = { signature: must(intent.signature, 'signature of a submit') };
  // An order's submit is dropped from the queue when the order's price is too old.
  const usefulMs = kind === 'place' ? createdMs + PLACE_USEFUL_MS : latestMs;
  const call = { endpoint: CALLS[kind].submit, params, query: {}, body };
  return { lane, call, latestMs: Math.min(latestMs, usefulMs), owner };
}

function draftCall(intent: IntentRow): AnyCall {
  const market_condition_id = intent.marketConditionId;
  switch (intent.kind) {
    case 'place': {
      const { isYes, side, priceMicros, amountMicros } = placeTerms(intent);
      const [price, amount] = [formatDecimal(priceMicros), formatDecimal(amountMicros)];
      const body = { market_condition_id, is_yes: isYes, side, order_type: 'limit', price, amount };
      return { endpoint: 'orders.create', params: {}, query: {}, body };
    }
    case 'cancel': {
      const pubkey = must(intent.orderPubkey, 'order of a cancel');
      return { endpoint: 'orders.cancel', params: { pubkey }, query: {}, body: undefined };
    }
    case 'merge':
    case 'split': {
      const amount = formatDecimal(must(intent.amountMicros, `amount of a ${intent.kind}`));
      const endpoint = intent.kind === 'merge' ? 'merges.create' : 'splits.create';
      return { endpoint, params: {}, query: {}, body: { market_condition_id, amount } };
    }
    case 'redeem':
      return { endpoint: 'redeems.create', params: {}, query: {}, body: { market_condition_id } };
  }
}

/** Endpoints by kind of intent: for its submit and for reading its record. A cancel reads the order's record. */
const CALLS = {
  place: { submit: 'orders.submit', read: 'orders.detail' },
  cancel: { submit: 'orders.cancelSubmit', read: 'orders.detail' },
  merge: { submit: 'merges.submit', read: 'merges.detail' },
  split: { submit: 'splits.submit', read: 'splits.detail' },
  redeem: { submit: 'redeems.submit', read: 'redeems.detail' },
} as const satisfies Record<IntentKind, Record<'submit' | 'read', EndpointName>>;

/** Tolerance for the amount of a fee, because a venue may round fees up. */
const FEE_ROUNDING = micros(1);

/**
 * Returns how a trade contradicts its signed order; null if it does not. A better price or a missing fee is no
 * contradiction. Fills of an ended order may still arrive, up to the order's filled amount.
 *
 * @param order the order before this trade is booked
 * @param fees highest known fee rate of the market, and its fee schedule
 * @param feeOnly true if the trade is already booked and only its fee is new
 */
export function fillObjection(
  order: OrderRecord,
  { pubkey, priceMicros, amountMicros, feeMicros }: BookedFill,
  fees: { readonly schedule: FeeSchedule; readonly rateMicros: Micros },
  feeOnly = false,
): string | null {
  const { side, isYes, closedMs, filledMicros } = order;
  const objections: string[] = [];
  const isWorse = side === 'buy' ? priceMicros > order.priceMicros : priceMicros < order.priceMicros;
  if (!feeOnly && (isWorse || !(priceMicros > 0 && priceMicros < ONE)))
    objections.push(`has the price ${formatDecimal(priceMicros)}`);
  const total = closedMs === null || filledMicros > order.amountMicros ? order.amountMicros : filledMicros;
  const left = sub(total, order.bookedMicros);
  if (!feeOnly && !(amountMicros > 0 && amountMicros <= left)) {
    const ended = `: the order ended as ${order.status} with ${formatDecimal(filledMicros)} filled`;
    const excess = `${formatDecimal(amountMicros)}, but only ${formatDecimal(left)} of the order was left`;
    objections.push(`has the amount ${excess}${closedMs === null ? '' : ended}`);
  }
  if (feeMicros !== null) {
    const notionalMicros = tradeNotional(isYes, priceMicros, amountMicros);
    const fee = computeFee(fees.schedule, fees.rateMicros, { priceMicros, amountMicros, notionalMicros });
    const most = add(fee, FEE_ROUNDING);
    if (!(feeMicros >= 0 && feeMicros <= most))
      objections.push(`has the fee ${formatDecimal(feeMicros)}, but the market's maximum is ${formatDecimal(most)}`);
  }
  if (objections.length === 0) return null;
  const terms = `${formatDecimal(order.amountMicros)} ${isYes ? 'YES' : 'NO'} at ${formatDecimal(order.priceMicros)}`;
  return `trade ${pubkey} of order ${order.pubkey} (signed: ${side} ${terms}) ${objections.join(', ')}`;
}

/** Unsettled orders: they may still fill, or some of their fills are not booked. Holds copies of their ledger rows. */
class UnsettledOrders {
  readonly #ledger: Ledger;
  /** Unsettled orders by pubkey, in order of creation; the map must not change during an iteration. */
  readonly unsettled = new Map<string, OrderRecord>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    for (const order of ledger.unsettledOrders()) this.#keep(order);
  }

  /** Returns any order of the ledger, ended or not; null if the order is not in the ledger. */
  get(pubkey: string): OrderRecord | null {
    return this.unsettled.get(pubkey) ?? this.#ledger.order(pubkey);
  }

  add(order: OrderRecord): void {
    this.#ledger.addOrder(order);
    this.#keep(order);
  }

  change(pubkey: string, change: Parameters<Ledger['changeOrder']>[1]): void {
    this.#keep(this.#ledger.changeOrder(pubkey, change));
  }

  bookFill(fill: BookedFill): ReturnType<Ledger['bookFill']> {
    const booking = this.#ledger.bookFill(fill);
    if (booking === 'booked') this.#readAgain(fill.orderPubkey);
    return booking;
  }

  noteFailedTrade(
    tradePubkey: string,
    orderPubkey: string,
    amount: Micros,
    nowMs: number,
  ): ReturnType<Ledger['noteFailedTrade']> {
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

/** Returns true if two rows agree in all fields that `observeTrades` reads. */
const isSameRow = (a: OwnTradeRow, b: OwnTradeRow): boolean =>
  TRADE_FIELDS.every((field) => a[field] === b[field]) &&
  a.order.pubkey === b.order.pubkey &&
  a.order.side === b.order.side &&
  a.order.outcome.is_yes === b.order.outcome.is_yes;

/** Cache of the newest rows of booked own trades. If a later poll shows an equal row, the ledger is not read. */
class BookedTrades {
  readonly #rows = new Map<string, OwnTradeRow>();

  has(row: OwnTradeRow): boolean {
    const known = this.#rows.get(row.pubkey);
    if (known === undefined || (known !== row && !isSameRow(known, row))) return false;
    // A later poll may show the same object again, which then needs no comparison.
    this.#rows.set(row.pubkey, row);
    return true;
  }

  drop(tradePubkey: string): void {
    this.#rows.delete(tradePubkey);
  }

  /** Caches the row of a trade that the ledger has booked with the same values. */
  add(row: OwnTradeRow): void {
    this.#rows.set(row.pubkey, row);
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > MOST && oldest !== undefined) this.#rows.delete(oldest);
  }
}

/** Returns the wait before the next request, ms. Each of the `tries` requests without a change doubles the wait. */
const growingWaitMs = (tries: number, cause: keyof typeof LONGEST_WAITS_MS): number =>
  // The exponent is limited to avoid overflow; with 2^20 the product exceeds every maximum wait.
  Math.min(LONGEST_WAITS_MS[cause], FIRST_LOOK_MS * 2 ** Math.min(tries, 20));
