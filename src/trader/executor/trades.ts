/** Books own trades: each once, in order of time, and only those of own orders. */

import { must } from '../../shared/base/errors.js';
import { add, sub } from '../../shared/base/micros.js';
import type { OwnTradeRow } from '../../shared/protocol/records.js';
import type { OrderRecord } from '../ledger/contract.js';
import { type ExecutorContext, rowText } from './context.js';
import { RECORD_STATES } from './lifecycle.js';
import { markProvenByFill, readAgain } from './orders.js';

/** Takes in trade rows, newest first, and books them oldest first. */
export function observeTrades(context: ExecutorContext, rows: readonly OwnTradeRow[], nowMs: number): void {
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = must(rows[i], 'a row of the page');
    // Pages overlap, and a booked row needs no work.
    if (context.bookedTrades.has(row)) continue;
    const order = row.order.pubkey === null ? null : context.orders.get(row.order.pubkey);
    if (order === null) {
      const text = `trade ${row.pubkey} belongs to order ${row.order.pubkey ?? '(none)'}, which this ledger never made`;
      context.reportForeign('foreign_trade', row.pubkey, row.market_condition_id, text, nowMs);
    } else if (row.order.outcome.is_yes !== order.isYes || row.order.side !== order.side) differs(context, row, nowMs);
    else observeTrade(context, row, order, nowMs);
  }
}

function observeTrade(context: ExecutorContext, row: OwnTradeRow, order: OrderRecord, nowMs: number): void {
  switch (row.state) {
    // A matched trade is booked after settlement. Until then the order's filled amount exceeds its booked fills, so
    // `missingFills` lists it, and the trade is read again.
    case 'created':
    case 'in_process':
      return;
    case 'failed':
      noteFailure(context, row, order, nowMs);
      return;
    case 'done':
      book(context, row, order, nowMs);
  }
}

/** Notes a trade that failed, before or after settlement, and reverses its booking. */
function noteFailure(context: ExecutorContext, row: OwnTradeRow, order: OrderRecord, nowMs: number): void {
  const { pubkey } = row;
  const note = context.orders.noteFailedTrade(pubkey, order.pubkey, row.amount, nowMs);
  if (note === 'repeated') return;
  context.bookedTrades.drop(pubkey);
  const what = `trade ${pubkey} of order ${order.pubkey}`;
  const [kind, text] =
    note === 'noted'
      ? (['failed_trade', `${what} was matched and failed to settle; the trade is not booked`] as const)
      : (['settled_trade_failed', `${what} had settled and now failed; its booking was reversed`] as const);
  context.reportOddity(kind, pubkey, order.marketConditionId, text, nowMs);
  // The shares of the failed trade may rest again.
  if (order.closedMs !== null) readAgain(context, order, nowMs);
}

function book(context: ExecutorContext, row: OwnTradeRow, order: OrderRecord, nowMs: number): void {
  const { pubkey, price: priceMicros, amount: amountMicros, fee: feeMicros, is_maker: isMaker, timestamp } = row;
  const trade = { pubkey, priceMicros, amountMicros, feeMicros, isMaker, timestampS: timestamp };
  const booking = context.bookFill(order, trade, nowMs);
  if (booking === 'differs') differs(context, row, nowMs);
  else context.bookedTrades.add(row);
  if (booking !== 'booked') return;
  const after = lookAtOrder(context, order.pubkey, nowMs);
  if (after.failedMicros === order.failedMicros) return;
  const text = `trade ${pubkey} of order ${order.pubkey} had failed and settled later; the trade is booked`;
  context.reportOddity('failed_trade_settled', pubkey, order.marketConditionId, text, nowMs);
}

/** Updates an order by its fill, which may be newer than the listed state. */
function lookAtOrder(context: ExecutorContext, orderPubkey: string, nowMs: number): OrderRecord {
  const order = must(context.orders.get(orderPubkey), `order ${orderPubkey}`);
  const { status, closedMs, bookedMicros, filledMicros, failedMicros } = order;
  if (bookedMicros > filledMicros) context.orders.change(orderPubkey, { status, closedMs, filledMicros: bookedMicros });
  markProvenByFill(context, order, nowMs);
  const live = context.intents.ofOrder(orderPubkey)?.intent.state === 'live';
  const complete = add(bookedMicros, failedMicros) >= order.amountMicros;
  const over = RECORD_STATES[status] === 'settled';
  // A complete order no longer rests; a fill of an order not known to rest proves that it rested. Both are read again.
  if (closedMs === null ? complete || !live : !over) readAgain(context, order, nowMs);
  return order;
}

function differs(context: ExecutorContext, row: OwnTradeRow, nowMs: number): void {
  const text = `trade ${row.pubkey} contradicts this ledger's booking or request: ${rowText(row)}`;
  context.reportOddity('fill_differs', row.pubkey, row.market_condition_id, text, nowMs);
}

/** Orders with more filled at the exchange than booked; the engine then reads older own trades. */
export function missingFills(context: ExecutorContext) {
  const found = [];
  for (const order of context.orders.unsettled) {
    const { pubkey, marketConditionId, createdMs } = order;
    const missingMicros = sub(sub(order.filledMicros, order.bookedMicros), order.failedMicros);
    if (missingMicros > 0) found.push({ orderPubkey: pubkey, marketConditionId, missingMicros, createdMs });
  }
  return found;
}

export type MissingFills = Readonly<ReturnType<typeof missingFills>[number]>;
