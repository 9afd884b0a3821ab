/** Records of API orders and of their fills, and both in wire format. A fill is archived at once. */

import type { Micros } from '../../../shared/base/micros.js';
import type { OrderStatus, OrderType } from '../../../shared/protocol/states.js';
import type { Wire } from '../contract.js';
import { seconds } from '../core-context.js';
import type { Market } from '../market.js';
import { isBuyLeg, isYesLeg, type Leg } from '../matching/order-pool.js';
import { text } from '../money.js';

/** An order from its draft on; amounts, prices and funds in micros. */
export interface OrderRecord {
  /** Id from 1, ascending with time over all accounts. */
  readonly id: number;
  readonly pubkey: string;
  readonly account: number;
  readonly market: number;
  readonly leg: Leg;
  readonly type: OrderType;
  /** Price in its own outcome's space; null for a market order. */
  readonly price: Micros | null;
  /** Amount in micros of a share; null for a market buy. */
  readonly amount: Micros | null;
  /** Maximum spending of a market buy, fees included; null for other orders. */
  readonly funds: Micros | null;
  /** Draft message; kept until the order is submitted or dead. */
  message: string;
  status: OrderStatus;
  filledAmount: number;
  /** Currency paid with fees, or received after fees. */
  filledFunds: number;
  /** Handle in the pool while it rests, else 0. */
  handle: number;
  /** The draft of a cancel, until it is submitted or expires. */
  cancel: { readonly message: string; readonly expiresMs: number; submitted: boolean } | null;
}

/** A fill of an order; the price is in the order's outcome space, all figures in micros. */
export interface OwnTrade {
  /** Id of the trade's order. */
  readonly order: number;
  readonly amount: number;
  readonly price: number;
  readonly fee: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

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
