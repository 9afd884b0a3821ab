/**
 * An exchange inside a test of your own program, here with Node's test runner. Three lines start the exchange, and each test
 * has its own. With `crowd: false` there are no simulated traders. `controls: true` serves the paths under `/paper/`, which
 * create markets, move the clock and inject faults.
 *
 *     node --test examples/exchange-in-a-test.js
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceClient, ServiceRefused, venueProfile, Wallet } from 'twinbook/client';
import { PAPER_DEFAULTS, startExchange } from 'twinbook/exchange';

test('an order that costs more than the account holds is refused, and nothing rests', async (context) => {
  const profile = venueProfile('paper');
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, rateLimits: false });
  const client = new ServiceClient({ profile, baseUrl: exchange.url });
  context.after(() => Promise.all([client.close(), exchange.close()]));

  const wallet = new Wallet(crypto.getRandomValues(new Uint8Array(32)));
  await client.bootstrap(wallet);
  const { rows } = await client.markets.list({ state: 'open', limit: 1 });
  const order = /** @type {const} */ ({
    market_condition_id: rows[0]?.condition_id ?? '',
    is_yes: true,
    side: 'buy',
    order_type: 'limit',
    price: '0.5',
  });

  const tooMuch = client.place(wallet, { ...order, amount: '100000' });
  await assert.rejects(tooMuch, (error) => error instanceof ServiceRefused && error.is('order_insufficient_funds'));
  assert.equal((await client.orders.list({ status: ['open'] })).rows.length, 0);
});
