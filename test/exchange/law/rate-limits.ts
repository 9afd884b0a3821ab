/** The stated limits: 120 public a minute, 300 signed, 10 to bootstrap; headers everywhere, `Retry-After` on a refusal. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { type Reply, STATED_LIMITS, start, Trader, Venue } from './stranger.js';

const left = ({ headers }: Reply) => [
  Number(headers.get('x-ratelimit-limit')),
  Number(headers.get('x-ratelimit-remaining')),
];

export function rateLimits(): void {
  let exchange: RunningExchange;
  let venue: Venue;

  beforeAll(async () => {
    exchange = await start(STATED_LIMITS);
    venue = new Venue(exchange.url);
  });
  afterAll(() => exchange.close());

  /** Asks until it is refused: how often it was not, and the refusal. */
  async function exhaust(ask: () => Promise<Reply>): Promise<[number, Reply]> {
    for (let count = 0; ; count += 1) {
      const reply = await ask();
      if (reply.slug === 'throttled') return [count, reply];
    }
  }

  function expectRefusal({ status, headers, message }: Reply): void {
    expect(status).toBe(429);
    const waitS = Number(headers.get('retry-after'));
    expect(message).toBe(`Request was throttled. Expected available in ${waitS} seconds.`);
    const resetS = Number(headers.get('x-ratelimit-reset')) - venue.nowS;
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(waitS).toBeGreaterThan(0);
    expect(waitS).toBeLessThanOrEqual(60);
    expect(resetS).toBeGreaterThanOrEqual(0);
    expect(resetS).toBeLessThanOrEqual(61);
  }

  describe('the budget', () => {
    it('of the bootstrap is 10 a minute, and frees itself', async () => {
      await venue.pass(120);
      const ask = () => venue.post('/auth/keys/challenge/', { wallet_address: new Trader(venue).wallet });
      const [count, refusal] = await exhaust(ask);
      expect(count).toBe(10);
      expectRefusal(refusal);
      expect((await venue.get('/sports/')).slug).toBeNull();
      await venue.pass(Number(refusal.headers.get('retry-after')));
      expect((await ask()).slug).toBeNull();
    });

    it('of public calls is 120 a minute, and a refusal comes before every other check', async () => {
      await venue.pass(120);
      expect(left(await venue.get('/sports/'))).toEqual([120, 119]);
      const [count, refusal] = await exhaust(() => venue.get('/sports/'));
      expect(count).toBe(119);
      expectRefusal(refusal);
      expect((await venue.get('/events/?limit=0')).slug).toBe('throttled');
    });

    it('of signed calls is 300 a minute for each key', async () => {
      await venue.pass(120);
      const [one, other] = [await Trader.join(venue), await Trader.join(venue)];
      expect(left(await one.get('/account/'))).toEqual([300, 299]);
      const [count, refusal] = await exhaust(() => one.get('/account/'));
      expect(count).toBe(299);
      expectRefusal(refusal);
      expect((await one.get('/orders/?limit=0')).slug).toBe('throttled');
      expect(left(await other.get('/account/'))).toEqual([300, 299]);
      await venue.pass(60);
      expect((await one.get('/account/')).slug).toBeNull();
    });

    it('of a signed call that names no key is that of the address', async () => {
      await venue.pass(120);
      expect(left(await venue.get('/account/'))).toEqual([300, 299]);
    });

    it('counts refused answers too, and says so on every one of them', async () => {
      await venue.pass(120);
      const calls = [() => venue.get('/nowhere/'), () => venue.get('/markets/x/'), () => venue.get('/events/?limit=x')];
      for (const [index, call] of calls.entries()) expect(left(await call())).toEqual([120, 119 - index]);
    });
  });
}
