/**
 * The trader's most frequent records, parsed from the wire's decimal strings. With their schemas a backtest takes a fifth
 * longer (`backtest.bench.ts`). A test holds each equal to its schema's result.
 */

import type { Wire } from '../../exchange/core/contract.js';
import { parseDecimal } from '../../shared/base/decimal.js';
import { must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { type DataOf, declarationOf, type EndpointName } from '../../shared/protocol/endpoints.js';

const money = (text: string): Micros => must(parseDecimal(text), `a decimal, not ${text}`);
const moneyIfAny = (text: string | null | undefined): Micros | null =>
  text === null || text === undefined ? null : money(text);

function readOrder(row: Wire<'orderRow'>): DataOf<'orders.detail'> {
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

function readOwnTrade(row: Wire<'ownTradeRow'>): DataOf<'trades.list'>[number] {
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

const readPublicTrade = (row: Wire<'publicTradeRow'>): DataOf<'markets.trades'>[number] => ({
  market_condition_id: row.market_condition_id ?? null,
  amount: money(row.amount),
  price: money(row.price),
  maker_fee: row.maker_fee ?? null,
  taker_fee: row.taker_fee ?? null,
  timestamp: row.timestamp,
  state: row.state,
  is_yes: row.is_yes,
});

/** A draft is the same in wire format. */
const asGiven = (record: unknown): unknown => record;

const READERS: Readonly<Partial<Record<EndpointName, (record: never) => unknown>>> = {
  'orders.list': (record: readonly Wire<'orderRow'>[]) => record.map(readOrder),
  'orders.detail': readOrder,
  'orders.create': asGiven,
  'orders.submit': readOrder,
  'orders.cancel': asGiven,
  'orders.cancelSubmit': readOrder,
  'trades.list': (record: readonly Wire<'ownTradeRow'>[]) => record.map(readOwnTrade),
  'markets.trades': (record: readonly Wire<'publicTradeRow'>[]) => record.map(readPublicTrade),
};

/** The result of this endpoint's schema. `record` is the exchange's answer. */
export function readRecord(endpoint: EndpointName, record: unknown): unknown {
  const reader = READERS[endpoint];
  return reader === undefined ? declarationOf(endpoint).data.parse(record) : reader(record as never);
}
