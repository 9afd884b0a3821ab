/** Effect of an order row on the order, its intent, and a cancel in flight. */

import { formatDecimal } from '../../shared/base/decimal.js';
import { must } from '../../shared/base/errors.js';
import { type Micros, maxMicros, micros, sub, ZERO } from '../../shared/base/micros.js';
import type { OrderRow } from '../../shared/protocol/records.js';
import { isFinalOrder, ORDER_STANDING, type OrderStatus } from '../../shared/protocol/states.js';
import type { IntentRow, OrderRecord } from '../ledger/contract.js';
import type { ExecutorContext, Look } from './context.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { type IntentEvent, RECORD_STATES, STANDINGS } from './lifecycle.js';

/** Takes in a row of an order that is in the ledger. */
export function observeOrder(context: ExecutorContext, order: OrderRecord, row: OrderRow, look: Look): void {
  const inFlight = context.intents.ofOrder(order.pubkey);
  tellDifference(context, order, row, inFlight);
  const said = readFilled(row, order);
  const filledMicros = exceedsOrder(context, order, said) ? order.filledMicros : maxMicros(order.filledMicros, said);
  const seen = filledMicros === order.filledMicros ? order : { ...order, filledMicros };
  if (seen !== order && order.closedMs !== null) tellGrowth(context, order, filledMicros, look);
  const says = row.status === null ? null : RECORD_STATES[row.status];
  switch (says) {
    // Neither says anything about an ended order.
    case null:
      if (inFlight !== null && order.closedMs === null) context.lookLater(inFlight, look.nowMs);
      break;
    case 'unsigned':
      if (inFlight !== null && order.closedMs === null) context.sendAgain(inFlight, look);
      break;
    case 'accepted':
      noteResting(context, order, seen, inFlight, look);
      break;
    case 'recordExpired':
      if (order.closedMs !== null || (inFlight !== null && !context.confirmExpiry(inFlight, look))) break;
      noteEnded(context, seen, 'expired', says, look);
      break;
    default:
      noteEnded(context, seen, row.status ?? order.status, says, look);
  }
  if (!context.profile.own_trades) bookDifference(context, order.pubkey, look);
}

/** An order that this ledger did not create: only a cancel of it can be in flight. */
export function observeForeignOrder(context: ExecutorContext, pubkey: string, row: OrderRow, look: Look): void {
  if (row.status === null) return;
  if (isFinalOrder(row.status)) cancelOfEndedOrder(context, pubkey, look.nowMs);
  else cancelOfRestingOrder(context, pubkey, look);
}

/** Marks the order as resting. `seen` is `before` with the newest filled amount. */
function noteResting(
  context: ExecutorContext,
  before: OrderRecord,
  seen: OrderRecord,
  known: InFlightIntent | null,
  look: Look,
): void {
  if (before.closedMs !== null) {
    // A read that left before the end was known is outdated.
    if (look.sentMs <= before.closedMs && before.closedMs <= look.nowMs) return;
    if (look.source === 'list') {
      readAgain(context, before, look.nowMs);
      return;
    }
    if (!isCanceled(before)) tellRests(context, 'came_back', before, look);
  }
  const canceledMs = isCanceled(before) ? before.closedMs : null;
  const isUndone = context.undoneOrders.onResting(before.pubkey, canceledMs, look.sentMs);
  if (isUndone) tellRests(context, 'cancel_undone', before, look);
  const status = seen.filledMicros > 0 ? 'partially_filled' : 'open';
  if (status !== before.status || seen.filledMicros !== before.filledMicros || before.closedMs !== null) {
    context.orders.change(before.pubkey, { status, filledMicros: seen.filledMicros, closedMs: null });
  }
  const inFlight = known ?? context.intents.takeAgain(before.intentId, look.nowMs);
  if (inFlight.intent.state !== 'live') {
    tellSigned(context, inFlight.intent, before.pubkey, status, look.nowMs);
    noteOpened(context, inFlight, before.pubkey, look.nowMs, `the exchange shows it ${status}`);
  }
  Object.assign(inFlight, { confirmed: true, tries: 0, expiredSinceMs: null, dueMs: null, resend: false });
  cancelOfRestingOrder(context, before.pubkey, look);
}

/** An ended order fills no more: a later record with a larger fill contradicts the earlier one. */
function tellGrowth(context: ExecutorContext, before: OrderRecord, filledMicros: Micros, { nowMs }: Look): void {
  const { pubkey, status, marketConditionId } = before;
  const was = `order ${pubkey} was ${status} with ${formatDecimal(before.filledMicros)} filled`;
  const text = `${was} and is now shown with ${formatDecimal(filledMicros)} filled`;
  context.reportOddity('fill_differs', pubkey, marketConditionId, text, nowMs);
}

const isCanceled = ({ status }: OrderRecord): boolean => ORDER_STANDING[status].isCanceled;

function tellRests(
  context: ExecutorContext,
  kind: 'came_back' | 'cancel_undone',
  { pubkey, status, marketConditionId }: OrderRecord,
  { nowMs }: Look,
): void {
  const was = kind === 'cancel_undone' ? 'canceled' : status;
  context.reportOddity(kind, pubkey, marketConditionId, `order ${pubkey} was ${was} and now rests`, nowMs);
}

function noteOpened(
  context: ExecutorContext,
  inFlight: InFlightIntent,
  pubkey: string,
  nowMs: number,
  why: string,
): void {
  context.intents.move(inFlight, 'accepted', nowMs, why);
  const { id: intentId, marketConditionId: market } = inFlight.intent;
  context.emit({ kind: 'orderOpened', intentId, orderPubkey: pubkey, market });
}

/** A fill proves that its order took effect, even if its draft was abandoned: the order is then read like any other. */
export function markProvenByFill(context: ExecutorContext, order: OrderRecord, nowMs: number): void {
  const inFlight = context.intents.ofOrder(order.pubkey);
  const intent = inFlight?.intent ?? must(context.ledger.intent(order.intentId), `intent ${order.intentId}`);
  tellSigned(context, intent, order.pubkey, 'filled', nowMs);
  if (inFlight?.intent.state === 'abandoned')
    noteOpened(context, inFlight, order.pubkey, nowMs, 'the exchange shows a fill of it');
}

/** An order takes effect by a signature. Without one in this ledger, another party has our key or needs none. */
function tellSigned(
  context: ExecutorContext,
  intent: IntentRow,
  pubkey: string,
  how: OrderStatus,
  nowMs: number,
): void {
  if (intent.signature !== null) return;
  const text = `order ${pubkey} is ${how} at the exchange, and its draft was never signed here (${intent.lastReason})`;
  context.reportOddity('signed_elsewhere', pubkey, intent.marketConditionId, text, nowMs);
}

/** The order is over. */
function noteEnded(
  context: ExecutorContext,
  order: OrderRecord,
  status: OrderStatus,
  event: IntentEvent,
  look: Look,
): void {
  const { pubkey, filledMicros, closedMs, intentId, marketConditionId: market } = order;
  const again = closedMs !== null;
  if (again && order.status === status && context.intents.get(intentId) === null) {
    // Final before and now; only the filled amount may have grown.
    context.orders.change(pubkey, { status, filledMicros, closedMs });
    return;
  }
  const inFlight = context.intents.takeAgain(intentId, look.nowMs);
  const rested = inFlight.intent.state === 'live';
  if (again && order.status !== status) {
    const text = `order ${pubkey} was ${order.status} and is now ${status}`;
    context.reportOddity('came_back', pubkey, market, text, look.nowMs);
  }
  if (!rested && (event === 'settled' || filledMicros > 0))
    tellSigned(context, inFlight.intent, pubkey, status, look.nowMs);
  // Only the submit's answer says why it was rejected: the record just says that it failed.
  const why = event === 'recordFailed' && inFlight.intent.state === 'unknown' ? ` (${inFlight.intent.lastReason})` : '';
  context.orders.change(pubkey, { status, filledMicros, closedMs: closedMs ?? look.nowMs });
  context.intents.move(inFlight, event, look.nowMs, `the exchange shows it ${status}${why}`);
  if (!again && (event === 'settled' || rested)) {
    context.emit({ kind: 'orderClosed', intentId, orderPubkey: pubkey, market, status, filledMicros });
  } else if (!again) {
    context.reportNotDone(inFlight, status, `the exchange shows order ${pubkey} ${status}${why}`);
  }
  cancelOfEndedOrder(context, pubkey, look.nowMs);
}

/** Reads the order's record at the next tick, although it counts as ended. */
export function readAgain(context: ExecutorContext, order: OrderRecord, nowMs: number): void {
  const inFlight = context.intents.takeAgain(order.intentId, nowMs);
  if (inFlight.busy !== null) return;
  inFlight.resend = false;
  inFlight.dueMs = nowMs;
}

/**
 * A filled amount above the ordered one is wrong: stored, it would never be matched by trades. Own trades show the
 * moves; on a venue without own trades this figure is the only source.
 */
const exceedsOrder = ({ profile }: ExecutorContext, order: OrderRecord, filledMicros: Micros): boolean =>
  profile.own_trades && filledMicros > order.amountMicros;

/** Filled shares of the row; ZERO if absent. */
function readFilled(row: OrderRow, order: OrderRecord): Micros {
  if (row.filled_amount !== null) return row.filled_amount;
  if (row.status !== null && ORDER_STANDING[row.status].filled === 'all') return order.amountMicros;
  return row.remaining_amount === null ? ZERO : sub(order.amountMicros, row.remaining_amount);
}

function tellDifference(
  context: ExecutorContext,
  order: OrderRecord,
  row: OrderRow,
  inFlight: InFlightIntent | null,
): void {
  const same =
    row.market.condition_id === order.marketConditionId &&
    row.outcome.is_yes === order.isYes &&
    row.side === order.side &&
    (row.price === null || row.price === order.priceMicros) &&
    (row.amount === null || row.amount === order.amountMicros) &&
    !exceedsOrder(context, order, readFilled(row, order));
  if (!same && inFlight !== null) context.reportDifference(inFlight, `order ${order.pubkey}`, row);
}

/**
 * On a venue without own trades, the growth of the filled amount is a fill, keyed by order and cumulative amount. Its
 * price is the order's own, the worst possible; its fee is unknown.
 */
function bookDifference(context: ExecutorContext, orderPubkey: string, look: Look): void {
  const order = must(context.orders.get(orderPubkey), `order ${orderPubkey}`);
  const amountMicros = micros(order.filledMicros - order.bookedMicros);
  if (amountMicros <= 0) return;
  const trade = {
    pubkey: `${orderPubkey}@${order.filledMicros}`,
    priceMicros: order.priceMicros,
    amountMicros,
    feeMicros: null,
    isMaker: null,
    timestampS: Math.floor((look.venueTimeMs ?? look.nowMs) / 1000),
  };
  context.bookFill(order, trade, look.nowMs);
}

/** The order has ended, for whatever reason: there is nothing to cancel. */
function cancelOfEndedOrder(context: ExecutorContext, orderPubkey: string, nowMs: number): void {
  const inFlight = context.intents.findCancel(orderPubkey);
  if (inFlight === null) return;
  context.intents.move(inFlight, 'settled', nowMs, 'its order is over');
  const { id: intentId, marketConditionId: market } = inFlight.intent;
  context.emit({ kind: 'cancelDone', intentId, orderPubkey, market });
}

/** The order still rests: the cancel has not arrived, or not yet. */
function cancelOfRestingOrder(context: ExecutorContext, orderPubkey: string, look: Look): void {
  const inFlight = context.intents.findCancel(orderPubkey);
  if (inFlight === null || inFlight.busy !== null) return;
  // Signed but not in flight: its submit was throttled or never left, and its draft may have expired meanwhile.
  if (STANDINGS[inFlight.intent.state].effect !== 'maybe') return;
  // A read that left before the submit became uncertain says nothing about it.
  const { updatedMs } = inFlight.intent;
  // After a clock set back, the later time says nothing.
  if (look.source === 'list' || (look.sentMs < updatedMs && updatedMs <= look.nowMs)) return;
  const { expiresAtS } = inFlight.intent;
  const lapsed = expiresAtS !== null && look.venueTimeMs !== null && look.venueTimeMs > expiresAtS * 1000;
  if (!lapsed) {
    context.sendAgain(inFlight, look);
  } else if (context.confirmExpiry(inFlight, look)) {
    context.intents.move(inFlight, 'recordExpired', look.nowMs, 'its draft lapsed while the order rested');
    context.reportNotDone(inFlight, 'expired', 'the cancel draft lapsed while the order rested');
  }
}
