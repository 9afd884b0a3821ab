import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ExchangeClock } from '../../../src/exchange/http/ticker.js';
import { serverOf, startTestExchange } from './harness.js';

it('closing happens once, however often it is asked for, and frees the port', async () => {
  const exchange = await startTestExchange();
  await fetch(`${exchange.url}/markets/`);
  await Promise.all([exchange.close(), exchange.close()]);
  await exchange.close();
  const again = createServer();
  await new Promise<void>((resolve, reject) => {
    again.once('error', reject);
    again.listen(exchange.port, '127.0.0.1', resolve);
  });
  again.close();
});

it('a bug of the exchange is a 500 in the envelope that tells a stranger nothing, and an error for the operator', async () => {
  const reported: unknown[] = [];
  const server = serverOf({
    settle: () => {
      throw new Error('secret detail');
    },
    onError: (error, request) => reported.push([String(error), request]),
  });
  const answer = await server.inject({ method: 'GET', url: '/markets/' });
  expect(answer.statusCode).toBe(500);
  expect(answer.json()).toEqual({
    data: null,
    meta: null,
    error: { code: -3, slug: 'internal_error', message: 'An internal error occurred.', details: [] },
  });
  expect(answer.headers['x-ratelimit-remaining']).toBe('119');
  expect(reported).toEqual([['Error: secret detail', 'GET /markets/']]);
  await server.close();
});

describe('the clock', () => {
  it('never goes back, and goes on from where it was when the wall clock steps back', () => {
    let wallMs = 1_000_000;
    const clock = new ExchangeClock(0, () => wallMs);
    expect(clock.nowMs()).toBe(1_000_000);
    wallMs -= 500;
    expect(clock.nowMs()).toBe(1_000_000);
    wallMs += 20;
    expect(clock.nowMs()).toBe(1_000_020);
    clock.advance(5_000);
    expect(clock.nowMs()).toBe(1_005_020);
  });

  it('starts no earlier than what was seen before', () => {
    expect(new ExchangeClock(9_000_000, () => 1_000).nowMs()).toBe(9_000_000);
  });
});
