/** Splits, merges and redeems: states, errors, signatures. */

import { beforeEach, describe, expect, it } from 'vitest';
import { NOBODY, named, POLYMARKET, Trader, type Venue } from './stranger.js';

export function conversions(venue: Venue): void {
  let trader: Trader;
  let other: Trader;
  let market: string;

  beforeEach(async () => {
    [trader, other] = [await Trader.join(venue), await Trader.join(venue)];
    market = await venue.market();
    await trader.split(market, '100');
  });

  const setState = (change: object) => venue.paper(`/markets/${market}/state/`, change);

  describe.each(['split', 'merge'])('a draft of a %s', (kind) => {
    const path = `/share-${kind}s/`;
    const ask = (change: object = {}) => trader.post(path, { market_condition_id: market, amount: '10', ...change });

    it('has a readable message and becomes done through in_process', async () => {
      const drafted = await ask();
      const { pubkey, message } = drafted.row;
      const at = `${path}${pubkey}/`;
      expect(message).toMatch(
        `SVC draft v1 | ${kind}-shares | Market: ${market} | Amount: 10 | Draft: ${pubkey} | Exp`,
      );
      expect((await trader.get(at)).row).toMatchObject({ state: 'waiting_to_sign' });
      const signature = other.sign(message);
      expect(await trader.post(`${at}submit/`, { signature })).toMatchObject(named('signature'));
      const { row } = await trader.submit(path, drafted);
      expect(row).toMatchObject({ pubkey, message, state: 'in_process', amount: '10', onchain_amount: null });
      expect((await trader.submit(path, drafted)).slug).toBe('share_conversion_invalid_state');
      expect((await ask()).slug).toBe(`share_${kind}_in_progress`);
      await venue.pass(1);
      expect((await trader.get(at)).row).toMatchObject({ message, state: 'done', onchain_amount: '10' });
    });

    it('belongs to one account and one list', async () => {
      const { pubkey } = (await ask()).row;
      const at = `${path}${pubkey}/`;
      expect((await other.get(at)).slug).toBe('not_found');
      expect((await other.post(`${at}submit/`, { signature: 'ab' })).slug).toBe('share_conversion_not_found');
      const otherPath = kind === 'merge' ? '/share-splits/' : '/share-merges/';
      expect((await trader.get(`${otherPath}${pubkey}/`)).slug).toBe('not_found');
    });

    it.each([
      ['market_condition_id', [null, '', 5, 'unknown', NOBODY]],
      ['amount', [null, 5, {}]],
    ])('names %s when it is no value for it', async (field, values) => {
      for (const value of values) expect([value, await ask({ [field]: value })]).toMatchObject([value, named(field)]);
    });

    it('refuses markets and accounts that may not convert', async () => {
      const margin = await venue.market({ config: POLYMARKET });
      expect((await ask({ market_condition_id: margin })).slug).toBe('share_conversion_market_not_eligible');
      for (const amount of ['-0', '1.0000000'])
        expect((await ask({ amount })).slug).toBe('share_conversion_invalid_amount');
      const missing = kind === 'split' ? 'funds' : 'shares';
      expect((await ask({ amount: '99999' })).slug).toBe(`share_${kind}_insufficient_${missing}`);
      await setState({ paused: true });
      expect((await ask()).slug).toBe('share_conversion_market_paused');
      await setState({ paused: false, unbacked_collateral: true });
      if (kind === 'merge') expect((await ask()).slug).toBe('share_merge_market_has_unbacked_collateral');
      await venue.paper(`/accounts/${trader.wallet}/`, { custodial: true });
      expect((await ask()).slug).toBe('custodial_user_trading_not_allowed');
      await venue.paper(`/accounts/${trader.wallet}/`, { custodial: false });
      await venue.paper('/signing-service/', { available: false });
      expect((await ask()).slug).toBe('gringotts_unavailable');
      await venue.paper('/signing-service/', { available: true });
      await setState({ state: 'interrupted' });
      expect((await ask()).slug).toBe('share_conversion_market_not_open');
    });
  });

  describe('a redeem', () => {
    it('knows its states and its signature', async () => {
      await venue.paper(`/markets/${market}/resolve/`, { is_yes: true });
      const assets = `/account/assets/?market_condition_id=${market}`;
      const settled = { position: { is_final: true, market: { state: 'resolved' } } };
      expect(await trader.pages(assets, 1)).toMatchObject([[settled], [settled]]);
      const { meta } = await trader.get(`${assets}&limit=1`);
      expect(Buffer.from(String(meta['next_cursor']), 'base64url').toString()).toMatch(/^\{"o":\d+\}$/);
      const drafted = await trader.post('/redeems/', { market_condition_id: market });
      const at = `/redeems/${drafted.row['pubkey']}/`;
      const signature = other.sign(drafted.row['message']);
      expect(await trader.post(`${at}submit/`, { signature })).toMatchObject(named('signature'));
      expect((await other.post(`${at}submit/`, { signature })).slug).toBe('not_found');
      expect((await other.get(at)).slug).toBe('not_found');
      await venue.pass(61);
      expect((await trader.submit('/redeems/', drafted)).slug).toBe('program_call_has_expired');
      const second = await trader.complete('/redeems/', { market_condition_id: market });
      expect(second.row).toMatchObject({ state: 'completed', funds: '100', onchain_funds: '100' });
      const { pubkey } = second.row;
      expect((await trader.get(`/redeems/${pubkey}/`)).row).toMatchObject({ pubkey });
      expect((await trader.submit('/redeems/', second)).slug).toBe('invalid_program_call_status');
      const expired = await trader.get(`/redeems/?market_condition_id=${market}&state=expired`);
      expect(expired.rows.map((row) => row['pubkey'])).toEqual([drafted.row['pubkey']]);
    });
  });
}
