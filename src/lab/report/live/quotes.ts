/** When our orders stood, as far as the ledger tells: from its draft's row until a final status was seen. */

import { complement } from '../../../shared/base/micros.js';
import { ORDER_STANDING } from '../../../shared/protocol/states.js';
import type { OrderRecord } from '../../../trader/ledger/contract.js';
import type { QuotingFigures } from '../../session/contract.js';
import type { SessionOrder } from '../../session/market-walk.js';
import { common, mergeSpans, type Span, sumSpans } from './spans.js';

export const toSessionOrders = (orders: readonly OrderRecord[], toMs: number): readonly SessionOrder[] =>
  orders
    .filter(({ status }) => ORDER_STANDING[status].tookEffect)
    .map((order) => ({
      pubkey: order.pubkey,
      side: order.isYes === (order.side === 'buy') ? 'bid' : 'ask',
      priceMicros: order.isYes ? order.priceMicros : complement(order.priceMicros),
      ownPriceMicros: order.priceMicros,
      isBuy: order.side === 'buy',
      amountMicros: order.amountMicros,
      fromMs: order.createdMs,
      toMs: order.closedMs ?? toMs,
    }));

/** The market counts from its first quote until it closed, while the trader ran. */
export function measureQuoting(
  orders: readonly OrderRecord[],
  quotes: readonly SessionOrder[],
  running: readonly Span[],
  closeMs: number,
): QuotingFigures {
  const firstMs = quotes.reduce((first, { fromMs }) => Math.min(first, fromMs), closeMs);
  const open = common(mergeSpans(running), [[firstMs, closeMs]]);
  const standing = (side: SessionOrder['side']): readonly Span[] =>
    common(
      mergeSpans(quotes.filter((quote) => quote.side === side).map(({ fromMs, toMs }) => [fromMs, toMs ?? closeMs])),
      open,
    );
  const [bids, asks] = [standing('bid'), standing('ask')];
  const twoSidedMs = sumSpans(common(bids, asks));
  return {
    openForMs: sumSpans(open),
    twoSidedMs,
    oneSidedMs: sumSpans(bids) + sumSpans(asks) - 2 * twoSidedMs,
    haltedMs: null,
    ordersPlaced: quotes.length,
    ordersCanceled: orders.filter(({ status }) => ORDER_STANDING[status].isCanceled).length,
    postedMicros: quotes.reduce((total, { amountMicros }) => total + amountMicros, 0),
    joinedBehindMicros: null,
  };
}
