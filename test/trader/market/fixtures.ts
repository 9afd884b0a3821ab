/** Short forms of poll results. Prices and amounts as decimals. */

import { micros } from '../../../src/shared/base/micros.js';
import { marketDetail, orderbook, publicTradeRow } from '../../../src/shared/protocol/records.js';
import type { Book, OwnMarketState, OwnOrder, SeenAt } from '../../../src/trader/market/view.js';

export const m = (value: number) => micros(Math.round(value * 1e6));

type Levels = readonly (readonly [price: number, amount: number])[];

export const book = (bids: Levels, asks: Levels): Book => {
  const side = (levels: Levels) => levels.map(([price, size]) => ({ priceMicros: m(price), amountMicros: m(size) }));
  return { bids: side(bids), asks: side(asks) };
};

/** Levels by a text such as `0.4x5 0.45x1`: prices and amounts. */
export const levels = (text: string): Levels =>
  text.split(' ').map((level) => level.split('x').map(Number) as [number, number]);

const row = ([price, amount]: readonly [number, number]) => ({ price: String(price), total_amount: String(amount) });

export const snapshot = (bids: Levels, asks: Levels, isYes = true) =>
  orderbook.parse({ market: 'M', is_yes: isYes, bid: bids.map(row), ask: asks.map(row) });

/** A poll that took 200 ms, on an exchange with our clock. Later ones have higher numbers. */
export const at = (seenMs: number, requestId = seenMs): SeenAt => ({
  requestId,
  sentMs: seenMs - 200,
  seenMs,
  venueTimeMs: null,
});

export const detail = (changes: Record<string, unknown> = {}, config: Readonly<Record<string, unknown>> = {}) =>
  marketDetail.parse({
    title: 'Will it?',
    condition_id: 'M',
    state: 'open',
    category: 'politics',
    event: { title: 'It', condition_id: 'E', logo: null },
    margin_enabled: false,
    resolution_date: null,
    config: {
      kind: 'orderbook',
      min_price: '0.01',
      max_price: '0.99',
      min_amount: '1',
      max_amount: '10000',
      min_funds: '1',
      max_funds: '100000',
      price_precision: 2,
      amount_precision: 2,
      funds_precision: 2,
      maker_fee_rate: '0',
      taker_fee_rate: '0.01',
      ...config,
    },
    ...changes,
  });

export const trade = (timestamp: number, price: number, amount: number, isYes = true, state = 'done') =>
  publicTradeRow.parse({ timestamp, price: String(price), amount: String(amount), is_yes: isYes, state });

export const order = (changes: Partial<OwnOrder> = {}): OwnOrder => ({
  intentId: 'a',
  side: 'bid',
  priceMicros: m(0.48),
  remainingMicros: m(10),
  isYes: true,
  submittedMs: 1000,
  acceptedMs: 1100,
  ...changes,
});

export const own = (orders: readonly OwnOrder[] = [], changes: Partial<OwnMarketState> = {}): OwnMarketState => ({
  yesMicros: m(0),
  noMicros: m(0),
  avgYesCostMicros: null,
  avgNoCostMicros: null,
  availableFundsMicros: m(1000),
  maxPositionMicros: m(200),
  stance: 'normal',
  orders,
  ...changes,
});
