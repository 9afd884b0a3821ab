/** Single sentences of the documents outside the life cycles: how bodies, paths and lots are parsed. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { HYPERLIQUID, NOBODY, POLYMARKET, start, Trader, Venue } from './stranger.js';

const REQUESTS = '/margin/positions/requests/';

export function details(): void {
  let exchange: RunningExchange;
  let venue: Venue;
  let trader: Trader;

  beforeAll(async () => {
    exchange = await start();
    venue = new Venue(exchange.url);
  });
  afterAll(() => exchange.close());
  beforeEach(async () => {
    trader = await Trader.join(venue);
  });

  describe('a path', () => {
    it.each(['open%2Cfilled', 'open,filled', 'open%2cfilled', '%6fpen'])(
      'is signed as it is sent: ?status=%s',
      async (status) => {
        expect((await trader.get(`/orders/?status=${status}`)).slug).toBeNull();
      },
    );

    it('names one record, whatever its characters', async () => {
      for (const id of ['%2e%2e%2f', 'a%20b', 'a%2Fb', '%F0%9F%92%A9'])
        expect([id, (await trader.get(`/orders/${id}/`)).slug]).toEqual([id, 'not_found']);
    });
  });

  describe('a public call', () => {
    it('does not look at credentials', async () => {
      const headers = { 'SVC-API-KEY': 'nobody', 'SVC-TIMESTAMP': '1', 'SVC-SIGNATURE': 'none' };
      expect((await venue.call('GET', '/sports/', { headers })).slug).toBeNull();
    });
  });

  describe('a body', () => {
    it('is signed as bytes, whatever its characters', async () => {
      expect((await trader.post('/orders/', { side: 'é💩' })).slug).toBe('invalid_request_params');
    });
  });

  describe('a call without a body', () => {
    it('is taken with and without a content type', async () => {
      const market = await venue.market();
      const { row } = await trader.limit(market, true, 'buy', '0.5', '10');
      const path = `/orders/${row['pubkey']}/cancel/`;
      const typed = { ...trader.headers('POST', path), 'content-type': 'application/json' };
      expect((await venue.call('POST', path, { headers: typed })).slug).toBeNull();
      expect((await trader.post(path)).slug).toBeNull();
      const key = `/auth/keys/${trader.apiKey}/`;
      const headers = { ...trader.headers('DELETE', key), 'content-type': 'application/json' };
      expect((await venue.call('DELETE', key, { headers })).slug).toBeNull();
    });
  });

  describe('a draft', () => {
    it.each([
      [{ order_type: 'market', side: 'buy', funds: '25.00' }, 'Outcome: YES, Side: buy, Type: market, Funds: 25'],
      [{ order_type: 'market', side: 'sell', amount: '1.0' }, 'Outcome: YES, Side: sell, Type: market, Amount: 1'],
      [
        { order_type: 'limit', side: 'buy', price: '0.420', amount: '10.0', is_yes: false },
        'Outcome: NO, Side: buy, Type: limit, Price: 0.42, Amount: 10',
      ],
    ])('of %o says so in plain decimals', async (terms, said) => {
      const market = await venue.market();
      await trader.split(market, '10');
      const { row } = await trader.post('/orders/', { market_condition_id: market, is_yes: true, ...terms });
      expect(row['message']).toMatch(`| Market: ${market} | ${said} | Draft: ${row['pubkey']} |`);
    });

    it('may be signed in capital letters', async () => {
      const drafted = await trader.post('/share-splits/', { market_condition_id: await venue.market(), amount: '1' });
      const signature = trader.sign(drafted.row['message']).toUpperCase();
      const { row } = await trader.post(`/share-splits/${drafted.row['pubkey']}/submit/`, { signature });
      expect(row).toMatchObject({ state: 'in_process' });
    });

    it('of a margin position names what a limit request asks for', async () => {
      const market = await venue.market({ config: POLYMARKET });
      const limit = { type: 'limit', is_yes: false, leverage: 2.5, price: '0.40', shares: '100.0' };
      const { row } = await trader.post(REQUESTS, { market_condition_id: market, ...limit });
      expect(row['message']).toMatch('| Outcome: NO, Type: limit, Leverage: 2.5, Price: 0.4, Shares: 100 |');
    });
  });

  describe('the signing service', () => {
    it('being away comes after validation and before the search for a record', async () => {
      await venue.paper('/signing-service/', { available: false });
      expect((await trader.post(`/orders/${NOBODY}/cancel/`)).slug).toBe('gringotts_unavailable');
      for (const path of ['/share-merges/', '/share-splits/', '/redeems/', '/orders/', REQUESTS])
        expect([path, (await trader.post(path, {})).slug]).toEqual([path, 'invalid_request_params']);
      expect((await trader.get('/share-merges/?state=failed')).rows).toEqual([]);
      await venue.paper('/signing-service/', { available: true });
    });
  });

  describe('a position', () => {
    it.each([POLYMARKET, HYPERLIQUID])('that is closed has nothing left to sell ($kind)', async (config) => {
      const market = await venue.market({ config });
      await venue.paper(`/markets/${market}/reference-price/`, { price: '0.5' });
      await trader.complete(REQUESTS, { type: 'market', market_condition_id: market, leverage: 2, funds: '10' });
      await venue.pass(10);
      const { rows } = await trader.get('/margin/positions/');
      const path = `/margin/positions/${rows[0]?.['pubkey']}/`;
      const stranger = await Trader.join(venue);
      expect((await stranger.call('DELETE', `${path}tp-sl/`)).slug).toBe('not_found');
      expect((await trader.call('DELETE', path)).row).toMatchObject({ close_type: 'order' });
      await venue.pass(10);
      expect((await trader.call('DELETE', path)).row).toMatchObject({ close_type: 'zero', is_closed: true });
      // A number is equal in each notation.
      expect((await trader.get('/margin/positions/settlements/?position_leverage=2.0')).rows).toHaveLength(1);
      expect((await trader.get(`${REQUESTS}?leverage=2.00&is_yes=true&states=COMPLETED`)).rows).toHaveLength(1);
      expect((await trader.get('/margin/positions/?is_closed=true')).rows).toHaveLength(1);
      expect((await trader.get('/margin/positions/?is_closed=false')).rows).toHaveLength(0);
      expect((await trader.post(`${path}settlements/`)).row).toMatchObject({ state: 'claim_pending' });
    });
  });
}
