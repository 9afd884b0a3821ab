import { describe, expect, it } from 'vitest';
import { control, openMarket, TestTrader } from './harness.js';
import { sharedExchange } from './shared-exchange.js';

const exchange = await sharedExchange();
const trader = await TestTrader.join(exchange.url);
const book = await openMarket(exchange.url);
const made = await control(exchange.url, '/markets/', { config: { kind: 'polymarket' } });
const pool = String(made.row['condition_id']);

describe('a null in a body is as good as a field that is not there', () => {
  it.each([
    [{ order_type: 'limit', price: '0.4', amount: '10', funds: null }, 201],
    [{ order_type: 'market', funds: '10', price: null, amount: null }, 201],
    [{ order_type: 'limit', price: null, amount: '10' }, 400],
    [{ order_type: 'market', funds: null }, 400],
  ])('of an order: %o', async (fields, status) => {
    const body = { market_condition_id: book, is_yes: true, side: 'buy', ...fields };
    expect((await trader.post('/orders/', body)).status).toBe(status);
  });

  it.each([
    [{ type: 'market', funds: '10', price: null, shares: null }, 201],
    [{ type: 'limit', price: '0.4', shares: '10', funds: null }, 201],
    [{ type: 'limit', price: null, shares: '10' }, 400],
    [{ type: 'market', funds: null }, 400],
  ])('of a margin request: %o', async (fields, status) => {
    const body = { market_condition_id: pool, ...fields };
    expect((await trader.post('/margin/positions/requests/', body)).status).toBe(status);
  });
});
