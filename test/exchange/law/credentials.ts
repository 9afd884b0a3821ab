/** Keys, signatures, envelopes: the steps before a new user's first answer. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { base58, hmac, start, Trader, Venue } from './stranger.js';

const VECTOR_SECRET = 'ws_live_1f7c2a9b5d4e';
const INVALID = { status: 400, slug: 'invalid_request_params' };

export function credentials(): void {
  let exchange: RunningExchange;
  let venue: Venue;
  let trader: Trader;

  beforeAll(async () => {
    exchange = await start();
    venue = new Venue(exchange.url);
    trader = await Trader.join(venue);
  });
  afterAll(() => exchange.close());

  const challenge = async (who: Trader) =>
    (await venue.post('/auth/keys/challenge/', { wallet_address: who.wallet })).row;
  const create = (body: object) => venue.post('/auth/keys/create/', body);

  /** A complete answer to a challenge, with a test's changes. */
  async function solved(who: Trader, change: object = {}): Promise<object> {
    const { message, nonce } = await challenge(who);
    return { wallet_address: who.wallet, message, nonce, signature: who.sign(message), ...change };
  }

  describe('the bootstrap', () => {
    it('signs as the vectors of the decisions do', () => {
      const cases = [
        ['1714300000GET/orders/?limit=10', '3a1bf87c31ca5772b55633a85a7aa83e6d621ff7790b266ecdb783518f70acfa'],
        ['1714300000POST/orders/abc/cancel/', '539c6fba28fc2235c23d35dddadb0110bf63fc023b87fd44fd511824b778d98e'],
      ] as const;
      for (const [payload, hex] of cases) expect(hmac(VECTOR_SECRET, payload)).toBe(hex);
    });

    it('gives a challenge of the stated text and lifetime', async () => {
      const { message, nonce, expires_in_seconds } = await challenge(trader);
      expect(message).toBe(`Create SVC API credential | Wallet: ${trader.wallet} | Nonce: ${nonce}`);
      expect(expires_in_seconds).toBe(600);
    });

    it.each([undefined, null, '', 5, 'short', base58(Buffer.alloc(31, 7)), base58(Buffer.alloc(33, 7)), '0OIl'])(
      'gives none to the wallet %s',
      async (wallet_address) => {
        expect(await venue.post('/auth/keys/challenge/', { wallet_address })).toMatchObject({
          ...INVALID,
          named: ['wallet_address'],
        });
      },
    );

    it.each([
      ['signature', '00'.repeat(64)],
      ['signature', 'zz'.repeat(64)],
      ['signature', ''],
      ['signature', undefined],
      ['nonce', 'another'],
      ['nonce', undefined],
      ['message', 'Create SVC API credential'],
      ['message', undefined],
      ['wallet_address', 'short'],
      ['wallet_address', undefined],
    ])('refuses a key when %s is %s, and names it', async (field, value) => {
      expect(await create(await solved(trader, { [field]: value }))).toMatchObject({ ...INVALID, named: [field] });
    });

    it('lets a nonce work once, for the wallet that asked, for ten minutes', async () => {
      const body = await solved(trader);
      expect((await create(body)).status).toBe(201);
      expect(await create(body)).toMatchObject({ ...INVALID, named: ['nonce'] });
      const other = new Trader(venue);
      const { message, nonce } = await challenge(trader);
      const foreign = { wallet_address: other.wallet, message, nonce, signature: other.sign(message) };
      expect(await create(foreign)).toMatchObject(INVALID);
      const late = await solved(trader);
      await venue.pass(601);
      expect(await create(late)).toMatchObject({ ...INVALID, named: ['nonce'] });
    });

    it('lists keys and revokes them', async () => {
      const second = await create(await solved(trader));
      const { rows, meta } = await trader.get('/auth/keys/');
      expect(meta).toEqual({});
      expect(rows.map((row) => row['key_id'])).toContain(second.row['api_key']);
      expect(rows.map((row) => row['key_id'])).toContain(trader.apiKey);
      const revoked = await trader.call('DELETE', `/auth/keys/${second.row['api_key']}/`);
      expect(revoked.row).toMatchObject({ key_id: second.row['api_key'], revoked_at: expect.any(Number) });
      const dead = await Trader.join(venue);
      await dead.call('DELETE', `/auth/keys/${dead.apiKey}/`);
      expect(await dead.get('/orders/')).toMatchObject({ slug: 'authentication_failed', message: 'Invalid API key' });
      const other = await Trader.join(venue);
      expect((await other.call('DELETE', `/auth/keys/${trader.apiKey}/`)).slug).toBe('not_found');
    });
  });

  describe('a request that is no request', () => {
    const post = (body: string, type: string) => {
      const headers = { ...trader.headers('POST', '/orders/', body), 'content-type': type };
      return venue.call('POST', '/orders/', { body, headers });
    };

    it('is answered in the envelope', async () => {
      expect(await post('{"a":', 'application/json')).toMatchObject(INVALID);
      expect(await post('[]', 'application/json')).toMatchObject(INVALID);
      expect(await post('"text"', 'application/json')).toMatchObject(INVALID);
      expect(await post('null', 'application/json')).toMatchObject(INVALID);
      expect(await post('', 'application/json')).toMatchObject(INVALID);
      expect(await post('{}', 'text/plain')).toMatchObject({ status: 415, slug: 'unsupported_media_type' });
      const huge = JSON.stringify({ amount: '1'.repeat(65_536) });
      expect(await post(huge, 'application/json')).toMatchObject({ status: 413, slug: 'request_too_large' });
      expect(await venue.get('/nowhere/')).toMatchObject({ status: 404, slug: 'not_found', message: 'Not found.' });
    });

    it('may be 64 KiB long', async () => {
      const frame = JSON.stringify({ amount: '' }).length;
      const body = JSON.stringify({ amount: '1'.repeat(65_536 - frame) });
      expect(await post(body, 'application/json')).toMatchObject(INVALID);
    });
  });
}
