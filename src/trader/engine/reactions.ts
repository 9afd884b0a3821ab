/** Handles the executor's events: requests reads from the exchange, sends notices and pauses markets. */

import { complement, formatDecimal, maxMicros, sub, ZERO } from '../../shared/base/micros.js';
import { inferOutcome } from '../../shared/protocol/outcome.js';
import { ORDER_STANDING } from '../../shared/protocol/states.js';
import type { ExecutorEvent, Reaction, Trouble } from '../executor/contract.js';
import type { BookedFill, IntentRow, LedgerReader } from '../ledger/contract.js';
import { excessPayment } from '../ledger/postings.js';
import { CONVERSION_KINDS } from '../ledger/tables.js';
import type { OwnFill } from '../market/own-activity.js';
import type { AnyEvent, AskedEvent } from '../strategy/contract.js';
import { adoptRedeemed } from './control/commands.js';
import { conversionDone, conversionFailed } from './control/complete-sets.js';
import type { Markets } from './markets.js';
import { showTitle } from './notices.js';
import { inYesSpace } from './quoting/changes.js';
import { toFillEvent } from './quoting/quote-slot.js';
import { PLACE_PAUSE_MS, POST_ONLY } from './quoting/quoting.js';
import type { TraderState } from './state.js';

export function react(state: TraderState, { requests, events }: Reaction, nowMs: number): void {
  for (const request of requests) state.requests.queue.push(request);
  if (requests.length > 0 || events.length > 0) state.account.invalidate();
  for (const event of events) onEvent(state, event, nowMs);
}

function onEvent(state: TraderState, event: ExecutorEvent, nowMs: number): void {
  const { ledger, markets, notices, requests, safety } = state;
  switch (event.kind) {
    case 'orderOpened':
      noteReactionPace(state, event.intentId, nowMs);
      markets.track(event.market).exchangeRefusals.onTaken();
      if (safety.guards.exchangeRefusals.onTaken())
        notices.alert(nowMs, 'orders_taken', 'the exchange accepts orders again');
      tellRested(ledger, markets, event, nowMs);
      return markets.requestRequote(event.market);
    case 'orderClosed':
      requests.cancelTries.delete(event.orderPubkey);
      if (event.filledMicros > 0) {
        requests.poller.expedite({ kind: 'fills' });
        lookAfterFill(state, event.market, nowMs);
      }
      tellClosed(ledger, markets, event, nowMs);
      return markets.requestRequote(event.market);
    case 'fillBooked':
      return onFill(state, event.fill, event.strategy, nowMs);
    case 'notDone':
      return onNotDone(state, event, nowMs);
    case 'cancelDone':
      return markets.requestRequote(event.market);
    case 'mergeDone':
    case 'splitDone':
    case 'redeemDone':
      return onConverted(state, event, nowMs);
    case 'signingRefused': {
      const { market, intentId, reason } = event;
      pauseMarket(state, market, `the signer refused a draft: ${reason}`, nowMs);
      conversionFailed(markets.track(market), nowMs);
      tellRefused(ledger, markets, event, 'signing_refused', nowMs);
      return notices.alert(nowMs, 'signing_refused', `${intentId} in "${showTitle(markets, market)}": ${reason}`);
    }
    case 'trouble':
      if (event.market !== null && PAUSING.includes(event.trouble)) pauseMarket(state, event.market, event.text, nowMs);
      if (ALARMING.includes(event.trouble)) safety.guards.fillAlarm.raise(event.text);
      // The booking changes a position against which orders in flight were decided as reducing.
      if (event.trouble === 'failed_trade_settled') state.executor.withdraw(event.market, nowMs);
      return notices.alert(nowMs, event.trouble, event.text, event.subject);
  }
}

/** Pauses a market until an operator resumes it with a reason. Orders and conversions in flight are withdrawn. */
export function pauseMarket({ safety, executor, markets }: TraderState, id: string, why: string, nowMs: number): void {
  safety.pauses.pause(id, why);
  executor.withdraw(id, nowMs, ['place', ...CONVERSION_KINDS]);
  markets.requestRequote(id);
}

function noteReactionPace({ executor, requests, clock }: TraderState, intentId: string, nowMs: number): void {
  const order = executor.reservations().find((each) => each.intentId === intentId);
  if (order !== undefined && clock.bornMs !== null && order.createdMs >= clock.bornMs)
    requests.reactionPace.note(order.createdMs, nowMs);
}

const CONVERTED = {
  mergeDone: 'merged complete sets',
  splitDone: 'split currency into complete sets',
  redeemDone: 'redeemed',
} as const;

function onConverted(state: TraderState, event: Of<keyof typeof CONVERTED>, nowMs: number): void {
  const { markets, notices, safety } = state;
  const { kind, market, yesMicros, noMicros, cashMicros } = event;
  // An excess payment counts as moved capital, so that it does not hide a loss of the day.
  const excess = excessPayment(cashMicros, yesMicros, noMicros);
  if (excess > 0) safety.capitalMoved(excess);
  markets.requestRequote(market);
  conversionDone(markets.track(market));
  // A merge returns one unit of currency per complete set, and a split spends one unit per set.
  const amountMicros = maxMicros(cashMicros, sub(ZERO, cashMicros));
  if (kind === 'redeemDone') adoptRedeemed(state, market, inferOutcome(yesMicros, noMicros, cashMicros), nowMs);
  else tellMarket(markets, market, { kind: kind === 'mergeDone' ? 'merged' : 'split', nowMs, amountMicros });
  const where = `in "${showTitle(markets, market)}" for ${formatDecimal(amountMicros)}`;
  notices.notify(nowMs, kind, `${CONVERTED[kind]} ${where}`);
}

/** Trouble that pauses a market: the exchange acted without a request, or another party has the wallet's key. */
const PAUSING: readonly Trouble[] = ['record_differs', 'signed_elsewhere', 'cancel_undone'];

/** Trouble that raises the fill alarm, because the loss may exceed the signed prices and amounts. */
const ALARMING: readonly Trouble[] = ['fill_differs', 'settled_trade_failed'];

function onFill(state: TraderState, fill: BookedFill, strategy: string, nowMs: number): void {
  const { account, safety, markets } = state;
  const { marketConditionId, amountMicros } = fill;
  account.fills += 1;
  safety.countFill(fill, nowMs);
  lookAfterFill(state, marketConditionId, nowMs);
  const where = inYesSpace(fill.isYes, fill.side, fill.priceMicros);
  noteOwnFill(state, fill, strategy, where, nowMs);
  markets.requestRequote(marketConditionId);
  tellMarket(markets, marketConditionId, toFillEvent(fill, nowMs), strategy);
  const [shares, price] = [formatDecimal(amountMicros), formatDecimal(fill.priceMicros)];
  const what = `${fill.side} ${shares} ${fill.isYes ? 'YES' : 'NO'} at ${price}`;
  const yes = fill.isYes ? '' : ` (YES at ${formatDecimal(complement(fill.priceMicros))})`;
  state.notices.notify(nowMs, 'fill', `${what}${yes} in "${showTitle(markets, marketConditionId)}"`);
}

/** Maximum age of a fill for markouts, ms. The prices after an older fill were not observed. */
const LATE_MS = 10_000;

function noteOwnFill(
  { markets, clock }: TraderState,
  { marketConditionId, amountMicros, timestampS }: BookedFill,
  strategy: string,
  where: Pick<OwnFill, 'side' | 'priceMicros'>,
  nowMs: number,
): void {
  const entry = markets.track(marketConditionId);
  const lateMs = (clock.venue.nowMs(nowMs) ?? 0) - timestampS * 1000;
  if (lateMs > LATE_MS) return entry.feed.ownFills.onLateFill();
  entry.feed.ownFills.onFill({ ...where, amountMicros, nowMs });
  const own = entry.slots.find((slot) => slot.strategy.name === strategy);
  const fairMicros = own?.wanted.fairMicros ?? null;
  const tickMicros = entry.feed.facts?.tickMicros ?? ZERO;
  entry.measures.onFill({ ...where, fairMicros, tickMicros, stalePart: own?.worth?.stalePart ?? 0, nowMs });
}

/** After a fill, requests the market's book, and the books of the event's other markets that have own orders. */
function lookAfterFill(state: TraderState, conditionId: string, nowMs: number): void {
  const market = state.markets.get(conditionId);
  if (market !== undefined) market.filledMs = nowMs;
  state.requests.poller.expedite({ kind: 'book', marketConditionId: conditionId });
  lookAtEvent(state, conditionId);
}

/** Requests the books of the event's other markets that have own orders. These books may have changed too. */
export function lookAtEvent({ markets, account, requests }: TraderState, conditionId: string): void {
  const event = markets.get(conditionId)?.feed.facts?.eventConditionId ?? null;
  if (event === null) return;
  for (const { conditionId: each, feed } of markets.all) {
    const isAtRisk = feed.facts?.eventConditionId === event && account.own.orders.has(each);
    if (each !== conditionId && isAtRisk) requests.poller.expedite({ kind: 'book', marketConditionId: each }, 'next');
  }
}

/** Records an order that the exchange rejected. Returns the wait before the next order in the market, ms. */
function noteRefused({ markets, safety, notices }: TraderState, event: Of<'notDone'>, nowMs: number): number {
  const { exchangeRefusals: here } = markets.track(event.market);
  const { exchangeRefusals: everywhere } = safety.guards;
  for (const refusals of [here, everywhere]) refusals.onRefused(event, nowMs);
  if (everywhere.takeLasting(nowMs)) {
    const text = everywhere.describe(nowMs) ?? event.slug;
    notices.alert(nowMs, 'orders_refused', `the exchange has accepted no order for a minute: ${text}`);
  }
  return here.waitMs(PLACE_PAUSE_MS);
}

/** Failure slugs of intents after which the next order in the market need not wait. */
const HARMLESS: readonly string[] = ['unsent', 'withdrawn', 'throttled'];

function onNotDone(state: TraderState, event: Of<'notDone'>, nowMs: number): void {
  const { ledger, markets, requests, notices } = state;
  const { market, slug, intentKind } = event;
  markets.requestRequote(market);
  if (HARMLESS.includes(slug)) return;
  tellRefused(ledger, markets, event, slug, nowMs);
  if (slug === POST_ONLY) {
    // New orders in the market wait, because each draft reserves money until it expires.
    for (const slot of markets.listSlots(market)) slot.placeAfterMs = nowMs + PLACE_PAUSE_MS;
    return;
  }
  if (intentKind !== 'place' && intentKind !== 'cancel') conversionFailed(markets.track(market), nowMs);
  if (intentKind === 'place') {
    const afterMs = nowMs + noteRefused(state, event, nowMs);
    markets.track(market).saleAfterMs = afterMs;
    for (const slot of markets.listSlots(market)) slot.placeAfterMs = afterMs;
  }
  // The market may have changed since its detail was read, so the detail is read again.
  requests.poller.expedite({ kind: 'detail', marketConditionId: market });
  const what = `${intentKind} intent in "${showTitle(markets, market)}" was not executed`;
  notices.notify(nowMs, 'not_done', `${what}: ${slug}, ${event.reason}`);
}

type IntentReader = Pick<LedgerReader, 'intent' | 'order'>;
type Slots = Pick<Markets, 'listSlots'>;
type Of<K extends ExecutorEvent['kind']> = Extract<ExecutorEvent, { kind: K }>;

/** Returns true if a quoter of the market subscribes to events of this kind. */
const hasAsker = (markets: Slots, market: string, kind: AskedEvent): boolean =>
  markets.listSlots(market).some(({ strategy }) => strategy.module.observes?.includes(kind));

function tellRested(ledger: IntentReader, markets: Slots, event: Of<'orderOpened'>, nowMs: number): void {
  const { intentId, market } = event;
  const order = hasAsker(markets, market, 'rested') ? findOrder(ledger, intentId) : null;
  if (order === null) return;
  const { strategy, ...placed } = order;
  tellMarket(markets, market, { kind: 'rested', nowMs, ...placed }, strategy);
}

function tellClosed(ledger: IntentReader, markets: Slots, event: Of<'orderClosed'>, nowMs: number): void {
  const { market, intentId, status, filledMicros } = event;
  if (ORDER_STANDING[status].filled === 'all') return;
  const order = hasAsker(markets, market, 'canceled') ? findOrder(ledger, intentId) : null;
  if (order === null) return;
  const { strategy, amountMicros, ...placed } = order;
  const leftMicros = maxMicros(ZERO, sub(amountMicros, filledMicros));
  tellMarket(markets, market, { kind: 'canceled', nowMs, ...placed, leftMicros }, strategy);
}

/** Reports a refused order or cancel to the order's strategy, and a refused conversion to all subscribed quoters. */
export function tellRefused(
  ledger: IntentReader,
  markets: Slots,
  { intentId, market }: Pick<Of<'notDone'>, 'intentId' | 'market'>,
  slug: string,
  nowMs: number,
): void {
  const intent = hasAsker(markets, market, 'refused') ? ledger.intent(intentId) : null;
  if (intent === null) return;
  const event = { kind: 'refused', nowMs, what: intent.kind, slug } as const;
  if (intent.kind === 'place') tellMarket(markets, market, event, intent.strategy);
  else if (intent.kind === 'cancel') tellMarket(markets, market, event, findOwner(ledger, intent));
  else tellMarket(markets, market, event);
}

/** Passes an event to all subscribed quoters of a market, or only to the quoter of `strategy` (null: to none). */
export function tellMarket(markets: Slots, market: string, event: AnyEvent, strategy?: string | null): void {
  for (const slot of markets.listSlots(market))
    if (strategy === undefined || slot.strategy.name === strategy) slot.observe(event);
}

/** Returns the order of an intent, with side and YES price; null if the intent places no order. */
function findOrder(ledger: IntentReader, intentId: string) {
  const intent = ledger.intent(intentId);
  if (intent === null) return null;
  const { isYes, side, priceMicros, amountMicros, strategy } = intent;
  if (isYes === null || side === null || priceMicros === null || amountMicros === null) return null;
  return { intentId, ...inYesSpace(isYes, side, priceMicros), amountMicros, strategy };
}

/** Returns the strategy of the order that an intent cancels; null for an order unknown to the ledger. */
function findOwner(ledger: IntentReader, { orderPubkey }: IntentRow): string | null {
  const order = orderPubkey === null ? null : ledger.order(orderPubkey);
  return order === null ? null : (ledger.intent(order.intentId)?.strategy ?? null);
}
