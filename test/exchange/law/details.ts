/** Single sentences of the documents that belong to no life: how bodies, paths and lots are taken. */

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
      for (const id of ['%2e%2e', 'a%20b', 'a%2Fb', '%F0%9F%92%A9'])
        expect([id, (await trader.get(`/orders/${id}/`)).slug]).toEqual([id, 'not_found']);
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

  describe('a lot', () => {
    it.each([
      [0, ['1', '7'], ['1.5', '0.1']],
      [4, ['0.0001', '2.5'], ['0.00001', '1.00005']],
      [6, ['0.000001'], ['0.0000001']],
    ])('of precision %i is what an amount is a multiple of', async (amount_precision, good, bad) => {
      const config = { kind: 'orderbook', amount_precision, min_amount: amount_precision === 0 ? '1' : '0.000001' };
      const market = await venue.market({ config });
      await trader.split(market, '10');
      for (const path of ['/share-merges/', '/share-splits/']) {
        for (const amount of bad)
          expect([amount, (await trader.post(path, { market_condition_id: market, amount })).slug]).toEqual([
            amount,
            'share_conversion_invalid_amount',
          ]);
        for (const amount of good) {
          const { row } = await trader.complete(path, { market_condition_id: market, amount });
          expect(row).toMatchObject({ amount, state: 'in_process' });
          await venue.pass(1);
        }
      }
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
      expect((await trader.call('DELETE', path)).row).toMatchObject({ close_type: 'order' });
      await venue.pass(10);
      expect((await trader.call('DELETE', path)).row).toMatchObject({ close_type: 'zero', is_closed: true });
      expect((await trader.post(`${path}settlements/`)).row).toMatchObject({ state: 'claim_pending' });
    });
  });

  describe('the controls', () => {
    it('are not there unless they were asked for', async () => {
      const quiet = await start({ controls: false });
      try {
        const reply = await new Venue(quiet.url).post('/paper/clock/', { advance_s: 1 });
        expect(reply).toMatchObject({ status: 404, slug: 'not_found' });
      } finally {
        await quiet.close();
      }
    });

    it('give and show funds', async () => {
      const path = `/paper/accounts/${trader.wallet}/`;
      await venue.paper(`/accounts/${trader.wallet}/deposit/`, { funds: '5.5' });
      expect((await venue.get(path)).row).toEqual({
        ...{ funds: { total: '10005.5', locked: '0', available: '10005.5' }, custodial: false },
      });
    });
  });
}
