/** Keys and envelopes: the steps before a new user's first answer. */

import { beforeAll, describe, expect, it } from 'vitest';
import { base58, named, Trader, type Venue } from './stranger.js';

export function credentials(venue: Venue): void {
  let trader: Trader;

  beforeAll(async () => (trader = await Trader.join(venue)));

  const create = (body: object) => venue.post('/auth/keys/create/', body);

  /** A complete answer to a challenge, with a test's changes. */
  async function solved(who: Trader, change: object = {}): Promise<Record<string, unknown>> {
    const { row } = await venue.post('/auth/keys/challenge/', { wallet_address: who.wallet });
    const { message, nonce } = row;
    return { wallet_address: who.wallet, message, nonce, signature: who.sign(message), ...change };
  }

  describe('the bootstrap', () => {
    it.each([null, '', 5, base58(Buffer.alloc(31, 7)), base58(Buffer.alloc(33, 7)), '0OIl'])(
      'gives no challenge to the wallet %s',
      async (wallet_address) =>
        expect(await venue.post('/auth/keys/challenge/', { wallet_address })).toMatchObject(named('wallet_address')),
    );

    it.each([
      ['signature', '00'.repeat(64)],
      ['signature', 'zz'.repeat(64)],
      ['signature', ''],
      ['nonce', 'another'],
      ['message', 'Create SVC API credential'],
      ['wallet_address', 'short'],
    ])('refuses a key when %s is %s, and names it', async (field, value) =>
      expect(await create(await solved(trader, { [field]: value }))).toMatchObject(named(field)),
    );

    it('lets a nonce work once, for the wallet that asked, for ten minutes', async () => {
      const body = await solved(trader);
      expect((await create(body)).status).toBe(201);
      expect(await create(body)).toMatchObject(named('nonce'));
      const other = new Trader(venue);
      const own = await solved(trader);
      const foreign = { ...own, wallet_address: other.wallet, signature: other.sign(own['message']) };
      expect((await create(foreign)).slug).toBe('invalid_request_params');
      const late = await solved(trader);
      await venue.pass(601);
      expect(await create(late)).toMatchObject(named('nonce'));
    });

    it('lists keys and revokes them', async () => {
      const second = await create(await solved(trader));
      const { rows, meta } = await trader.get('/auth/keys/');
      expect(meta).toEqual({});
      const key_id = second.row['api_key'];
      expect(rows.map((row) => row['key_id'])).toEqual(expect.arrayContaining([key_id, trader.apiKey]));
      const revoked = await trader.call('DELETE', `/auth/keys/${key_id}/`);
      expect(revoked.row).toMatchObject({ key_id, revoked_at: expect.any(Number) });
      const dead = await Trader.join(venue);
      expect((await dead.call('DELETE', `/auth/keys/${trader.apiKey}/`)).slug).toBe('not_found');
      await dead.call('DELETE', `/auth/keys/${dead.apiKey}/`);
      expect(await dead.get('/orders/')).toMatchObject({ slug: 'authentication_failed', message: 'Invalid API key' });
    });
  });

  it('a body is JSON of at most 64 KiB', async () => {
    const post = (length: number, type = 'application/json') => {
      const body = JSON.stringify({ amount: '1'.repeat(length - JSON.stringify({ amount: '' }).length) });
      const headers = { ...trader.headers('POST', '/orders/', body), 'content-type': type };
      return venue.call('POST', '/orders/', { body, headers });
    };
    expect((await post(100, 'text/plain')).slug).toBe('unsupported_media_type');
    expect((await post(65_536)).slug).toBe('invalid_request_params');
    expect((await post(65_537)).slug).toBe('request_too_large');
  });
}
