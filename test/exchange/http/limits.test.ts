import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExchangeOptions, RunningExchange } from '../../../src/exchange/exchange.js';
import { bytesAnswered, control, PROFILE, send, sendJson, startTestExchange, TestTrader } from './harness.js';

const LIMITS = { public_per_minute: 5, signed_per_minute: 7, bootstrap_per_minute: 4 };
const limited: Partial<ExchangeOptions> = { rateLimits: true, profile: { ...PROFILE, rate_limits: LIMITS } };

let exchange: RunningExchange;
let url: string;
beforeEach(async () => {
  exchange = await startTestExchange(limited);
  url = exchange.url;
});
afterEach(() => exchange.close());

describe('rate limits', () => {
  it('say on every answer what is left, and refuse what does not fit', async () => {
    for (const [at, path] of ['/markets/', '/markets/unknown/', '/nowhere', '/events/?limit=0', '/%zz/'].entries()) {
      const { headers } = await send(url, 'GET', path);
      expect(headers.get('x-ratelimit-limit')).toBe('5');
      expect(headers.get('x-ratelimit-remaining')).toBe(String(4 - at));
      const resetS = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      expect(resetS).toBeGreaterThan(0);
      expect(resetS).toBeLessThan(62);
    }
    const refused = await send(url, 'GET', '/markets/');
    const waitS = refused.headers.get('retry-after');
    expect(refused).toMatchObject({ status: 429, slug: 'throttled', data: null, meta: null });
    expect(refused.error?.message).toBe(`Request was throttled. Expected available in ${waitS} seconds.`);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    // Exactly the stated time.
    await control(url, '/clock/', { advance_s: Number(waitS) });
    expect((await send(url, 'GET', '/markets/')).status).toBe(200);
  });

  it('are counted per key for signed calls, and per address for those that name none', async () => {
    const [one, two] = [await TestTrader.join(url), await TestTrader.join(url)];
    for (let n = 0; n < 7; n++) expect((await one.get('/account/')).status).toBe(200);
    expect(await one.get('/account/')).toMatchObject({ status: 429, slug: 'throttled' });
    expect((await two.get('/account/')).headers.get('x-ratelimit-remaining')).toBe('6');
    expect((await send(url, 'GET', '/account/')).headers.get('x-ratelimit-remaining')).toBe('6');
    // A rejected signature still counts against the named key.
    await send(url, 'GET', '/account/', { headers: { ...two.headersFor('GET', '/account/'), 'SVC-SIGNATURE': 'x' } });
    expect((await two.get('/account/')).headers.get('x-ratelimit-remaining')).toBe('4');
  });

  it('come before authentication, and bootstrap has its own', async () => {
    const ask = () => sendJson(url, 'POST', '/auth/keys/challenge/', {});
    for (let n = 0; n < 4; n++) expect((await ask()).status).toBe(400);
    expect((await ask()).status).toBe(429);
    expect((await send(url, 'GET', '/markets/')).status).toBe(200);
  });

  it('hold a key that was revoked to the same window', async () => {
    const trader = await TestTrader.join(url);
    for (let n = 0; n < 5; n++) await trader.get('/account/');
    expect((await trader.call('DELETE', `/auth/keys/${trader.apiKey}/`)).status).toBe(200);
    expect(await trader.get('/account/')).toMatchObject({ status: 401 });
    expect(await trader.get('/account/')).toMatchObject({ status: 429 });
  });

  it('are on the answers to a wrong method, a wrong media type and a body that is too large', async () => {
    const huge = { body: 'x'.repeat(70_000), headers: { 'content-type': 'application/json' } };
    const path = '/auth/keys/challenge/';
    const answers = [
      await send(url, 'PUT', '/markets/'),
      await send(url, 'POST', path, huge),
      await send(url, 'POST', path, { body: '{}', headers: { 'content-type': 'text/plain' } }),
      await send(url, 'GET', `/markets/${'m'.repeat(300)}/`),
    ];
    const seen = answers.map(({ status, headers }) => `${status}, left: ${headers.get('x-ratelimit-remaining')}`);
    expect(seen).toEqual(['405, left: 4', '413, left: 3', '415, left: 2', '404, left: 3']);
  });

  it('count bytes that are no request against their address, and refuse those, too', async () => {
    for (let left = 4; left >= 0; left--) {
      const answer = await bytesAnswered(exchange.port, 'BREW /coffee/ HTTP/1.1\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toContain(`x-ratelimit-remaining: ${left}\r\n`);
    }
    const refused = await bytesAnswered(exchange.port, 'BREW /coffee/ HTTP/1.1\r\n\r\n');
    expect(refused).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(refused).toMatch(/retry-after: \d+\r\n/);
    expect((await send(url, 'GET', '/markets/')).status).toBe(429);
  });

  it('leave the paper controls alone', async () => {
    for (let n = 0; n < 20; n++) {
      const answer = await control(url, '/signing-service/', { available: true });
      expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
      const unknown = await send(url, 'GET', '/paper/nowhere/');
      expect([unknown.status, unknown.headers.get('x-ratelimit-limit')]).toEqual([404, null]);
    }
  });
});
