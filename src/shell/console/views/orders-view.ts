/** Orders, fills and round trips, newest first: a page of each, of everything or of a part. */

import { formatDecimal } from '../../../shared/base/micros.js';
import type { BookedFill, LedgerReader, OrderRecord } from '../../../trader/ledger/contract.js';
import type { ViewQuery } from '../../dashboard/contract.js';
import type { TraderState } from '../trader-state.js';
import type { RoundTrips } from './round-trips.js';
import { filledOf, findPage, makeTitleLookup, sideText } from './texts.js';

/** The newest rows, among which filters look. */
const MOST_ROWS = 2_000;

interface OrdersSources {
  readonly ledger: LedgerReader;
  readonly trader: TraderState;
  readonly query: Pick<ViewQuery, 'market' | 'side' | 'words' | 'page' | 'spanMs'>;
  readonly trips: ReturnType<RoundTrips['read']>;
  readonly nowMs: number;
}

export function ordersView({ ledger, trader, query, trips, nowMs }: OrdersSources) {
  const { market, side, spanMs } = query;
  const newest = { limit: MOST_ROWS, ...(market === null ? {} : { marketConditionId: market }) };
  const find = makeTitleLookup(trader, ledger);
  const fromMs = spanMs === 0 ? 0 : nowMs - spanMs;
  const titled = <Row extends { readonly market: string }>(row: Row) => ({ ...row, title: find(row.market) });
  const pageOf = <Row extends { readonly time: number; readonly side: string }>(rows: readonly Row[]) =>
    findPage(
      rows.filter((row) => row.time >= fromMs && row.side.startsWith(side)),
      query,
    );
  return {
    orders: pageOf(ledger.orders(newest).map((order) => titled(orderRow(order)))),
    fills: pageOf(ledger.fills(newest).map((fill) => titled(fillRow(fill)))),
    trips: findPage(
      trips.filter((trip) => trip.time >= fromMs && (market === null || trip.market === market)).map(titled),
      query,
    ),
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
  time: order.createdMs,
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
