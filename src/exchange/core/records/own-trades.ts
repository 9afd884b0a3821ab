/** Records of API orders and of their fills, and both in wire format. A fill is archived at once. */

import { must } from '../../../shared/base/errors.js';
import type { Micros } from '../../../shared/base/micros.js';
import type { OrderStatus, OrderType } from '../../../shared/protocol/states.js';
import { makeName } from '../catalog.js';
import type { Page, PageQuery, Wire } from '../contract.js';
import { type CoreContext, seconds } from '../core-context.js';
import type { Market } from '../market.js';
import { isBuyLeg, isYesLeg, type Leg } from '../matching/order-pool.js';
import { text } from '../money.js';
import type { Archived } from './archive.js';
import { askedMarket, firstOf, NO_ROWS, type Records } from './records.js';

/** An order from its draft on; amounts, prices and funds in micros. */
export interface OrderRecord {
  /** From 1, ascending with time over all accounts. */
  readonly id: number;
  readonly pubkey: string;
  readonly account: number;
  readonly market: number;
  readonly leg: Leg;
  readonly type: OrderType;
  /** In its own outcome's space; null for a market order. */
  readonly price: Micros | null;
  /** Null for a market buy. */
  readonly amount: Micros | null;
  /** Only for a market buy: its maximum spending, fees included. */
  readonly funds: Micros | null;
  /** Kept until the order is submitted or dead. */
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
interface OwnTrade {
  /** Id of its order. */
  readonly order: number;
  readonly amount: number;
  readonly price: number;
  readonly fee: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

/** Numbers and archives the fills of API orders, and reads them back with their orders. */
export class OwnTrades {
  readonly #context: CoreContext;
  readonly #orders: Records<OrderRecord, unknown>;
  lastId = 0;

  constructor(context: CoreContext, orders: Records<OrderRecord, unknown>) {
    this.#context = context;
    this.#orders = orders;
  }

  add(order: OrderRecord, fill: Omit<OwnTrade, 'order'>): void {
    this.lastId += 1;
    const { id, account, market } = order;
    const record: OwnTrade = { order: id, ...fill };
    // Fills are never read by name, and their lists filter only by market.
    const unnamed = { pubkey: '', state: 'done', isYes: null, side: null };
    this.#context.archive.put('trade', { id: this.lastId, account, market, ...unnamed, record });
  }

  page(account: number, { limit, beforeId, market_condition_id }: PageQuery<'trades.list'>): Page<Wire<'ownTradeRow'>> {
    const market = askedMarket(this.#context.catalog, market_condition_id);
    if (market === null) return NO_ROWS;
    const found = this.#context.archive.list('trade', { account, market, from: beforeId, limit: limit + 1 });
    // Most fills of a page belong to few orders.
    const orders = new Map<number, OrderRecord>();
    const { rows, last } = firstOf(found, limit);
    return { rows: rows.map((row) => this.#row(row, orders)), nextBeforeId: last?.id ?? null };
  }

  #row({ id, market, record }: Archived, orders: Map<number, OrderRecord>): Wire<'ownTradeRow'> {
    // `add` made it.
    const trade = record as OwnTrade;
    const order = orders.get(trade.order) ?? must(this.#orders.get(trade.order), `order ${trade.order}`);
    orders.set(order.id, order);
    const pubkey = makeName(this.#context.settings.seed, 'trade', id);
    return ownTradeRow(trade, pubkey, order, this.#context.catalog.market(market));
  }

  load(lastId: number): void {
    this.lastId = lastId;
    this.#context.archive.rewind('trade', lastId, []);
  }
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
