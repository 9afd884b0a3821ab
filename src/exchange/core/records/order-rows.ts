/** Orders and own trades in wire format. */

import type { Wire } from '../contract.js';
import { seconds } from '../core-context.js';
import type { Market } from '../market.js';
import { isBuyLeg, isYesLeg } from '../matching/order-pool.js';
import { text } from '../money.js';
import type { OrderRecord, OwnTrade } from './order-record.js';

/** Limit orders have amounts, market orders have funds (a market sell has an amount and no funds). */
export function orderRow(record: OrderRecord, market: Market): Wire<'orderRow'> {
  const { card } = market;
  const isYes = isYesLeg(record.leg);
  const isLimit = record.type === 'limit';
  const { price, amount, funds } = record;
  return {
    pubkey: record.pubkey,
    status: record.status,
    side: isBuyLeg(record.leg) ? 'buy' : 'sell',
    price: price === null ? null : text(price),
    amount: amount === null ? null : text(amount),
    remaining_amount: isLimit && amount !== null ? text(amount - record.filledAmount) : null,
    filled_amount: isLimit ? text(record.filledAmount) : null,
    funds: funds === null ? null : text(funds),
    remaining_funds: funds === null ? null : text(funds - record.filledFunds),
    filled_funds: isLimit ? null : text(record.filledFunds),
    market: { condition_id: card.conditionId, title: card.title },
    outcome: { is_yes: isYes, text: isYes ? card.yesLabel : card.noLabel },
  };
}

/** A fill with its order in wire format. */
export function ownTradeRow(trade: OwnTrade, pubkey: string, record: OrderRecord, market: Market): Wire<'ownTradeRow'> {
  return {
    pubkey,
    market_condition_id: market.card.conditionId,
    amount: text(trade.amount),
    price: text(trade.price),
    timestamp: seconds(trade.timeMs),
    fee: text(trade.fee),
    is_maker: trade.isMaker,
    state: 'done',
    order: orderRow(record, market),
  };
}
