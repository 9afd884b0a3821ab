/** Applies the exchange's rows of orders and trades to our orders, their intents and their pending cancels. */

import { must } from '../../shared/base/errors.js';
import { add, formatDecimal, type Micros, maxMicros, micros, minMicros, sub, ZERO } from '../../shared/base/micros.js';
import type { OrderRow, OwnTradeRow } from '../../shared/protocol/records.js';
import { isFinalOrder, ORDER_STANDING, type OrderStatus } from '../../shared/protocol/states.js';
import type { IntentRow, OrderRecord } from '../ledger/contract.js';
import { type Context, type RecordPoll, rowText } from './context.js';
import type { InFlight } from './in-flight-intents.js';
import { FUTURE_S, type nextState, RECORD_STATES, STANDINGS } from './lifecycle.js';

export function observeOrder(context: Context, order: OrderRecord, row: OrderRow, look: RecordPoll): void {
  const inFlight = context.intents.byKey.place.get(order.pubkey);
  tellDifference(context, order, row, inFlight);
  const said = readFilled(row, order);
  const filledMicros = exceedsOrder(context, order, said) ? order.filledMicros : maxMicros(order.filledMicros, said);
  const seen = filledMicros === order.filledMicros ? order : { ...order, filledMicros };
  if (seen !== order && order.closedMs !== null) {
    const was = `order ${order.pubkey} was ${order.status} with ${formatDecimal(order.filledMicros)} filled`;
    const text = `${was}, but the exchange now shows ${formatDecimal(filledMicros)} filled`;
    context.reportOddity('fill_differs', order.pubkey, order.marketConditionId, text, look.nowMs);
  }
  const says = row.status === null ? null : RECORD_STATES[row.status];
  switch (says) {
    // A row without a status, or with the status of an unsigned draft, does not change an ended order.
    case null:
      if (inFlight !== undefined && order.closedMs === null) context.lookLater(inFlight, look.nowMs);
      break;
    case 'unsigned':
      if (inFlight === undefined || order.closedMs !== null) break;
      if (context.isOverdue(inFlight, look)) context.expire(inFlight, look);
      else context.sendAgain(inFlight, look);
      break;
    case 'accepted':
      noteResting(context, order, seen, look);
      break;
    case 'recordExpired':
      if (order.closedMs !== null || (inFlight !== undefined && !context.confirmExpiry(inFlight, look))) break;
      noteEnded(context, seen, 'expired', says, look.nowMs);
      break;
    default:
      noteEnded(context, seen, row.status ?? order.status, says, look.nowMs);
  }
  if (!context.profile.own_trades) bookDifference(context, order.pubkey, look);
}

/** Processes the row of an order that is not in the ledger. A cancel of this order may be in the ledger. */
export function observeForeignOrder(context: Context, pubkey: string, row: OrderRow, look: RecordPoll): void {
  if (row.status === null) return;
  if (isFinalOrder(row.status)) cancelOfEndedOrder(context, pubkey, look.nowMs);
  else cancelOfRestingOrder(context, pubkey, look);
}

/** Marks an order as resting. `was` is the stored order, `seen` the same order with the newest filled amount. */
function noteResting(context: Context, was: OrderRecord, seen: OrderRecord, look: RecordPoll): void {
  if (was.closedMs !== null) {
    // The answer is outdated if its request was sent before the order ended.
    if (look.sentMs <= was.closedMs && was.closedMs <= look.nowMs) return;
    if (look.source === 'list') {
      readAgain(context, was, look.nowMs);
      return;
    }
    if (!isCanceled(was)) tellRests(context, 'came_back', was, look.nowMs);
  }
  const canceledMs = isCanceled(was) ? was.closedMs : null;
  const isUndone = context.undoneOrders.onResting(was.pubkey, canceledMs, look.sentMs);
  if (isUndone) tellRests(context, 'cancel_undone', was, look.nowMs);
  const status = seen.filledMicros > 0 ? 'partially_filled' : 'open';
  if (status !== was.status || seen.filledMicros !== was.filledMicros || was.closedMs !== null)
    context.orders.change(was.pubkey, { status, filledMicros: seen.filledMicros, closedMs: null });
  const inFlight = context.intents.takeAgain(was.intentId, look.nowMs);
  if (inFlight.intent.state !== 'live') {
    tellSigned(context, inFlight.intent, was.pubkey, status, look.nowMs);
    noteOpened(context, inFlight, was.pubkey, look.nowMs, `the exchange shows the order as ${status}`);
  }
  Object.assign(inFlight, { tries: 0, expiredSinceMs: null, dueMs: null, resend: false });
  cancelOfRestingOrder(context, was.pubkey, look);
}

const isCanceled = ({ status }: OrderRecord): boolean => ORDER_STANDING[status].isCanceled;

function tellRests(
  context: Context,
  kind: Parameters<Context['reportOddity']>[0],
  order: OrderRecord,
  nowMs: number,
): void {
  const { pubkey, status, marketConditionId } = order;
  const was = kind === 'cancel_undone' ? 'canceled' : status;
  context.reportOddity(kind, pubkey, marketConditionId, `order ${pubkey} was ${was}, but it rests again`, nowMs);
}

function noteOpened(context: Context, inFlight: InFlight, pubkey: string, nowMs: number, why: string): void {
  context.intents.move(inFlight, 'accepted', nowMs, why);
  const { id: intentId, marketConditionId: market } = inFlight.intent;
  context.emit({ kind: 'orderOpened', intentId, orderPubkey: pubkey, market });
}

/** Reports an order that took effect without a signature in this ledger. Another party may have the wallet's key. */
function tellSigned(context: Context, intent: IntentRow, pubkey: string, how: OrderStatus, nowMs: number): void {
  if (intent.signature !== null) return;
  const text = `order ${pubkey} is ${how} at the exchange, but this trader never signed its draft (${intent.lastReason})`;
  context.reportOddity('signed_elsewhere', pubkey, intent.marketConditionId, text, nowMs);
}

function noteEnded(
  context: Context,
  order: OrderRecord,
  status: OrderStatus,
  event: Parameters<typeof nextState>[1],
  nowMs: number,
): void {
  const { pubkey, filledMicros, closedMs, intentId, marketConditionId: market } = order;
  const again = closedMs !== null;
  if (again && order.status === status && !context.intents.byId.has(intentId)) {
    // The order had already ended with this status, so only its filled amount may be new.
    context.orders.change(pubkey, { status, filledMicros, closedMs });
    return;
  }
  const inFlight = context.intents.takeAgain(intentId, nowMs);
  const rested = inFlight.intent.state === 'live';
  if (again && order.status !== status) {
    const text = `order ${pubkey} ended as ${order.status}, but the exchange now shows it as ${status}`;
    context.reportOddity('came_back', pubkey, market, text, nowMs);
  }
  if (!rested && (event === 'settled' || filledMicros > 0)) tellSigned(context, inFlight.intent, pubkey, status, nowMs);
  // The record shows no reason for the failure, so the reason from the submit's answer is added.
  const why = event === 'recordFailed' && inFlight.intent.state === 'unknown' ? ` (${inFlight.intent.lastReason})` : '';
  context.orders.change(pubkey, { status, filledMicros, closedMs: closedMs ?? nowMs });
  context.intents.move(inFlight, event, nowMs, `the exchange shows the order as ${status}${why}`);
  if (!again && (event === 'settled' || rested))
    context.emit({ kind: 'orderClosed', intentId, orderPubkey: pubkey, market, status, filledMicros });
  else if (!again) context.reportNotDone(inFlight, status, `the exchange shows order ${pubkey} as ${status}${why}`);
  cancelOfEndedOrder(context, pubkey, nowMs);
}

/** Makes the read of an order's record due at the next tick, even if the order has ended. */
export function readAgain(context: Context, order: OrderRecord, nowMs: number): void {
  const inFlight = context.intents.takeAgain(order.intentId, nowMs);
  if (inFlight.busy !== null) return;
  inFlight.resend = false;
  inFlight.dueMs = nowMs;
}

/** Returns true if this filled amount exceeds the order's amount; always false if the exchange lists no own trades. */
const exceedsOrder = ({ profile }: Context, order: OrderRecord, filledMicros: Micros): boolean =>
  profile.own_trades && filledMicros > order.amountMicros;

/** Returns the filled shares that an order's row shows. The status `filled` proves more than a late filled amount. */
function readFilled({ status, amount, filled_amount, remaining_amount }: OrderRow, order: OrderRecord): Micros {
  const shown = filled_amount ?? (remaining_amount === null ? ZERO : sub(order.amountMicros, remaining_amount));
  const isAll = status !== null && ORDER_STANDING[status].filled === 'all';
  return isAll ? maxMicros(shown, minMicros(amount ?? order.amountMicros, order.amountMicros)) : shown;
}

export const sameTerms = (row: OrderRow, order: OrderRecord): boolean =>
  row.market.condition_id === order.marketConditionId &&
  row.outcome.is_yes === order.isYes &&
  row.side === order.side &&
  (row.price === null || row.price === order.priceMicros) &&
  (row.amount === null || row.amount === order.amountMicros);

function tellDifference(context: Context, order: OrderRecord, row: OrderRow, inFlight: InFlight | undefined): void {
  const same = sameTerms(row, order) && !exceedsOrder(context, order, readFilled(row, order));
  if (!same && inFlight !== undefined) context.reportDifference(inFlight, `order ${order.pubkey}`, row);
}

/**
 * Books the growth of an order's filled amount as a fill, on an exchange that does not list own trades. The fill's key
 * is the order's pubkey with its total filled amount. The fill's price is the order's limit price, the worst possible
 * one. The fee is unknown.
 */
function bookDifference(context: Context, orderPubkey: string, look: RecordPoll): void {
  const order = must(context.orders.get(orderPubkey), `order ${orderPubkey}`);
  const amountMicros = micros(order.filledMicros - order.bookedMicros);
  if (amountMicros <= 0) return;
  context.bookFill(order, {
    ...termsOf(order),
    pubkey: `${orderPubkey}@${order.filledMicros}`,
    priceMicros: order.priceMicros,
    amountMicros,
    feeMicros: null,
    isMaker: null,
    timestampS: Math.floor((look.venueTimeMs ?? look.nowMs) / 1000),
    seenMs: look.nowMs,
  });
}

const termsOf = ({ pubkey: orderPubkey, marketConditionId, isYes, side }: OrderRecord) => ({
  orderPubkey,
  marketConditionId,
  isYes,
  side,
});

function cancelOfEndedOrder(context: Context, orderPubkey: string, nowMs: number): void {
  const inFlight = context.intents.byKey.cancel.get(orderPubkey);
  if (inFlight === undefined) return;
  context.intents.move(inFlight, 'settled', nowMs, 'the order has ended');
  const { id: intentId, marketConditionId: market } = inFlight.intent;
  context.emit({ kind: 'cancelDone', intentId, orderPubkey, market });
}

function cancelOfRestingOrder(context: Context, orderPubkey: string, look: RecordPoll): void {
  const inFlight = context.intents.byKey.cancel.get(orderPubkey);
  if (inFlight === undefined || inFlight.busy !== null) return;
  // Only a signed cancel is sent again or expires. Its submit may be lost or throttled, or its draft has expired.
  if (STANDINGS[inFlight.intent.state].effect !== 'maybe') return;
  // A read that was sent before the last change of the cancel shows nothing about the cancel's effect.
  const { updatedMs } = inFlight.intent;
  // If `updatedMs` is later than now, our clock was set back, and the times cannot be compared.
  if (look.source === 'list' || (look.sentMs < updatedMs && updatedMs <= look.nowMs)) return;
  if (!context.isOverdue(inFlight, look, 0)) context.sendAgain(inFlight, look);
  else context.expire(inFlight, look, 'the cancel’s draft expired before the cancel took effect');
}

/** Processes rows of own trades. The rows are ordered newest first, and are booked oldest first. */
export function observeTrades(context: Context, rows: readonly OwnTradeRow[], nowMs: number, venueS: number): void {
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = must(rows[i], 'a row of the page');
    // Pages of a list may overlap, so the trade may already be booked.
    if (context.bookedTrades.has(row)) continue;
    const order = row.order.pubkey === null ? null : context.orders.get(row.order.pubkey);
    if (order === null) {
      const text = `trade ${row.pubkey} belongs to order ${row.order.pubkey ?? '(none)'}, which is not in this ledger`;
      context.reportForeign('foreign_trade', row.pubkey, row.market_condition_id, text, nowMs);
    } else if (row.order.outcome.is_yes !== order.isYes || row.order.side !== order.side) differs(context, row, nowMs);
    else if (row.state === 'failed') noteFailure(context, row, order, nowMs);
    // A matched trade is booked only when it is settled. Until then, `missingFills` lists its order.
    else if (row.state === 'done') book(context, row, order, nowMs, venueS);
  }
}

/** Records a trade that the exchange reports as failed. If the trade was booked, its booking is reversed. */
function noteFailure(context: Context, row: OwnTradeRow, order: OrderRecord, nowMs: number): void {
  const { pubkey } = row;
  const note = context.orders.noteFailedTrade(pubkey, order.pubkey, row.amount, nowMs);
  if (note === 'repeated') return;
  context.bookedTrades.drop(pubkey);
  const what = `trade ${pubkey} of order ${order.pubkey}`;
  const [kind, text] =
    note === 'noted'
      ? (['failed_trade', `${what} was matched and failed to settle; the trade is not booked`] as const)
      : (['settled_trade_failed', `${what} had settled but then failed; its booking was reversed`] as const);
  context.reportOddity(kind, pubkey, order.marketConditionId, text, nowMs);
  // The order is read again, because the exchange may have put the failed trade's shares back into it.
  if (order.closedMs !== null) readAgain(context, order, nowMs);
}

function book(context: Context, row: OwnTradeRow, order: OrderRecord, nowMs: number, venueS: number): void {
  const { pubkey, price: priceMicros, amount: amountMicros, fee: feeMicros, is_maker: isMaker, timestamp } = row;
  // A trade with an impossible time is booked at the exchange's present time.
  const isTimed = timestamp >= 0 && timestamp <= venueS + FUTURE_S;
  const presentS = Number.isFinite(venueS) ? venueS : Math.floor(nowMs / 1000);
  const trade = { pubkey, priceMicros, amountMicros, feeMicros, isMaker, timestampS: isTimed ? timestamp : presentS };
  const booking = context.bookFill(order, { ...trade, ...termsOf(order), seenMs: nowMs });
  if (!isTimed && booking === 'booked') {
    const text = `trade ${pubkey} of order ${order.pubkey} has the time ${timestamp}; the present time is ${presentS}`;
    context.reportOddity('fill_differs', pubkey, order.marketConditionId, text, nowMs);
  }
  if (booking === 'differs') differs(context, row, nowMs);
  else context.bookedTrades.add(row);
  if (booking !== 'booked') return;
  if (lookAtOrder(context, order.pubkey, nowMs).failedMicros === order.failedMicros) return;
  const text = `trade ${pubkey} of order ${order.pubkey} had counted as failed and settled later; the trade is booked`;
  context.reportOddity('failed_trade_settled', pubkey, order.marketConditionId, text, nowMs);
}

/** Updates an order after a booked fill. The fill may be newer than the order's stored state. */
function lookAtOrder(context: Context, orderPubkey: string, nowMs: number): OrderRecord {
  const order = must(context.orders.get(orderPubkey), `order ${orderPubkey}`);
  const { status, closedMs, bookedMicros, filledMicros, failedMicros } = order;
  if (bookedMicros > filledMicros) context.orders.change(orderPubkey, { status, closedMs, filledMicros: bookedMicros });
  const inFlight = context.intents.byKey.place.get(orderPubkey);
  const intent = inFlight?.intent ?? must(context.ledger.intent(order.intentId), `intent ${order.intentId}`);
  tellSigned(context, intent, orderPubkey, 'filled', nowMs);
  // A fill proves that the order took effect, even if its draft was abandoned.
  if (inFlight?.intent.state === 'abandoned')
    noteOpened(context, inFlight, orderPubkey, nowMs, 'the exchange shows a fill of the order');
  const live = inFlight?.intent.state === 'live';
  const complete = add(bookedMicros, failedMicros) >= order.amountMicros;
  const over = RECORD_STATES[status] === 'settled';
  // The order is read again if it is open but fully filled, or if its stored state does not explain the fill.
  if (closedMs === null ? complete || !live : !over) readAgain(context, order, nowMs);
  return order;
}

function differs(context: Context, row: OwnTradeRow, nowMs: number): void {
  const text = `trade ${row.pubkey} differs from its order or its booking in this ledger: ${rowText(row)}`;
  context.reportOddity('fill_differs', row.pubkey, row.market_condition_id, text, nowMs);
}
