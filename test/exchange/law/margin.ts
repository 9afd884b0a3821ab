/** Margin on both backends: requests, positions, take profit and stop loss, close, settlement, claim, lists. */

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HYPERLIQUID, named, POLYMARKET, Trader, type Venue } from './stranger.js';

const REQUESTS = '/margin/positions/requests/';

export function margin(venue: Venue): void {
  let trader: Trader;
  let other: Trader;

  beforeAll(async () => (other = await Trader.join(venue)));
  beforeEach(async () => (trader = await Trader.join(venue)));

  async function openMarket(config: object): Promise<string> {
    const market = await venue.market({ config, event: 'Weather' });
    await venue.paper(`/markets/${market}/reference-price/`, { price: '0.5' });
    return market;
  }

  describe.each([
    ['polymarket', POLYMARKET],
    ['hyperliquid', HYPERLIQUID],
  ] as const)('margin on %s', (kind, config) => {
    let market: string;

    beforeEach(async () => (market = await openMarket(config)));

    const terms = (change: object = {}) => ({
      type: 'market',
      market_condition_id: market,
      is_yes: true,
      leverage: 2.5,
      funds: '100',
      ...change,
    });

    /** The only position, created by a complete request. */
    async function opened(change: object = {}): Promise<Readonly<Record<string, unknown>>> {
      await trader.complete(REQUESTS, terms(change));
      await venue.pass(10);
      const { rows } = await trader.get(`/margin/positions/?market_condition_id=${market}`);
      expect(rows).toHaveLength(1);
      return rows[0] ?? {};
    }

    it('is estimated without credentials', async () => {
      const path = `/margin/positions/estimate/?market_condition_id=${market}&funds=100&is_yes=true`;
      // Decisions: "a rate on the user's collateral", independent of the loan.
      const terms = { is_fully_filled: true, fee_amount: '0.1', user_funds_needed: '100.1' };
      expect((await venue.get(`${path}&leverage=2.5`)).row).toMatchObject(terms);
      expect((await venue.get(path)).row).toMatchObject({ liquidation_price: null });
      expect((await venue.get('/margin/positions/estimate/')).named).toEqual(['market_condition_id', 'funds']);
    });

    it('begins with a request that is drafted, signed and completed', async () => {
      const drafted = await trader.post(REQUESTS, terms());
      const { pubkey, message } = drafted.row;
      expect(message).toMatch(
        `SVC draft v1 | open-margin-position | Market: ${market} | Outcome: YES, Type: market, Leverage: 2.5, ` +
          `Funds: 100 | Draft: ${pubkey} | Expires: `,
      );
      expect(drafted.row).toMatchObject({ type: 'market', state: 'created', leverage: '2.5', funds: '100' });
      const signature = other.sign(message);
      expect(await trader.post(`${REQUESTS}${pubkey}/submit/`, { signature })).toMatchObject(named('signature'));
      expect((await other.post(`${REQUESTS}${pubkey}/submit/`, { signature })).slug).toBe('not_found');
      await trader.submit(REQUESTS, drafted);
      await venue.pass(10);
      expect((await trader.get(`${REQUESTS}${pubkey}/`)).row).toMatchObject({ state: 'completed' });
      const [row] = (await trader.get(`/margin/positions/?market_condition_id=${market}`)).rows;
      const ofEvent = { condition_id: market, event: { title: 'Weather' } };
      expect(row).toMatchObject({ position_request_pubkey: pubkey, total_liquidity: '250', market: ofEvent });
      expect(Math.abs(Number(row?.['total_shares']) * Number(row?.['avg_entry_price']) - 250)).toBeLessThan(0.01);
      expect((await other.get(`/margin/positions/${row?.['pubkey']}/`)).slug).toBe('not_found');
      expect((await other.get(`${REQUESTS}${pubkey}/`)).slug).toBe('not_found');
    });

    it('has outcome YES and leverage 1 unless it is told otherwise', async () => {
      const position = await opened({ is_yes: undefined, leverage: undefined });
      expect(position).toMatchObject({ is_yes: true, leverage: '1', liquidation_price: '0' });
    });

    it('takes a limit request, and cancels what is not funded', async () => {
      const limit = { type: 'limit', funds: undefined, price: '0.40', shares: '100.0' };
      const { row } = await trader.post(REQUESTS, terms(limit));
      // The margin of 100 shares at 0.4 with leverage 2.5.
      expect(row).toMatchObject({ type: 'limit', price: '0.4', shares: '100', funds: '16' });
      expect(row['message']).toMatch('| Outcome: YES, Type: limit, Leverage: 2.5, Price: 0.4, Shares: 100 |');
      const path = `${REQUESTS}${row['pubkey']}/`;
      expect((await other.call('DELETE', path)).slug).toBe('not_found');
      expect((await trader.call('DELETE', path)).row).toMatchObject({ state: 'cancelled' });
    });

    it('is closed, settled, claimed and done', async () => {
      const { pubkey } = await opened();
      const [path, ofSettlement] = [`/margin/positions/${pubkey}/`, `/margin/positions/${pubkey}/settlements/`];
      const settlement = `/margin/positions/settlements/?position_pubkey=${pubkey}`;
      expect((await trader.get(settlement)).rows).toEqual([]);
      expect((await trader.post(ofSettlement)).slug).toBe('invalid_request_params');
      expect((await other.call('DELETE', path)).slug).toBe('not_found');
      for (const price of ['much', '-1', '1'])
        expect((await trader.call('DELETE', `${path}?price=${price}`)).named).toEqual(['price']);
      const closed = { close_type: 'order', position_pubkey: pubkey };
      expect((await trader.call('DELETE', path)).row).toMatchObject(closed);
      expect((await trader.call('DELETE', path)).row).toMatchObject({ ...closed, close_type: 'zero' });
      await venue.pass(10);
      expect((await trader.get(path)).row).toMatchObject({ is_closed: true, closing_price: expect.any(String) });
      const claimable = { state: 'claimable', position: { pubkey, is_claimed: false } };
      expect((await trader.get(settlement)).rows).toMatchObject([claimable]);
      expect((await other.post(ofSettlement)).slug).toBe('not_found');
      expect((await trader.post(ofSettlement)).row).toEqual({ position_pubkey: pubkey, state: 'claim_pending' });
      await venue.pass(10);
      expect((await trader.get(settlement)).rows).toMatchObject([{ state: 'done', position: { is_claimed: true } }]);
      // Only the list of all markets merges the backends.
      expect((await trader.get(`${settlement}&market_state=canceled`)).rows).toEqual([]);
      const activity = `/markets/${market}/margin-activity/`;
      expect((await venue.get(activity)).rows.map((row) => row['activity_type'])).toEqual(['closed', 'opened']);
      expect((await venue.get(`${activity}?activity_type=OPENED`)).rows).toHaveLength(1);
    });

    it('has take profit and stop loss where the backend has them', async () => {
      const path = `/margin/positions/${(await opened())['pubkey']}/tp-sl/`;
      const both = { take_profit_price: '0.7', stop_loss_price: '0.4' };
      if (kind === 'hyperliquid') {
        const refusals = [await trader.post(path, both), await trader.call('DELETE', path)];
        for (const { slug } of refusals) expect(slug).toBe('hyperliquid_margin_tp_sl_not_supported');
        return;
      }
      expect(await trader.post(path, {})).toMatchObject(named('take_profit_price'));
      expect(await trader.post(path, { stop_loss_price: 0.3 })).toMatchObject(named('stop_loss_price'));
      expect((await other.post(path, both)).slug).toBe('not_found');
      expect((await trader.post(path, both)).row).toMatchObject({ ...both, state: 'active', trigger_type: null });
      const { row } = await trader.post(path, { stop_loss_price: null });
      expect(row).toMatchObject({ ...both, stop_loss_price: null });
      expect((await other.call('DELETE', path)).slug).toBe('not_found');
      expect((await trader.call('DELETE', path)).row).toMatchObject({ take_profit_price: '0.7', state: 'cancelled' });
    });
  });

  describe('the lists of margin', () => {
    it('sort and page both ways, and keep their cursors to themselves', async () => {
      const made: unknown[] = [];
      for (const config of [POLYMARKET, HYPERLIQUID, POLYMARKET]) {
        const body = { type: 'market', market_condition_id: await openMarket(config), leverage: 2, funds: '10' };
        made.push((await trader.complete(REQUESTS, body)).row['pubkey']);
        await venue.pass(10);
      }
      for (const limit of [1, 2, 3]) {
        const walk = async (path: string, name: string) =>
          (await trader.pages(path, limit)).flatMap((rows) => rows.map((row) => row[name]));
        expect(await walk(`${REQUESTS}?sort=created`, 'pubkey')).toEqual(made);
        expect(await walk(`${REQUESTS}?is_yes=true&leverage=2.0`, 'pubkey')).toEqual(made.toReversed());
        expect(await walk('/margin/positions/?sort=created', 'position_request_pubkey')).toEqual(made);
        expect(await walk('/margin/positions/?is_closed=false', 'position_request_pubkey')).toEqual(made.toReversed());
      }
      const { meta } = await trader.get('/margin/positions/?limit=1');
      expect(await trader.get(`/orders/?cursor=${meta['next_cursor']}`)).toMatchObject(named('cursor'));
      const keys = Object.keys(JSON.parse(Buffer.from(String(meta['next_cursor']), 'base64url').toString()));
      expect(keys.sort()).toEqual(['pubkey', 'sort_value']);
    });
  });
}
