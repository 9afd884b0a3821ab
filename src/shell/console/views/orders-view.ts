/** Orders and fills, newest first, of everything or of one market. */

import { formatDecimal } from '../../../shared/base/decimal.js';
import type { BookedFill, LedgerReader, OrderRecord } from '../../../trader/ledger/contract.js';
import type { TraderState } from '../trader-state.js';
import { filledOf, makeTitleLookup, sideText } from './texts.js';

const ROWS = 200;

export function ordersView(ledger: LedgerReader, trader: TraderState, market: string | null) {
  const page = { limit: ROWS, ...(market === null ? {} : { marketConditionId: market }) };
  const title = makeTitleLookup(trader, ledger);
  return {
    orders: ledger.orders(page).map((order) => ({ ...orderRow(order), title: title(order.marketConditionId) })),
    fills: ledger.fills(page).map((fill) => ({ ...fillRow(fill), title: title(fill.marketConditionId) })),
  };
}

export type OrdersView = ReturnType<typeof ordersView>;

export const orderRow = (order: OrderRecord) => ({
  id: order.pubkey,
  market: order.marketConditionId,
  side: sideText(order),
  price: formatDecimal(order.priceMicros),
  amount: formatDecimal(order.amountMicros),
  filled: formatDecimal(filledOf(order)),
  status: order.status,
  created: order.createdMs,
  closed: order.closedMs,
});

export const fillRow = (fill: BookedFill) => ({
  id: fill.pubkey,
  order: fill.orderPubkey,
  market: fill.marketConditionId,
  side: sideText(fill),
  price: formatDecimal(fill.priceMicros),
  amount: formatDecimal(fill.amountMicros),
  fee: fill.feeMicros === null ? '' : formatDecimal(fill.feeMicros),
  role: fill.isMaker === null ? '' : fill.isMaker ? 'maker' : 'taker',
  time: fill.timestampS * 1000,
});
