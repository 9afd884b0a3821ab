import { describe, expect, it } from 'vitest';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { control, openMarket, PROFILE, startTestExchange } from './harness.js';

describe("the trader's own client", () => {
  it('bootstraps, reads, is refused by name, and sees clock and budget as they are', async () => {
    const exchange = await startTestExchange({ rateLimits: true });
    const baseUrl = exchange.url;
    // Five minutes ahead: the client must find out by itself.
    await control(baseUrl, '/clock/', { advance_s: 300 });
    const market = await openMarket(baseUrl);
    const wallet = new Wallet(new Uint8Array(32).fill(3));
    const stranger = new ServiceClient({ profile: PROFILE, baseUrl });
    const credentials = await stranger.bootstrap(wallet);
    await stranger.close();

    const client = new ServiceClient({ profile: PROFILE, baseUrl, credentials });
    const book = await client.call('markets.book', { params: { condition_id: market }, query: { depth: 5 } });
    expect(book.outcome).toMatchObject({ kind: 'answered', data: { market, is_yes: true, bid: [], ask: [] } });
    expect(book.budget).toMatchObject({ scope: 'public', limit: 120 });
    expect(Math.abs((client.clockOffset?.offsetMs ?? 0) - 300_000)).toBeLessThan(2_000);
    const draft = await client.call('orders.create', {
      body: { market_condition_id: market, is_yes: true, side: 'buy', order_type: 'limit', price: '0.5', amount: '2' },
    });
    expect(draft.outcome).toMatchObject({
      kind: 'answered',
      data: { message: expect.stringContaining('place-order') },
    });
    const refused = await client.call('orders.detail', { params: { pubkey: 'nobody' } });
    expect(refused.outcome).toMatchObject({ kind: 'refused', status: 404, slug: 'not_found' });
    expect(refused.budget).toMatchObject({ scope: 'signed', limit: 300 });
    await client.close();
    await exchange.close();
  });
});
