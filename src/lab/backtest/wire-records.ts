/**
 * The trader's most frequent records, parsed from the wire's decimal strings without schemas, which take ten times as
 * long. A test holds each equal to its schema's result.
 */

import type { OrderRequest, Wire } from '../../exchange/core/contract.js';
import { must } from '../../shared/base/errors.js';
import { type Micros, parseDecimal } from '../../shared/base/micros.js';
import { type BodyOf, type DataOf, declarationOf, type EndpointName } from '../../shared/protocol/endpoints.js';

const money = (text: string): Micros => must(parseDecimal(text), `a decimal, not ${text}`);
const moneyIfAny = (text: string | null | undefined): Micros | null =>
  text === null || text === undefined ? null : money(text);

export function readOrder(row: Wire<'orderRow'>): DataOf<'orders.detail'> {
  const { pubkey, status, side, market, outcome } = row;
  return {
    pubkey: pubkey ?? null,
    status: status ?? null,
    side,
    price: moneyIfAny(row.price),
    amount: moneyIfAny(row.amount),
    remaining_amount: moneyIfAny(row.remaining_amount),
    filled_amount: moneyIfAny(row.filled_amount),
    funds: moneyIfAny(row.funds),
    remaining_funds: moneyIfAny(row.remaining_funds),
    filled_funds: moneyIfAny(row.filled_funds),
    market: { condition_id: market.condition_id, title: market.title ?? null },
    outcome: { is_yes: outcome.is_yes, text: outcome.text ?? null },
  };
}

export function readOwnTrade(row: Wire<'ownTradeRow'>): DataOf<'trades.list'>[number] {
  const { pubkey, timestamp, state } = row;
  return {
    pubkey,
    market_condition_id: row.market_condition_id ?? null,
    amount: money(row.amount),
    price: money(row.price),
    timestamp,
    fee: moneyIfAny(row.fee),
    is_maker: row.is_maker ?? null,
    state,
    order: readOrder(row.order),
  };
}

export const readPublicTrade = (row: Wire<'publicTradeRow'>): DataOf<'markets.trades'>[number] => ({
  market_condition_id: row.market_condition_id ?? null,
  amount: money(row.amount),
  price: money(row.price),
  maker_fee: row.maker_fee ?? null,
  taker_fee: row.taker_fee ?? null,
  timestamp: row.timestamp,
  state: row.state,
  is_yes: row.is_yes,
});

const READERS: Readonly<Partial<Record<EndpointName, (record: never) => unknown>>> = {
  'orders.list': (record: readonly Wire<'orderRow'>[]) => record.map(readOrder),
  'orders.detail': readOrder,
  'trades.list': (record: readonly Wire<'ownTradeRow'>[]) => record.map(readOwnTrade),
  'markets.trades': (record: readonly Wire<'publicTradeRow'>[]) => record.map(readPublicTrade),
};

export const readsQuickly = (endpoint: EndpointName): boolean => endpoint in READERS;

/** The result of this endpoint's schema. `record` is the exchange's answer. */
export function readRecord(endpoint: EndpointName, record: unknown): unknown {
  const reader = READERS[endpoint];
  return reader === undefined ? declarationOf(endpoint).data.parse(record) : reader(record as never);
}

/** Body of an order draft for the core. The trader wrote it in the interface's words. */
export const readOrderRequest = (body: BodyOf<'orders.create'>): OrderRequest => {
  const { price, amount, funds, ...said } = body as WrittenOrder;
  return {
    ...said,
    price: moneyIfAny(price) ?? undefined,
    amount: moneyIfAny(amount) ?? undefined,
    funds: moneyIfAny(funds) ?? undefined,
  };
};

type WrittenOrder = Omit<OrderRequest, 'price' | 'amount' | 'funds'> & {
  readonly price?: string | null;
  readonly amount?: string | null;
  readonly funds?: string | null;
};
