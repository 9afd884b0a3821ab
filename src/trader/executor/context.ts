/** Shared by the executor's parts: the ledger, the intents, the settings, and the events of the current call. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { FeeSchedule } from '../../shared/base/fees.js';
import { type Micros, maxMicros, ZERO } from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { IntentStep } from '../../shared/protocol/request-owner.js';
import type { PlannedRequest } from '../../shared/protocol/seam.js';
import type { FillBooking, IntentKind, Ledger, Oddity, OrderRecord } from '../ledger/contract.js';
import { BookedTrades } from './booked-trades.js';
import type { Converting, ExecutorEvent, ExecutorSettings, Placing, Reaction, Trouble } from './contract.js';
import { type FillDetails, fillObjection, lateFeeObjection } from './fill-check.js';
import { type InFlightIntent, InFlightIntents } from './in-flight-intents.js';
import { STANDINGS } from './lifecycle.js';
import { LATE_DELIVERY_S, lookWaitMs, PLACE_USEFUL_MS, WHOLE_SECONDS_S } from './pace.js';
import { planRequest } from './plan-request.js';
import { UnsettledOrders } from './unsettled-orders.js';

/** When and how a record was read. */
export interface Look {
  /** Our clock, ms, when its request left, and when its answer arrived. */
  readonly sentMs: number;
  readonly nowMs: number;
  /** Exchange clock in the answer; null if absent. */
  readonly venueTimeMs: number | null;
  /** A list may come from a slower copy: a row that contradicts our state is read by itself before it is trusted. */
  readonly source: 'record' | 'list';
}

/** Maximum foreign rows stored and reported per read: a faulty exchange must not fill the disk. */
const MOST_FOREIGN = 20;

/** Events that lead to `abandoned`. */
type Abandonment = 'draftLost' | 'withdrawn' | 'signRefused' | 'neverSent';

export class ExecutorContext {
  readonly ledger: Ledger;
  readonly profile: VenueProfile;
  settings: ExecutorSettings;
  readonly intents: InFlightIntents;
  readonly orders: UnsettledOrders;
  readonly bookedTrades = new BookedTrades();
  readonly undoneOrders = new UndoneOrders();
  placing: Placing = true;
  converting: Converting = 'all';
  /** Newest exchange time, ms; null before the first. */
  venueNowMs: number | null = null;
  /** Intents whose drafts were stored since the last signing. */
  readonly toSign: InFlightIntent[] = [];
  /** Newest time of our clock, ms. */
  #nowMs = Number.NEGATIVE_INFINITY;
  #requests: PlannedRequest[] = [];
  #events: ExecutorEvent[] = [];
  /** Foreign rows first seen in this call. */
  #foreign = 0;

  constructor(ledger: Ledger, profile: VenueProfile, settings: ExecutorSettings) {
    this.ledger = ledger;
    this.profile = profile;
    this.settings = settings;
    this.intents = new InFlightIntents(ledger);
    this.orders = new UnsettledOrders(ledger);
  }

  /** Runs one call of the executor and returns its events. */
  reaction(nowMs: number, work: () => void): Reaction {
    if (nowMs < this.#nowMs) this.intents.stepBack(nowMs);
    this.#nowMs = nowMs;
    this.#requests = [];
    this.#events = [];
    this.#foreign = 0;
    work();
    return { requests: this.#requests, events: this.#events };
  }

  queueRequest(inFlight: InFlightIntent, step: IntentStep, nowMs: number): void {
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

  /** Reports a row of the exchange that is foreign or irregular; alarms only the first time. */
  reportOddity(kind: Trouble & Oddity, pubkey: string, market: string | null, text: string, nowMs: number): void {
    if (this.ledger.noteOddity(kind, pubkey, text, nowMs)) this.reportTrouble(kind, market, text, pubkey);
  }

  /** The same for a foreign row. Rows beyond the maximum of one read are reported by the next one. */
  reportForeign(
    kind: 'foreign_order' | 'foreign_trade',
    pubkey: string,
    market: string | null,
    text: string,
    nowMs: number,
  ): void {
    if (this.#foreign > MOST_FOREIGN) return;
    if (this.#foreign < MOST_FOREIGN) {
      if (!this.ledger.noteOddity(kind, pubkey, text, nowMs)) return;
      this.reportTrouble(kind, market, text);
    } else {
      this.reportTrouble(
        kind,
        null,
        `one look showed ${MOST_FOREIGN} rows and more that are not of this ledger; no more are kept`,
      );
    }
    this.#foreign += 1;
  }

  /** Reports a record that differs from the request; alarms once per intent. */
  reportDifference(inFlight: InFlightIntent, what: string, row: object): void {
    if (inFlight.differsTold) return;
    inFlight.differsTold = true;
    const text = `${what} is not what was asked for: ${rowText(row)}`;
    this.reportTrouble('record_differs', inFlight.intent.marketConditionId, text, inFlight.intent.id);
  }

  /**
   * Books a fill of this order once and reports it. A fill that cannot belong to the signed order raises an alarm, but
   * is booked too: the exchange has moved the money.
   */
  bookFill(order: OrderRecord, trade: FillDetails, seenMs: number): FillBooking {
    const { pubkey: orderPubkey, marketConditionId, isYes, side, intentId } = order;
    const fill = { ...trade, orderPubkey, marketConditionId, isYes, side, seenMs };
    const booking = this.orders.bookFill(fill);
    if (booking === 'repeated' || booking === 'differs') return booking;
    const intent = this.ledger.intent(intentId);
    const isNew = booking === 'booked';
    if (isNew) this.emit({ kind: 'fillBooked', fill, intentId, strategy: intent?.strategy ?? '' });
    const feeRateMicros = maxMicros(intent?.feeRateMicros ?? ZERO, this.worstFeeRate(marketConditionId) ?? ZERO);
    const object = isNew ? fillObjection : lateFeeObjection;
    const objection = object(order, trade, { schedule: this.feeSchedule, rateMicros: feeRateMicros });
    if (objection !== null) this.reportOddity('fill_differs', trade.pubkey, marketConditionId, objection, seenMs);
    return booking;
  }

  /** Base of this venue's fee rates. */
  get feeSchedule(): FeeSchedule {
    return this.profile.fee_schedule ?? 'notional';
  }

  /** From the market's newest detail; null before the first. An order may be partly maker and partly taker. */
  worstFeeRate(marketConditionId: string): Micros | null {
    const market = this.ledger.market(marketConditionId);
    return market === null ? null : maxMicros(market.makerFeeRateMicros, market.takerFeeRateMicros);
  }

  reportNotDone(inFlight: InFlightIntent, slug: string, reason: string): void {
    const { id: intentId, kind: intentKind, marketConditionId: market } = inFlight.intent;
    this.emit({ kind: 'notDone', intentId, intentKind, market, slug, reason });
  }

  /** Nothing new: schedules the next read, with a growing wait. */
  lookLater(inFlight: InFlightIntent, nowMs: number, waitMs = lookWaitMs(inFlight.tries)): void {
    inFlight.tries++;
    inFlight.resend = false;
    inFlight.dueMs = nowMs + waitMs;
  }

  /** The record awaits its signature: sends the stored one again while the draft lives, else reads the record. */
  sendAgain(inFlight: InFlightIntent, look: Pick<Look, 'nowMs'>): void {
    this.lookLater(inFlight, look.nowMs);
    inFlight.expiredSinceMs = null;
    inFlight.resend = this.mayResend(inFlight, look.nowMs);
  }

  /** Whether such an intent may be begun, signed and sent now. Cancels are always allowed. */
  isAllowed(kind: IntentKind, strategy: string): boolean {
    if (kind === 'cancel') return true;
    if (kind === 'split') return this.converting === 'all';
    if (kind !== 'place') return this.converting !== 'none';
    return typeof this.placing === 'boolean' ? this.placing : this.placing.onlyStrategy === strategy;
  }

  /** Why an intent may not be drafted, signed or sent (again) now; null when it may be. */
  findObjection({ intent, withdrawn }: InFlightIntent, nowMs: number): string | null {
    const { kind, strategy, createdMs } = intent;
    if (!this.isAllowed(kind, strategy))
      return kind === 'place' ? 'placing was switched off' : 'converting was switched off';
    if (kind !== 'place') return null;
    if (withdrawn) return 'it was withdrawn';
    // Clocks may step: a time as far in the future has an unknown age.
    const ageMs = Math.abs(nowMs - createdMs);
    return ageMs > PLACE_USEFUL_MS ? `its price was decided ${ageMs} ms ago` : null;
  }

  mayResend(inFlight: InFlightIntent, nowMs: number): boolean {
    const { signature, expiresAtS, state } = inFlight.intent;
    if (signature === null || STANDINGS[state].effect !== 'maybe') return false;
    if (this.findObjection(inFlight, nowMs) !== null) return false;
    return expiresAtS === null || this.venueNowMs === null || this.venueNowMs < expiresAtS * 1000;
  }

  /**
   * True at the second read of an expired record, one poll after the first. The submit may still be in flight at the
   * first read, and an exchange may answer from an old copy.
   */
  confirmExpiry(inFlight: InFlightIntent, look: Look): boolean {
    inFlight.resend = false;
    inFlight.expiredSinceMs ??= look.nowMs;
    const secondLookMs = inFlight.expiredSinceMs + this.settings.ownPollMs;
    // After a clock set back, the request may seem to leave later than its answer.
    if (Math.min(look.sentMs, look.nowMs) >= secondLookMs) return true;
    inFlight.dueMs = Math.max(secondLookMs, look.nowMs);
    return false;
  }

  /** Abandons an intent of which nothing was sent, and reports it. */
  giveUp(inFlight: InFlightIntent, event: Abandonment, slug: string, nowMs: number, reason: string): void {
    this.abandon(inFlight, event, nowMs, reason);
    this.reportNotDone(inFlight, slug, reason);
  }

  /** Abandons an intent whose draft must not be signed, with an alarm. */
  refuseToSign(inFlight: InFlightIntent, nowMs: number, reason: string): void {
    const { id: intentId, marketConditionId: market } = inFlight.intent;
    this.abandon(inFlight, 'signRefused', nowMs, reason);
    this.emit({ kind: 'signingRefused', intentId, market, reason });
  }

  /** Stops work on an intent of which nothing was sent; waits until its locks have expired. */
  abandon(inFlight: InFlightIntent, event: Abandonment, nowMs: number, reason: string): void {
    inFlight.dueMs = null;
    this.intents.move(inFlight, event, nowMs, reason);
    // A cancel's draft locks nothing: there is no wait, and the order may be canceled again at once.
    if (inFlight.intent.kind === 'cancel') this.intents.move(inFlight, 'lapsed', nowMs, reason);
    else this.waitOut(inFlight, nowMs);
  }

  /** Ends an abandoned intent once its draft has expired on the exchange's clock; our clock is not used. */
  lapse(inFlight: InFlightIntent, nowMs: number): void {
    this.waitOut(inFlight, nowMs);
    const { expiresAtS, draftPubkey, kind } = inFlight.intent;
    if (this.venueNowMs === null || expiresAtS === null) return;
    if (this.venueNowMs <= (expiresAtS + WHOLE_SECONDS_S) * 1000) return;
    const order = kind === 'place' && draftPubkey !== null ? this.orders.get(draftPubkey) : null;
    // No answer is needed: an unsigned draft cannot take effect.
    if (order !== null) {
      this.orders.change(order.pubkey, { status: 'expired', filledMicros: order.filledMicros, closedMs: nowMs });
    }
    this.intents.move(inFlight, 'lapsed', nowMs, inFlight.intent.lastReason);
  }

  /**
   * After a lost answer the draft's expiry is unknown: the latest possible one is used. It also bounds the wait for any
   * other draft.
   */
  waitOut(inFlight: InFlightIntent, nowMs: number): void {
    if (this.venueNowMs === null) return;
    const expiresAtS = Math.ceil(this.venueNowMs / 1000) + LATE_DELIVERY_S + this.profile.draft_lifetime_s;
    if (inFlight.intent.expiresAtS !== null && inFlight.intent.expiresAtS <= expiresAtS) return;
    this.intents.write(inFlight, { state: inFlight.intent.state, updatedMs: nowMs, expiresAtS });
  }
}

/** Maximum lag of lists, ms. */
const OLD_COPY_MS = 10_000;
/** The oldest are dropped first. */
const MOST_ORDERS = 1_000;

/**
 * Orders that rest although the exchange has shown them canceled. A record may come from an old copy for some seconds:
 * the order then counts as resting and is canceled again. An order that keeps resting, or returns a second time, raises
 * an alarm.
 */
class UndoneOrders {
  /** By pubkey: our clock, ms, when it was first shown canceled. */
  readonly #canceledMs = new Map<string, number>();

  /**
   * Takes in a record that rests. Returns true when its cancel was undone.
   *
   * @param canceledMs our clock, since when it counted as canceled; null when it did not
   * @param sentMs our clock, when the read left
   */
  onResting(pubkey: string, canceledMs: number | null, sentMs: number): boolean {
    const known = this.#canceledMs.get(pubkey);
    if (known !== undefined && canceledMs !== null) return true;
    const sinceMs = known ?? canceledMs;
    if (sinceMs === null) return false;
    if (known === undefined) this.#keep(pubkey, sinceMs);
    return sentMs - sinceMs >= OLD_COPY_MS;
  }

  #keep(pubkey: string, canceledMs: number): void {
    this.#canceledMs.set(pubkey, canceledMs);
    const [oldest] = this.#canceledMs.keys();
    if (this.#canceledMs.size > MOST_ORDERS && oldest !== undefined) this.#canceledMs.delete(oldest);
  }
}

/** Fields of orders, trades and conversions that are read into micros. */
const DECIMALS: ReadonlySet<string> = new Set([
  ...['price', 'amount', 'remaining_amount', 'filled_amount', 'funds', 'remaining_funds', 'filled_funds', 'fee'],
  ...['onchain_amount', 'onchain_funds', 'yes_shares', 'no_shares'],
]);

/** Record as text for messages: as sent by the exchange, with decimals instead of micros. */
export const rowText = (row: object): string =>
  JSON.stringify(row, (key, value: unknown) =>
    // A number in these fields was read from a decimal.
    DECIMALS.has(key) && typeof value === 'number' ? formatDecimal(value as Micros) : value,
  );
