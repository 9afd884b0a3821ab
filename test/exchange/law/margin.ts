/** Margin on both backends: requests, positions, take profit and stop loss, close, liquidation, settlement, claim. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { HYPERLIQUID, POLYMARKET, type Reply, start, Trader, Venue } from './stranger.js';

const REQUESTS = '/margin/positions/requests/';
const SETTLEMENTS = '/margin/positions/settlements/';
const named = (...fields: string[]) => ({ status: 400, slug: 'invalid_request_params', named: fields });

export function margin(): void {
  let exchange: RunningExchange;
  let venue: Venue;
  let trader: Trader;
  let other: Trader;

  beforeAll(async () => {
    exchange = await start();
    venue = new Venue(exchange.url);
    other = await Trader.join(venue);
  });
  afterAll(() => exchange.close());
  beforeEach(async () => {
    trader = await Trader.join(venue);
  });

  const move = async (id: string, price: string) => {
    await venue.paper(`/markets/${id}/reference-price/`, { price });
    await venue.pass(1);
  };

  describe.each([
    ['polymarket', POLYMARKET],
    ['hyperliquid', HYPERLIQUID],
  ] as const)('margin on %s', (kind, config) => {
    let market: string;
    const hyper = kind === 'hyperliquid';

    beforeEach(async () => {
      market = await venue.market({ config, event: 'Weather' });
      await move(market, '0.5');
    });

    const terms = (change: object = {}) => ({
      type: 'market',
      market_condition_id: market,
      is_yes: true,
      leverage: 2.5,
      funds: '100',
      ...change,
    });
    const ask = (change: object = {}) => trader.post(REQUESTS, terms(change));

    /** An open position, created by a complete request. */
    async function opened(change: object = {}): Promise<Readonly<Record<string, unknown>>> {
      await trader.complete(REQUESTS, terms(change));
      await venue.pass(10);
      const { rows } = await trader.get(`/margin/positions/?market_condition_id=${market}`);
      expect(rows).toHaveLength(1);
      return rows[0] ?? {};
    }
    const positionOf = async (pubkey: unknown) => (await trader.get(`/margin/positions/${pubkey}/`)).row;
    const settlementOf = async (pubkey: unknown) =>
      (await trader.get(`${SETTLEMENTS}?position_pubkey=${pubkey}`)).rows[0] ?? {};

    it('is estimated without credentials', async () => {
      const path = `/margin/positions/estimate/?market_condition_id=${market}&funds=100&is_yes=true`;
      // Decisions: "a rate on the user's collateral", independent of the loan.
      expect((await venue.get(`${path}&leverage=2.5`)).row).toMatchObject({
        is_fully_filled: true,
        fee_amount: '0.1',
        user_funds_needed: '100.1',
      });
      expect((await venue.get(`${path}&leverage=1`)).row).toMatchObject({ liquidation_price: null });
      for (const leverage of ['0', '-1', '11', 'much'])
        expect((await venue.get(`${path}&leverage=${leverage}`)).named).toEqual(['leverage']);
      expect((await venue.get('/margin/positions/estimate/')).named).toContain('market_condition_id');
    });

    it('begins with a request that is drafted, signed and completed', async () => {
      const drafted = await ask();
      const { pubkey, message } = drafted.row;
      expect(message).toMatch(
        `SVC draft v1 | open-margin-position | Market: ${market} | Outcome: YES, Type: market, Leverage: 2.5, ` +
          `Funds: 100 | Draft: ${pubkey} | Expires: `,
      );
      expect(drafted.row).toMatchObject({
        type: 'market',
        state: 'created',
        leverage: '2.5',
        funds: '100',
        price: null,
      });
      await trader.submit(REQUESTS, drafted);
      await venue.pass(10);
      expect((await trader.get(`${REQUESTS}${pubkey}/`)).row).toMatchObject({ state: 'completed' });
      const [row] = (await trader.get(`/margin/positions/?market_condition_id=${market}`)).rows;
      expect(row).toMatchObject({
        position_request_pubkey: pubkey,
        is_yes: true,
        leverage: '2.5',
        user_liquidity: '100',
        total_liquidity: '250',
        is_closed: false,
        is_liquidated: false,
        is_claimed: false,
        closing_price: null,
        market: { condition_id: market, event: { title: 'Weather' } },
      });
      const shares = Number(row?.['total_shares']) * Number(row?.['avg_entry_price']);
      expect(Math.abs(shares - 250)).toBeLessThan(0.01);
      expect((await other.get(`/margin/positions/${row?.['pubkey']}/`)).slug).toBe('not_found');
      expect((await other.get(`${REQUESTS}${pubkey}/`)).slug).toBe('not_found');
    });

    it('has outcome YES and leverage 1 unless it is told otherwise', async () => {
      const { row } = await ask({ is_yes: undefined, leverage: undefined });
      expect(row).toMatchObject({ is_yes: true, leverage: '1' });
      expect((await opened({ is_yes: undefined, leverage: undefined }))['liquidation_price']).toBe('0');
    });

    it('takes a limit request, which waits, and cancels what is not funded', async () => {
      const drafted = await ask({ type: 'limit', funds: undefined, price: '0.4', shares: '100' });
      // The margin of 100 shares at 0.4 with leverage 2.5.
      expect(drafted.row).toMatchObject({ type: 'limit', price: '0.4', shares: '100', funds: '16' });
      const path = `${REQUESTS}${drafted.row['pubkey']}/`;
      expect((await other.call('DELETE', path)).slug).toBe('not_found');
      expect((await trader.call('DELETE', path)).row).toMatchObject({ state: 'cancelled' });
      expect((await trader.submit(REQUESTS, drafted)).slug).toBe('invalid_program_call_status');
      const late = await ask();
      await venue.pass(61);
      expect((await trader.submit(REQUESTS, late)).slug).toBe('program_call_has_expired');
    });

    it('checks the signature of a request', async () => {
      const drafted = await ask();
      const path = `${REQUESTS}${drafted.row['pubkey']}/submit/`;
      const signature = trader.sign(drafted.row['message']);
      for (const wrong of [undefined, '', 'ab', `${signature}ab`, other.sign(drafted.row['message'])])
        expect([wrong, await trader.post(path, { signature: wrong })]).toMatchObject([wrong, named('signature')]);
      expect((await other.post(path, { signature })).slug).toBe('not_found');
      await trader.post(path, { signature: `0x${signature}` });
      expect((await trader.post(path, { signature })).slug).toBe('invalid_program_call_status');
    });

    it('is closed, settled, claimed and done', async () => {
      const { pubkey } = await opened();
      await move(market, '0.6');
      expect(await settlementOf(pubkey)).toEqual({});
      expect((await trader.post(`/margin/positions/${pubkey}/settlements/`)).status).toBeGreaterThanOrEqual(400);
      expect((await other.call('DELETE', `/margin/positions/${pubkey}/`)).slug).toBe('not_found');
      for (const price of ['much', '', '-1'])
        expect((await trader.call('DELETE', `/margin/positions/${pubkey}/?price=${price}`)).named).toEqual(['price']);
      const { row } = await trader.call('DELETE', `/margin/positions/${pubkey}/`);
      expect(row).toMatchObject({ close_type: 'order', position_pubkey: pubkey });
      await venue.pass(10);
      const flat = await positionOf(pubkey);
      expect(flat).toMatchObject({ is_closed: true, is_liquidated: false, closing_price: expect.any(String) });
      expect(Number(flat['realized_pnl'])).toBeGreaterThan(0);
      expect(await settlementOf(pubkey)).toMatchObject({ state: 'claimable', position: { pubkey, is_claimed: false } });
      expect((await other.post(`/margin/positions/${pubkey}/settlements/`)).slug).toBe('not_found');
      expect((await trader.post(`/margin/positions/${pubkey}/settlements/`)).row).toEqual({
        position_pubkey: pubkey,
        state: 'claim_pending',
      });
      await venue.pass(10);
      expect(await settlementOf(pubkey)).toMatchObject({ state: 'done', position: { is_claimed: true } });
    });

    it('has take profit and stop loss where the backend has them', async () => {
      const { pubkey } = await opened();
      const path = `/margin/positions/${pubkey}/tp-sl/`;
      const both = { take_profit_price: '0.7', stop_loss_price: '0.4' };
      if (hyper) {
        const refused = { status: 501, slug: 'hyperliquid_margin_tp_sl_not_supported' };
        expect(await trader.post(path, both)).toMatchObject(refused);
        expect(await trader.call('DELETE', path)).toMatchObject(refused);
        return;
      }
      expect((await trader.post(path, {})).slug).toBe('invalid_request_params');
      expect(await trader.post(path, { take_profit_price: 0.7 })).toMatchObject(named('take_profit_price'));
      expect(await trader.post(path, { stop_loss_price: '1.5' })).toMatchObject(named('stop_loss_price'));
      expect((await other.post(path, both)).slug).toBe('not_found');
      expect((await trader.post(path, both)).row).toMatchObject({ ...both, state: 'active', trigger_type: null });
      expect((await trader.post(path, { stop_loss_price: null })).row).toMatchObject({
        take_profit_price: '0.7',
        stop_loss_price: null,
      });
      expect((await positionOf(pubkey))['tp_sl']).toMatchObject({ take_profit_price: '0.7' });
      await trader.post(path, both);
      expect((await trader.call('DELETE', path)).row).toMatchObject({ ...both, state: 'cancelled' });
    });

    it('tells the public what happened', async () => {
      const { pubkey } = await opened();
      await trader.call('DELETE', `/margin/positions/${pubkey}/`);
      await venue.pass(10);
      const told = await venue.get(`/markets/${market}/margin-activity/`);
      expect(told.rows.map((row) => row['activity_type'])).toEqual(['closed', 'opened']);
      const path = `/markets/${market}/margin-activity/?activity_type=OPENED`;
      expect((await venue.get(path)).rows.map((row) => row['activity_type'])).toEqual(['opened']);
    });
  });

  describe('the lists of margin', () => {
    it('sort and page both ways, and keep their cursors to themselves', async () => {
      const made: unknown[] = [];
      for (const config of [POLYMARKET, HYPERLIQUID, POLYMARKET]) {
        const market = await venue.market({ config });
        await move(market, '0.5');
        const body = { type: 'market', market_condition_id: market, leverage: 2, funds: '10' };
        made.push((await trader.complete(REQUESTS, body)).row['pubkey']);
        await venue.pass(10);
      }
      const walk = async (path: string, name: string) => {
        const found: unknown[] = [];
        for (let cursor: unknown = ''; cursor !== null; ) {
          const page: Reply = await trader.get(`${path}${cursor && `&cursor=${cursor}`}`);
          found.push(...page.rows.map((row) => row[name]));
          cursor = page.meta['next_cursor'];
        }
        return found;
      };
      for (const limit of [1, 2, 3]) {
        const up = `?limit=${limit}&sort=created`;
        expect(await walk(`${REQUESTS}${up}`, 'pubkey')).toEqual(made);
        expect(await walk(`${REQUESTS}?limit=${limit}`, 'pubkey')).toEqual(made.toReversed());
        expect(await walk(`/margin/positions/${up}`, 'position_request_pubkey')).toEqual(made);
        expect(await walk(`/margin/positions/?limit=${limit}&is_closed=false`, 'position_request_pubkey')).toEqual(
          made.toReversed(),
        );
      }
      const { meta } = await trader.get('/margin/positions/?limit=1');
      expect(await trader.get(`/orders/?cursor=${meta['next_cursor']}`)).toMatchObject(named('cursor'));
      const keys = Object.keys(JSON.parse(Buffer.from(String(meta['next_cursor']), 'base64url').toString()));
      expect(keys.sort()).toEqual(['pubkey', 'sort_value']);
    });
  });
}
