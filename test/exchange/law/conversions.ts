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
  const available = async () => {
    const held = await funds();
    return Number(isRecord(held) ? held['available'] : Number.NaN);
  };
  const stateOf = async (path: string, { row }: Reply) => (await trader.get(`${path}${row['pubkey']}/`)).row['state'];
  const sharesOf = async () => {
    const { rows } = await trader.get(`/account/assets/?market_condition_id=${market}`);
    return rows.map((row) => [symbolOf(row).split('-')[1], row['amounts']]).sort();
  };
  const shares = (total: string, locked: string, available: string) => [
    ['LPT', { total, locked, available }],
    ['SPT', { total, locked, available }],
  ];

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

    it.each([{ paused: true }, { state: 'interrupted' }])(
      'goes from waiting_to_sign to in_process whatever its market is, and to failed when it does not settle: %o',
      async (trouble) => {
        const before = [await funds(), await sharesOf()];
        const drafted = await ask({});
        await venue.paper(`/markets/${market}/state/`, trouble);
        expect((await trader.submit(path, drafted)).row).toMatchObject({ state: 'in_process', onchain_amount: null });
        await venue.pass(1);
        const { row } = await trader.get(`${path}${drafted.row['pubkey']}/`);
        expect(row).toMatchObject({ state: 'failed', onchain_amount: null, message: drafted.row['message'] });
        expect([await funds(), await sharesOf()]).toEqual(before);
        expect((await trader.submit(path, drafted)).slug).toBe('share_conversion_invalid_state');
      },
    );

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

    it.each(['0', '-1', '0.001', '1.005', '0.0000001', '-0'])('refuses the amount %s', async (amount) => {
      expect(await ask({ amount })).toMatchObject({ status: 400, slug: 'share_conversion_invalid_amount' });
    });

    it('refuses markets and accounts that may not convert', async () => {
      const margin = await venue.market({ config: POLYMARKET });
      expect((await ask({ market_condition_id: margin })).slug).toBe('share_conversion_market_not_eligible');
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

    it('is listed by state and market, newest first', async () => {
      const made: unknown[] = [];
      for (const amount of ['1', '2', '3']) {
        made.unshift((await trader.complete(path, body(amount))).row['pubkey']);
        await venue.pass(1);
      }
      const waiting = await ask({ amount: '4' });
      const list = async (query: string) => {
        const { rows, meta } = await trader.get(`${path}?market_condition_id=${market}${query}`);
        return [rows.map((row) => row['pubkey']), meta['next_cursor']] as const;
      };
      const [done] = await list('&state=done');
      expect(done.slice(0, 3)).toEqual(made);
      expect((await list('&state=waiting_to_sign'))[0]).toEqual([waiting.row['pubkey']]);
      const [page, cursor] = await list('&limit=2');
      expect(page).toEqual([waiting.row['pubkey'], made[0]]);
      expect((await list(`&limit=2&cursor=${cursor}`))[0].slice(0, 2)).toEqual([made[1], made[2]]);
    });
  });

  describe('a merge', () => {
    it('locks both shares until it is done, and gives currency for them', async () => {
      await trader.split(market, '10');
      const before = await available();
      const drafted = await trader.post('/share-merges/', body('4'));
      expect(await sharesOf()).toEqual(shares('10', '4', '6'));
      await trader.submit('/share-merges/', drafted);
      expect(await sharesOf()).toEqual(shares('10', '4', '6'));
      await venue.pass(1);
      expect(await sharesOf()).toEqual(shares('6', '0', '6'));
      expect(await available()).toBe(before + 4);
    });

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
    const redeemed = async (is_yes: boolean | null) => {
      await trader.split(market, '10');
      await trader.limit(market, false, 'sell', '0.5', '4');
      await other.limit(market, false, 'buy', '0.5', '4');
      await venue.paper(`/markets/${market}/resolve/`, { is_yes });
      return trader.complete('/redeems/', { market_condition_id: market });
    };

    it.each([
      [true, '10'],
      [false, '6'],
      [null, '8'],
    ])('of a market resolved to %s pays %s', async (is_yes, paid) => {
      const { row } = await redeemed(is_yes);
      expect(row).toMatchObject({
        market_condition_id: market,
        state: 'completed',
        funds: paid,
        onchain_funds: paid,
        yes_shares: '10',
        no_shares: '6',
      });
      expect(row['message']).toMatch(
        `| redeem-shares | Market: ${market} | Yes: 10, No: 6 | Draft: ${row['pubkey']} |`,
      );
      expect(['done', 'completed']).toContain(
        (await trader.get(`/redeems/?market_condition_id=${market}`)).rows[0]?.['state'],
      );
      expect((await trader.get(`/redeems/${row['pubkey']}/`)).row['pubkey']).toBe(row['pubkey']);
      expect((await other.get(`/redeems/${row['pubkey']}/`)).slug).toBe('not_found');
      expect(await sharesOf()).toEqual([]);
    });

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
      expect(second.row).toMatchObject({ state: 'completed' });
      expect((await trader.submit('/redeems/', second)).slug).toBe('invalid_program_call_status');
      const expired = await trader.get(`/redeems/?market_condition_id=${market}&state=expired`);
      expect(expired.rows.map((row) => row['pubkey'])).toEqual([drafted.row['pubkey']]);
    });

    it('is answered again while its draft waits to be signed', async () => {
      await trader.split(market, '10');
      await venue.paper(`/markets/${market}/resolve/`, { is_yes: true });
      const first = await trader.post('/redeems/', { market_condition_id: market });
      const again = await trader.post('/redeems/', { market_condition_id: market });
      expect([again.status, again.row]).toEqual([201, first.row]);
      expect(await sharesOf()).toEqual(shares('10', '10', '0'));
      expect((await trader.submit('/redeems/', again)).row).toMatchObject({ state: 'completed' });
      expect(await trader.post('/redeems/', { market_condition_id: market })).toMatchObject(
        named('market_condition_id'),
      );
    });

    it('is refused for a market that is open or unknown', async () => {
      for (const market_condition_id of [undefined, 5, 'unknown', NOBODY, market])
        expect(await trader.post('/redeems/', { market_condition_id })).toMatchObject(named('market_condition_id'));
    });
  });

  describe('the assets', () => {
    it('page by offset and show what is held', async () => {
      const holder = await Trader.join(venue);
      await holder.split(market, '10');
      const second = await venue.market({ title: 'Will it snow?' });
      await holder.split(second, '5');
      const { rows } = await holder.get('/account/assets/');
      expect(rows.map(symbolOf)).toHaveLength(4);
      expect(new Set(rows.map(symbolOf))).toEqual(
        new Set([market, second].flatMap((id) => [`${id}-LPT`, `${id}-SPT`])),
      );
      const first = await holder.get('/account/assets/?limit=3');
      const cursor = String(first.meta['next_cursor']);
      expect(JSON.parse(Buffer.from(cursor, 'base64url').toString())).toEqual({ o: expect.any(Number) });
      const last = await holder.get(`/account/assets/?limit=3&cursor=${cursor}`);
      expect([...first.rows, ...last.rows]).toEqual(rows);
      expect(last.meta['next_cursor']).toBeNull();
      expect((await holder.get(`/account/assets/?market_condition_id=${second}`)).rows).toHaveLength(2);
      expect(await holder.get(`/orders/?cursor=${cursor}`)).toMatchObject(named('cursor'));
    });
  });
}
