/** When our orders stood, as far as the ledger tells: from its draft's row until a final status was seen. */

import { complement } from '../../../shared/base/micros.js';
import { ORDER_STANDING } from '../../../shared/protocol/states.js';
import type { OrderRecord } from '../../../trader/ledger/contract.js';
import type { QuotingFigures } from '../../session/contract.js';
import { common, lengthOf, merged, type Span } from './spans.js';

/** An order that came to rest; its price in YES space. */
export interface Quote {
  readonly side: 'bid' | 'ask';
  readonly priceMicros: number;
  readonly amountMicros: number;
  readonly span: Span;
  /** Whether currency stands behind it: a purchase; and at which price in the space of its own outcome. */
  readonly isBuy: boolean;
  readonly ownPriceMicros: number;
}

export const quotesOf = (orders: readonly OrderRecord[], toMs: number): readonly Quote[] =>
  orders
    .filter(({ status }) => ORDER_STANDING[status].tookEffect)
    .map((order) => ({
      side: order.isYes === (order.side === 'buy') ? 'bid' : 'ask',
      priceMicros: order.isYes ? order.priceMicros : complement(order.priceMicros),
      amountMicros: order.amountMicros,
      span: [order.createdMs, order.closedMs ?? toMs],
      isBuy: order.side === 'buy',
      ownPriceMicros: order.priceMicros,
    }));

/** The market counts from its first quote until it closed, while the trader ran. */
export function quotingOf(
  orders: readonly OrderRecord[],
  quotes: readonly Quote[],
  running: readonly Span[],
  closeMs: number,
): QuotingFigures {
  const firstMs = quotes.reduce((first, { span }) => Math.min(first, span[0]), closeMs);
  const open = common(merged(running), [[firstMs, closeMs]]);
  const standing = (side: Quote['side']): readonly Span[] =>
    common(merged(quotes.filter((quote) => quote.side === side).map(({ span }) => span)), open);
  const [bids, asks] = [standing('bid'), standing('ask')];
  const twoSidedMs = lengthOf(common(bids, asks));
  return {
    openForMs: lengthOf(open),
    twoSidedMs,
    oneSidedMs: lengthOf(bids) + lengthOf(asks) - 2 * twoSidedMs,
    ordersPlaced: quotes.length,
    ordersCanceled: orders.filter(({ status }) => ORDER_STANDING[status].isCanceled).length,
    postedMicros: quotes.reduce((total, { amountMicros }) => total + amountMicros, 0),
    joinedBehindMicros: null,
  };
}
