/** Effects of the executor's events: reads, notices and pauses. */

import { complement, type Micros, maxMicros, sub, ZERO } from '../../shared/base/micros.js';
import { ORDER_STANDING } from '../../shared/protocol/states.js';
import type { ExecutorEvent, Reaction, Trouble } from '../executor/contract.js';
import type { BookedFill, IntentRow, LedgerReader } from '../ledger/contract.js';
import type { OwnFill } from '../market/own-fills.js';
import type { AskedEvent, StrategyEvent } from '../strategy/events.js';
import { conversionDone, conversionFailed } from './control/complete-sets.js';
import { inYesSpace } from './quoting/legs.js';
import type { QuoteSlot } from './quoting/quote-slot.js';
import { PLACE_PAUSE_MS, POST_ONLY } from './quoting/quoting.js';
import { amount, showTitle, type TraderState } from './state.js';

export function react(state: TraderState, { requests, events }: Reaction, nowMs: number): void {
  for (const request of requests) state.queue.push(request);
  if (requests.length > 0 || events.length > 0) state.invalidateOwn();
  for (const event of events) onEvent(state, event, nowMs);
}

function onEvent(state: TraderState, event: ExecutorEvent, nowMs: number): void {
  switch (event.kind) {
    case 'orderOpened':
      noteReactionPace(state, event.intentId, nowMs);
      noteTaken(state, event.market, nowMs);
      tellRested(state, event, nowMs);
      return state.requestRequote(event.market);
    case 'orderClosed':
      state.cancelTries.delete(event.orderPubkey);
      if (event.filledMicros > 0) {
        state.poller.expedite({ kind: 'fills' });
        lookAfterFill(state, event.market, nowMs);
      }
      tellClosed(state, event, nowMs);
      return state.requestRequote(event.market);
    case 'fillBooked':
      return onFill(state, event.fill, event.strategy, nowMs);
    case 'notDone':
      return onNotDone(state, event, nowMs);
    case 'cancelDone':
      return state.requestRequote(event.market);
    case 'mergeDone':
    case 'splitDone':
    case 'redeemDone': {
      state.requestRequote(event.market);
      conversionDone(state.track(event.market));
      if (event.kind !== 'redeemDone') tellSets(state, event.kind === 'mergeDone' ? 'merged' : 'split', event, nowMs);
      return state.notify(
        nowMs,
        event.kind,
        `${CONVERTED[event.kind]} in "${showTitle(state, event.market)}" for ${amount(abs(event.cashMicros))}`,
      );
    }
    case 'signingRefused':
      state.pauseMarket(event.market, `the signer refused a draft: ${event.reason}`);
      conversionFailed(state.track(event.market), nowMs);
      tellRefused(state, event, 'signing_refused', nowMs);
      return state.alert(
        nowMs,
        'signing_refused',
        `${event.intentId} in "${showTitle(state, event.market)}": ${event.reason}`,
      );
    case 'trouble':
      if (event.market !== null && PAUSING.includes(event.trouble)) state.pauseMarket(event.market, event.text);
      if (ALARMING.includes(event.trouble)) state.guards.fillAlarm.raise(event.text);
      return state.alert(nowMs, event.trouble, event.text, event.subject);
  }
}

function noteReactionPace({ executor, reactionPace, bornMs }: TraderState, intentId: string, nowMs: number): void {
  const order = executor.reservations().find((each) => each.intentId === intentId);
  if (order !== undefined && bornMs !== null && order.createdMs >= bornMs) reactionPace.note(order.createdMs, nowMs);
}

const CONVERTED = {
  mergeDone: 'merged complete sets',
  splitDone: 'split currency into complete sets',
  redeemDone: 'redeemed',
} as const;

const abs = (value: Micros): Micros => maxMicros(value, sub(ZERO, value));

/**
 * Signs of an exchange that acts without a request, or of another party with our keys. The market pauses until an
 * operator resumes.
 */
const PAUSING: readonly Trouble[] = ['record_differs', 'signed_elsewhere', 'cancel_undone'];

/** After one of these, signed prices and amounts no longer bound the loss. */
const ALARMING: readonly Trouble[] = ['fill_differs', 'settled_trade_failed'];

function onFill(state: TraderState, fill: BookedFill, strategy: string, nowMs: number): void {
  state.fills += 1;
  state.countFill(fill, nowMs);
  lookAfterFill(state, fill.marketConditionId, nowMs);
  const { side, priceMicros } = inYesSpace(fill.isYes, fill.side, fill.priceMicros);
  noteOwnFill(state, fill, strategy, { side, priceMicros }, nowMs);
  for (const slot of state.listSlots(fill.marketConditionId)) {
    slot.dirty = true;
    if (slot.strategy.name !== strategy) continue;
    slot.observe({
      kind: 'fill',
      nowMs,
      side,
      priceMicros,
      amountMicros: fill.amountMicros,
      isMaker: fill.isMaker === true,
    });
  }
  const what = `${fill.side} ${amount(fill.amountMicros)} ${fill.isYes ? 'YES' : 'NO'} at ${amount(fill.priceMicros)}`;
  const yes = fill.isYes ? '' : ` (YES at ${amount(complement(fill.priceMicros))})`;
  state.notify(nowMs, 'fill', `${what}${yes} in "${showTitle(state, fill.marketConditionId)}"`);
}

/**
 * A fill this old, ms, is skipped by the measures: the price after it was not observed. A start may report fills of
 * hours ago.
 */
const LATE_MS = 10_000;

function noteOwnFill(
  state: TraderState,
  { marketConditionId, amountMicros, timestampS }: BookedFill,
  strategy: string,
  where: Pick<OwnFill, 'side' | 'priceMicros'>,
  nowMs: number,
): void {
  const entry = state.track(marketConditionId);
  const lateMs = (state.venueClock.nowMs(nowMs) ?? 0) - timestampS * 1000;
  if (lateMs > LATE_MS) return entry.feed.ownFills.onLateFill();
  entry.feed.ownFills.onFill({ ...where, amountMicros, nowMs });
  const own = entry.slots.find((slot) => slot.strategy.name === strategy);
  const fairMicros = own?.wanted.fairMicros ?? null;
  entry.measures.onFill({ ...where, fairMicros, stalePart: own?.worth?.stalePart ?? 0, nowMs });
}

/**
 * The taker may know something about this market and the others of its event. This book is read first and nothing is
 * placed here before; then the books of the event with own resting orders.
 */
function lookAfterFill(state: TraderState, conditionId: string, nowMs: number): void {
  const market = state.markets.get(conditionId);
  if (market !== undefined) market.filledMs = nowMs;
  state.poller.expedite({ kind: 'book', marketConditionId: conditionId });
  lookAtEvent(state, conditionId);
}

/** Reads the books of the event that hold own resting orders: they may have changed too. */
export function lookAtEvent(state: TraderState, conditionId: string): void {
  const event = state.markets.get(conditionId)?.feed.facts?.eventConditionId ?? null;
  if (event === null) return;
  for (const { conditionId: each, feed } of state.markets.all) {
    const isAtRisk = feed.facts?.eventConditionId === event && state.own.orders.has(each);
    if (each !== conditionId && isAtRisk) state.poller.expedite({ kind: 'book', marketConditionId: each }, 'next');
  }
}

/** Returns the wait before the next order there, ms. */
function noteRefused(
  state: TraderState,
  event: { market: string; slug: string; reason: string },
  nowMs: number,
): number {
  const { exchangeRefusals: here } = state.track(event.market);
  here.onRefused(event, nowMs);
  const { exchangeRefusals: everywhere } = state;
  everywhere.onRefused(event, nowMs);
  if (everywhere.takeLasting(nowMs)) {
    const text = everywhere.describe(nowMs) ?? event.slug;
    state.alert(nowMs, 'orders_refused', `no order was taken for a minute: ${text}`);
  }
  return here.waitMs(PLACE_PAUSE_MS);
}

function noteTaken(state: TraderState, market: string, nowMs: number): void {
  state.track(market).exchangeRefusals.onTaken();
  if (state.exchangeRefusals.onTaken()) state.alert(nowMs, 'orders_taken', 'the exchange takes orders again');
}

/** Outcomes without a cause that needs a pause: the next turn retries. */
const HARMLESS: readonly string[] = ['unsent', 'withdrawn', 'throttled'];

function onNotDone(state: TraderState, event: Extract<ExecutorEvent, { kind: 'notDone' }>, nowMs: number): void {
  state.requestRequote(event.market);
  if (HARMLESS.includes(event.slug)) return;
  tellRefused(state, event, event.slug, nowMs);
  if (event.slug === POST_ONLY) {
    // Otherwise the next draft would follow within seconds, and a draft reserves money until it expires.
    for (const slot of state.listSlots(event.market)) slot.placeAfterMs = nowMs + PLACE_PAUSE_MS;
    return;
  }
  if (event.intentKind !== 'place' && event.intentKind !== 'cancel') conversionFailed(state.track(event.market), nowMs);
  if (event.intentKind === 'place') {
    const afterMs = nowMs + noteRefused(state, event, nowMs);
    state.track(event.market).saleAfterMs = afterMs;
    for (const slot of state.listSlots(event.market)) slot.placeAfterMs = afterMs;
  }
  // The market differs from its stored detail: read the detail before the next attempt.
  state.poller.expedite({ kind: 'detail', marketConditionId: event.market });
  const what = `${event.intentKind} in "${showTitle(state, event.market)}" was not done`;
  state.notify(nowMs, 'not_done', `${what}: ${event.slug}, ${event.reason}`);
}

/** Parts of the trader that list the slots and look up orders. */
interface Around {
  readonly ledger: Pick<LedgerReader, 'intent' | 'order'>;
  listSlots(conditionId: string): readonly QuoteSlot[];
}

type Of<K extends ExecutorEvent['kind']> = Extract<ExecutorEvent, { kind: K }>;

/** Skips the lookup when no quoter of the market subscribes to this kind. */
function askers(around: Around, market: string, kind: AskedEvent): readonly QuoteSlot[] {
  return around.listSlots(market).filter((slot) => slot.asksFor(kind));
}

function tellRested(around: Around, { intentId, market }: Of<'orderOpened'>, nowMs: number): void {
  const slots = askers(around, market, 'rested');
  const order = slots.length === 0 ? null : findOrder(around, intentId);
  if (order === null) return;
  const { strategy, ...placed } = order;
  tellOwner(slots, strategy, { kind: 'rested', nowMs, ...placed });
}

function tellClosed(around: Around, event: Of<'orderClosed'>, nowMs: number): void {
  const { market, intentId, status, filledMicros } = event;
  if (ORDER_STANDING[status].filled === 'all') return;
  const slots = askers(around, market, 'canceled');
  const order = slots.length === 0 ? null : findOrder(around, intentId);
  if (order === null) return;
  const { strategy, amountMicros, ...placed } = order;
  const leftMicros = maxMicros(ZERO, sub(amountMicros, filledMicros));
  tellOwner(slots, strategy, { kind: 'canceled', nowMs, ...placed, leftMicros });
}

/** A conversion belongs to no single strategy: every subscribed quoter of the market gets it. */
export function tellRefused(
  around: Around,
  { intentId, market }: Pick<Of<'notDone'>, 'intentId' | 'market'>,
  slug: string,
  nowMs: number,
): void {
  const slots = askers(around, market, 'refused');
  const intent = slots.length === 0 ? null : around.ledger.intent(intentId);
  if (intent === null) return;
  const event = { kind: 'refused', nowMs, what: intent.kind, slug } as const;
  if (intent.kind === 'place') return tellOwner(slots, intent.strategy, event);
  if (intent.kind === 'cancel') return tellOwner(slots, findOwner(around, intent), event);
  for (const slot of slots) slot.observe(event);
}

/** @param cashMicros currency received by a merge or spent by a split: one unit per complete set */
function tellSets(
  around: Around,
  kind: 'merged' | 'split',
  { market, cashMicros }: { readonly market: string; readonly cashMicros: Micros },
  nowMs: number,
): void {
  const amountMicros = maxMicros(cashMicros, sub(ZERO, cashMicros));
  tellMarket(around, market, { kind, nowMs, amountMicros });
}

/** Passes an event to every subscribed quoter of a market. */
export function tellMarket(around: Pick<Around, 'listSlots'>, market: string, event: StrategyEvent<AskedEvent>): void {
  for (const slot of around.listSlots(market)) if (slot.asksFor(event.kind)) slot.observe(event);
}

function tellOwner(slots: readonly QuoteSlot[], strategy: string | null, event: StrategyEvent<AskedEvent>): void {
  for (const slot of slots) if (slot.strategy.name === strategy) slot.observe(event);
}

/** An own order in YES space. */
function findOrder({ ledger }: Around, intentId: string) {
  const intent = ledger.intent(intentId);
  if (intent === null) return null;
  const { isYes, side, priceMicros, amountMicros, strategy } = intent;
  if (isYes === null || side === null || priceMicros === null || amountMicros === null) return null;
  return { intentId, ...inYesSpace(isYes, side, priceMicros), amountMicros, strategy };
}

/** Strategy of the order that a cancel is for; null for an order that this ledger does not know. */
function findOwner({ ledger }: Around, { orderPubkey }: IntentRow): string | null {
  const order = orderPubkey === null ? null : ledger.order(orderPubkey);
  return order === null ? null : (ledger.intent(order.intentId)?.strategy ?? null);
}
