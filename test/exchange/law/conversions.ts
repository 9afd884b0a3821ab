/** Splits, merges and redeems: every state, every stated error, the repeat of a draft, the locks. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { isRecord } from './shapes.js';
import { NOBODY, POLYMARKET, type Reply, start, Trader, Venue } from './stranger.js';

const symbolOf = ({ token }: Readonly<Record<string, unknown>>) => String(isRecord(token) ? token['symbol'] : '');
const named = (...fields: string[]) => ({ status: 400, slug: 'invalid_request_params', named: fields });

export function conversions(): void {
  let exchange: RunningExchange;
  let venue: Venue;
  let trader: Trader;
  let other: Trader;
  let market: string;

  beforeAll(async () => {
    exchange = await start();
    venue = new Venue(exchange.url);
  });
  afterAll(() => exchange.close());
  beforeEach(async () => {
    [trader, other] = [await Trader.join(venue), await Trader.join(venue)];
    market = await venue.market();
  });

  const body = (amount = '10', id = market) => ({ market_condition_id: id, amount });
  const funds = async () => (await venue.call('GET', `/paper/accounts/${trader.wallet}/`)).row['funds'];
  const stateOf = async (path: string, { row }: Reply) => (await trader.get(`${path}${row['pubkey']}/`)).row['state'];
  const sharesOf = async () => {
    const { rows } = await trader.get(`/account/assets/?market_condition_id=${market}`);
    return rows.map((row) => [symbolOf(row).split('-')[1], row['amounts']]).sort();
  };

  describe.each(['/share-splits/', '/share-merges/'] as const)('a draft at %s', (path) => {
    const kind = path === '/share-splits/' ? 'split' : 'merge';
    const ask = (change: object) => trader.post(path, { ...body(), ...change });

    beforeEach(() => trader.split(market, '100'));

    it('has a readable message and becomes done through in_process', async () => {
      const drafted = await ask({});
      const { pubkey, message } = drafted.row;
      expect(message).toMatch(
        `SVC draft v1 | ${kind}-shares | Market: ${market} | Amount: 10 | Draft: ${pubkey} | Exp`,
      );
      expect(await stateOf(path, drafted)).toBe('waiting_to_sign');
      const { row } = await trader.submit(path, drafted);
      expect(row).toMatchObject({ pubkey, message, state: 'in_process', amount: '10', onchain_amount: null });
      await venue.pass(1);
      const done = await trader.get(`${path}${pubkey}/`);
      expect(done.row).toMatchObject({ message, state: 'done', onchain_amount: '10' });
    });

    it('may be signed with a leading 0x, and with nothing longer than 128 characters', async () => {
      const drafted = await ask({});
      const at = `${path}${drafted.row['pubkey']}/submit/`;
      const signature = trader.sign(drafted.row['message']);
      for (const wrong of [undefined, null, '', 5, 'ab', 'zz'.repeat(64), `${signature}a`, '0x', `0x${signature}a`])
        expect([wrong, await trader.post(at, { signature: wrong })]).toMatchObject([wrong, named('signature')]);
      expect(await trader.post(at, { signature: other.sign(drafted.row['message']) })).toMatchObject(
        named('signature'),
      );
      expect((await trader.post(at, {})).named).toEqual(['signature']);
      expect(await stateOf(path, drafted)).toBe('waiting_to_sign');
      expect((await trader.post(at, { signature: `0x${signature}` })).row).toMatchObject({ state: 'in_process' });
      expect((await trader.post(at, { signature })).slug).toBe('share_conversion_invalid_state');
    });

    it('is given again for the same amount until it is signed; another amount must wait', async () => {
      const first = await ask({});
      const again = await ask({});
      expect([again.status, again.row]).toEqual([201, first.row]);
      expect((await ask({ amount: '10.00' })).row).toEqual(first.row);
      expect(await ask({ amount: '11' })).toMatchObject({ status: 409, slug: `share_${kind}_in_progress` });
      expect((await other.post('/share-splits/', body())).status).toBe(201);
      await trader.submit(path, first);
      expect(await ask({})).toMatchObject({ status: 409, slug: `share_${kind}_in_progress` });
      await venue.pass(1);
      expect((await ask({})).row['pubkey']).not.toBe(first.row['pubkey']);
    });

    it('expires, frees its lock and can no longer be submitted', async () => {
      const before = [await funds(), await sharesOf()];
      const drafted = await ask({});
      expect([await funds(), await sharesOf()]).not.toEqual(before);
      await venue.pass(61);
      expect([await funds(), await sharesOf()]).toEqual(before);
      expect(await stateOf(path, drafted)).toBe('expired');
      expect(await trader.submit(path, drafted)).toMatchObject({ status: 400, slug: 'program_call_has_expired' });
      expect((await ask({ amount: '11' })).status).toBe(201);
    });

    it('belongs to one account', async () => {
      const drafted = await ask({});
      const at = `${path}${drafted.row['pubkey']}/`;
      const signature = other.sign('x');
      expect((await other.get(at)).slug).toBe('not_found');
      expect(await other.post(`${at}submit/`, { signature })).toMatchObject({
        status: 404,
        slug: 'share_conversion_not_found',
      });
      expect((await other.post(`${at}submit/`, {})).slug).toBe('invalid_request_params');
      expect((await trader.get(`/share-${kind === 'merge' ? 'split' : 'merge'}s/${drafted.row['pubkey']}/`)).slug).toBe(
        'not_found',
      );
    });

    it.each([
      ['market_condition_id', [undefined, null, '', 5, 'unknown', NOBODY]],
      ['amount', [undefined, null, 5, {}]],
    ])('names %s when it is no value for it', async (field, values) => {
      for (const value of values) expect([value, await ask({ [field]: value })]).toMatchObject([value, named(field)]);
    });

    it('refuses markets and accounts that may not convert', async () => {
      const margin = await venue.market({ config: POLYMARKET });
      expect((await ask({ market_condition_id: margin })).slug).toBe('share_conversion_market_not_eligible');
      expect((await ask({ amount: '-0' })).slug).toBe('share_conversion_invalid_amount');
      await venue.paper(`/markets/${market}/state/`, { paused: true });
      expect((await ask({})).slug).toBe('share_conversion_market_paused');
      await venue.paper(`/markets/${market}/state/`, { paused: false });
      await venue.paper(`/accounts/${trader.wallet}/`, { custodial: true });
      expect((await ask({})).slug).toBe('custodial_user_trading_not_allowed');
      await venue.paper(`/accounts/${trader.wallet}/`, { custodial: false });
      await venue.paper('/signing-service/', { available: false });
      expect((await ask({})).slug).toBe('gringotts_unavailable');
      await venue.paper('/signing-service/', { available: true });
      await venue.paper(`/markets/${market}/state/`, { state: 'interrupted' });
      expect((await ask({})).slug).toBe('share_conversion_market_not_open');
    });
  });

  describe('a merge', () => {
    it('needs shares that nothing else has locked', async () => {
      await trader.split(market, '10');
      await trader.limit(market, true, 'sell', '0.9', '7');
      expect(await trader.post('/share-merges/', body('4'))).toMatchObject({
        status: 400,
        slug: 'share_merge_insufficient_shares',
      });
      expect((await trader.post('/share-merges/', body('3'))).status).toBe(201);
    });

    it('is refused while the market has unbacked collateral', async () => {
      await trader.split(market, '10');
      await venue.paper(`/markets/${market}/state/`, { unbacked_collateral: true });
      expect((await trader.post('/share-merges/', body())).slug).toBe('share_merge_market_has_unbacked_collateral');
    });
  });

  describe('a split', () => {
    it('needs funds', async () => {
      expect(await trader.post('/share-splits/', body('999999'))).toMatchObject({
        status: 400,
        slug: 'share_split_insufficient_funds',
      });
    });
  });

  describe('a redeem', () => {
    it('knows its states and its signature', async () => {
      await trader.split(market, '10');
      await venue.paper(`/markets/${market}/resolve/`, { is_yes: true });
      const [asset] = (await trader.get(`/account/assets/?market_condition_id=${market}`)).rows;
      expect(asset?.['position']).toMatchObject({ is_final: true, market: { state: 'resolved' } });
      const drafted = await trader.post('/redeems/', { market_condition_id: market });
      const at = `/redeems/${drafted.row['pubkey']}/submit/`;
      const signature = trader.sign(drafted.row['message']);
      for (const wrong of [undefined, '', 'ab', `${signature}ab`, other.sign(drafted.row['message'])])
        expect([wrong, await trader.post(at, { signature: wrong })]).toMatchObject([wrong, named('signature')]);
      expect((await other.post(at, { signature })).slug).toBe('not_found');
      await venue.pass(61);
      expect((await trader.post(at, { signature })).slug).toBe('program_call_has_expired');
      const second = await trader.complete('/redeems/', { market_condition_id: market });
      expect(second.row).toMatchObject({ state: 'completed', funds: '10', onchain_funds: '10' });
      expect((await trader.get(`/redeems/${second.row['pubkey']}/`)).row).toMatchObject({
        pubkey: second.row['pubkey'],
      });
      expect((await trader.submit('/redeems/', second)).slug).toBe('invalid_program_call_status');
      const expired = await trader.get(`/redeems/?market_condition_id=${market}&state=expired`);
      expect(expired.rows.map((row) => row['pubkey'])).toEqual([drafted.row['pubkey']]);
    });
  });
}
