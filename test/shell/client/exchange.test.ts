import { describe, expect, it } from 'vitest';
import { PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import type { ClientNotice, ClientOptions } from '../../../src/shell/client/contract.js';
import { profile } from './hostile-server.js';
import { startPaper } from './paper.js';

/** An exchange that limits its callers, and a client that goes by its profile. */
async function start(rateLimits = profile.rate_limits, more: Partial<ClientOptions> = {}) {
  const notices: ClientNotice[] = [];
  const limited = { ...profile, rate_limits: rateLimits };
  const onNotice = (notice: ClientNotice) => notices.push(notice);
  const paper = await startPaper({ profile: limited, rateLimits: true }, { budgets: {}, onNotice, ...more });
  return { ...paper, notices };
}

const limits = (perMinute: { readonly public: number; readonly signed: number }) => ({
  public_per_minute: perMinute.public,
  signed_per_minute: perMinute.signed,
  bootstrap_per_minute: 5,
});

/** Resolves when so many of them have. */
function firstOf(calls: readonly Promise<unknown>[], count: number): Promise<void> {
  let done = 0;
  return new Promise((resolve) => {
    for (const call of calls)
      void call.then(() => {
        done += 1;
        if (done === count) resolve();
      });
  });
}

const orderBody = (market: string, amount = '10') =>
  ({
    market_condition_id: market,
    is_yes: true,
    side: 'buy',
    order_type: 'limit',
    price: '0.42',
    amount,
  }) as const;

describe('against the paper exchange', () => {
  it('reports refusals with slug and field', async () => {
    const { client, openMarket, control } = await start();
    const market = await openMarket();
    const poor = await client.call('orders.create', { body: orderBody(market, '1000000') });
    expect(poor.outcome.kind).toBe('refused');
    const unheard = await client.call('orders.detail', { params: { pubkey: '../x?y=1' } });
    expect(unheard.outcome).toMatchObject({ kind: 'refused', status: 404, slug: 'not_found' });
    const field = await client.call('orders.create', { body: orderBody('nowhere') });
    expect(field.outcome).toMatchObject({
      slug: 'invalid_request_params',
      details: [{ market_condition_id: expect.any(String) }],
    });
    await control('/signing-service/', { available: false });
    const busy = await client.call('orders.create', { body: orderBody(market) });
    expect(busy.outcome).toMatchObject({ kind: 'refused', status: 503, slug: 'gringotts_unavailable' });
  });

  it('follows the exchange’s clock when it jumps by five minutes: reads go through, writes are refused once', async () => {
    const { client, wallet, notices, openMarket, control } = await start();
    const market = await openMarket();
    await control('/clock/', { advance_s: 300 });
    expect((await client.orders.list()).rows).toEqual([]);
    expect(notices).toMatchObject([{ kind: 'clock_offset' }]);
    expect(await client.place(wallet, orderBody(market))).toMatchObject({ status: 'open' });
    await control('/clock/', { advance_s: 300 });
    const { outcome } = await client.call('orders.create', { body: orderBody(market) });
    expect(outcome).toMatchObject({ kind: 'refused', slug: 'authentication_failed' });
    expect(await client.place(wallet, orderBody(market))).toMatchObject({ status: 'open' });
    expect(notices).toHaveLength(2);
    expect(Math.abs((client.clockOffset?.offsetMs ?? 0) - 600_000)).toBeLessThan(1_500);
  });

  it('slows down when the exchange throttles all the same', async () => {
    const { client, exchange, notices } = await start(limits({ public: 3, signed: 3 }));
    const other = new ServiceClient({ profile, baseUrl: exchange.url, budgets: { public: 1_000 } });
    for (let n = 0; n < 3; n++) await other.call('markets.list', {});
    const first = await client.call('markets.list', {}, { lane: 'quiet', latestMs: Date.now() + 2_000 });
    expect(first.outcome).toMatchObject({ kind: 'refused', slug: 'throttled', status: 429 });
    expect(notices).toMatchObject([{ kind: 'throttled', scope: 'public' }]);
    const second = await client.call('markets.list', {}, { lane: 'quiet', latestMs: Date.now() + 50 });
    expect(second.outcome).toMatchObject({ kind: 'unknown', sent: false });
    await other.close();
  });

  it('comes back after the exchange was gone, with unknown outcomes in between', async () => {
    const { client, exchange } = await start();
    const { port } = exchange;
    expect((await client.markets.list()).rows).toEqual([]);
    await exchange.close();
    const gone = await client.call('markets.list', {});
    expect(gone.outcome).toMatchObject({ kind: 'unknown', sent: false, reason: 'connection refused' });
    const back = await startExchange({ ...PAPER_DEFAULTS, port, profile, crowd: false });
    expect((await client.markets.list()).rows).toEqual([]);
    await back.close();
  });

  it('never overdraws a small budget, with everything asked for at once, and knows what remains of it', async () => {
    const { client, openMarket, notices } = await start(limits({ public: 7, signed: 11 }));
    const market = await openMarket();
    const calls = [...Array(30)].flatMap(() => [
      client.call('markets.book', { params: { condition_id: market } }),
      client.call('orders.list', {}),
      client.call('orders.create', { body: orderBody(market) }, { lane: 'draft' }),
    ]);
    // As many as have a place come back, however long that takes; the others wait for one until the client is closed.
    await firstOf(calls, 7 + 11);
    await client.close();
    const answers = await Promise.all(calls);
    const outcomes = answers.map(({ outcome }) => outcome);
    expect(outcomes.filter(({ kind }) => kind === 'answered')).toHaveLength(7 + 11);
    expect(outcomes.filter((outcome) => outcome.kind === 'unknown' && !outcome.sent)).toHaveLength(90 - 18);
    const signed = answers.flatMap(({ budget }) => (budget?.scope === 'signed' ? [budget.remaining] : []));
    expect(signed.sort((a, b) => a - b)).toEqual(Array.from({ length: 11 }, (_, n) => n));
    expect(notices.filter(({ kind }) => kind === 'throttled')).toEqual([]);
  });
});
