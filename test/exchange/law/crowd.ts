/** The default exchange with simulated traders in it: all their traces must conform to the documents. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { start, Trader, Venue } from './stranger.js';

export function crowd(): void {
  let exchange: RunningExchange;
  let venue: Venue;

  beforeAll(async () => {
    exchange = await start({ crowd: true });
    venue = new Venue(exchange.url);
    for (let minute = 0; minute < 10; minute += 1) await venue.pass(60);
  });
  afterAll(() => exchange.close());

  describe('beside a crowd', () => {
    it('every public record has its stated form', async () => {
      const markets = await venue.get('/markets/');
      expect(markets.rows.length).toBeGreaterThan(0);
      for (const { condition_id } of markets.rows) {
        const path = `/markets/${condition_id}/`;
        for (const part of ['', 'trades/', 'book/', 'book/?is_yes=false', 'stats/', 'price/', 'margin-activity/'])
          expect((await venue.get(`${path}${part}`)).slug).toBeNull();
        const { row } = await venue.get(`${path}book/?depth=100`);
        const prices = (side: unknown) => (Array.isArray(side) ? side.map((level) => Number(level.price)) : []);
        expect(prices(row['bid'])).toEqual(prices(row['bid']).sort((one, other) => other - one));
        expect(prices(row['ask'])).toEqual(prices(row['ask']).sort((one, other) => one - other));
      }
      for (const { condition_id } of (await venue.get('/events/')).rows)
        expect((await venue.get(`/events/${condition_id}/`)).slug).toBeNull();
    });

    it('a stranger can trade', async () => {
      const trader = await Trader.join(venue);
      const [market] = (await venue.get('/markets/?state=open')).rows;
      const body = { market_condition_id: market?.['condition_id'], is_yes: true, side: 'buy', order_type: 'market' };
      const { row } = await trader.complete('/orders/', { ...body, funds: '5' });
      expect(['filled', 'partially_filled_canceled']).toContain(row['status']);
      expect((await trader.get('/trades/')).rows.length).toBeGreaterThan(0);
      expect((await trader.get('/account/assets/')).rows).toHaveLength(1);
    });
  });
}
