/** The life of an order: drafts, both outcomes, partial fills, market orders, cancels, expiry, errors, lists. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../../src/exchange/exchange.js';
import { NOBODY, type Reply, start, Trader, Venue } from './stranger.js';

const INVALID = { status: 400, slug: 'invalid_request_params' };
const named = (...fields: string[]) => ({ ...INVALID, named: fields });

export function orders(): void {
  let exchange: RunningExchange;
  let venue: Venue;
  let maker: Trader;
  let taker: Trader;
  let market: string;

  beforeAll(async () => {
    exchange = await start();
    venue = new Venue(exchange.url);
    [maker, taker] = [await Trader.join(venue), await Trader.join(venue)];
  });
  afterAll(() => exchange.close());
  beforeEach(async () => {
    market = await venue.market({ title: 'Will it rain?' });
  });

  const terms = (change: object = {}) => ({
    market_condition_id: market,
    is_yes: true,
    side: 'buy',
    order_type: 'limit',
    price: '0.42',
    amount: '10',
    ...change,
  });
  const draft = (change: object = {}, who = maker) => who.post('/orders/', terms(change));
  const marketOrder = (change: object) =>
    taker.complete('/orders/', { market_condition_id: market, is_yes: true, order_type: 'market', ...change });

  describe('an order', () => {
    it('is drafted, signed over its readable message, and rests', async () => {
      const drafted = await draft();
      const { pubkey, message } = drafted.row;
      expect(message).toBe(
        `SVC draft v1 | place-order | Market: ${market} | Outcome: YES, Side: buy, Type: limit, Price: 0.42, ` +
          `Amount: 10 | Draft: ${pubkey} | Expires: ${/\d+$/.exec(String(message))?.[0]}`,
      );
      const expiresInS = Number(/\d+$/.exec(String(message))?.[0]) - venue.nowS;
      expect([58, 59, 60, 61]).toContain(expiresInS);
      expect((await maker.get(`/orders/${pubkey}/`)).row).toMatchObject({ status: 'waiting_to_sign', pubkey });
      const { row } = await maker.submit('/orders/', drafted);
      expect(row).toEqual({
        pubkey,
        status: 'open',
        side: 'buy',
        price: '0.42',
        amount: '10',
        remaining_amount: '10',
        filled_amount: '0',
        funds: null,
        remaining_funds: null,
        filled_funds: null,
        market: { condition_id: market, title: 'Will it rain?' },
        outcome: { is_yes: true, text: 'Yes' },
      });
    });

    it('takes side and type in any case', async () => {
      const { row } = await maker.complete('/orders/', terms({ side: 'BUY', order_type: 'Limit' }));
      expect(row).toMatchObject({ status: 'open', side: 'buy' });
    });

    it.each([
      ['market_condition_id', [undefined, null, 5, '', 'unknown', NOBODY]],
      ['is_yes', [undefined, null, 'true', 1]],
      ['side', [undefined, null, 'hold', '', 5]],
      ['order_type', [undefined, null, 'stop', '', 5]],
      ['price', [undefined, null, 0.42, '', 'x', '0', '1', '-0.42', '0.421234', '1.01', '4e-1', ' 0.42', 'NaN']],
      ['amount', [undefined, null, 10, '', 'x', '0', '-10', '1e1', '0.0000001', '99999999999999', 'Infinity']],
    ])('is refused for its %s, which the details name', async (field, values) => {
      for (const value of values) expect([value, await draft({ [field]: value })]).toMatchObject([value, named(field)]);
    });

    it('is refused without funds or shares, after everything else', async () => {
      expect((await draft({ amount: '90000', price: '0.9' })).slug).toBe('order_insufficient_funds');
      expect((await draft({ side: 'sell' })).slug).toBe('order_insufficient_shares');
      await venue.paper(`/markets/${market}/state/`, { state: 'answer_proposed' });
      expect((await draft({ amount: '90000', price: '0.9' })).slug).toBe('order_market_not_open');
      expect((await draft({ price: '7' })).named).toEqual(['price']);
    });

    it('is submitted once, by its owner, with the right signature', async () => {
      const drafted = await draft();
      const path = `/orders/${drafted.row['pubkey']}/submit/`;
      const signature = maker.sign(drafted.row['message']);
      for (const wrong of [undefined, null, '', 5, 'ab', 'zz'.repeat(64), `${signature}ab`, `0x${signature}ab`])
        expect([wrong, await maker.post(path, { signature: wrong })]).toMatchObject([wrong, named('signature')]);
      expect(await maker.post(path, { signature: taker.sign(drafted.row['message']) })).toMatchObject(
        named('signature'),
      );
      expect((await taker.post(path, { signature })).slug).toBe('not_found');
      expect((await taker.post(path, {})).slug).toBe('invalid_request_params');
      expect((await maker.post(path, { signature: `0x${signature}` })).row).toMatchObject({ status: 'open' });
      expect(await maker.post(path, { signature })).toMatchObject({ status: 400, slug: 'invalid_program_call_status' });
    });
  });

  describe('a match', () => {
    it('fills in parts, at the resting price, and is told to both sides and to the public', async () => {
      await maker.split(market, '20');
      const resting = await maker.limit(market, true, 'sell', '0.4', '10');
      const bought = await taker.limit(market, true, 'buy', '0.45', '4');
      expect(bought.row).toMatchObject({ status: 'filled', filled_amount: '4', remaining_amount: '0' });
      const path = `/orders/${resting.row['pubkey']}/`;
      expect((await maker.get(path)).row).toMatchObject({ status: 'partially_filled', filled_amount: '4' });
      const [fill] = (await taker.get(`/trades/?market_condition_id=${market}`)).rows;
      expect(fill).toMatchObject({ amount: '4', price: '0.4', is_maker: false, fee: '0.016', state: 'done' });
      expect(fill?.['order']).toMatchObject({ pubkey: bought.row['pubkey'] });
      const [made] = (await maker.get(`/trades/?market_condition_id=${market}`)).rows;
      expect(made).toMatchObject({ amount: '4', price: '0.4', is_maker: true });
      expect(made?.['order']).toMatchObject({ pubkey: resting.row['pubkey'], status: 'partially_filled' });
      const [told] = (await venue.get(`/markets/${market}/trades/`)).rows;
      expect(told).toMatchObject({
        market_condition_id: market,
        amount: '4',
        price: '0.4',
        is_yes: true,
        maker_fee: '0',
        taker_fee: '0.016',
        state: 'done',
      });
      expect((await maker.cancel(resting.row['pubkey'])).row).toMatchObject({
        status: 'partially_filled_canceled',
        filled_amount: '4',
        remaining_amount: '6',
      });
    });
  });

  describe('a market order', () => {
    it('buys for its funds, fee included, and cancels the rest', async () => {
      await maker.split(market, '10');
      await maker.limit(market, true, 'sell', '0.5', '10');
      const { row } = await marketOrder({ side: 'buy', funds: '8' });
      expect(row).toMatchObject({
        status: 'partially_filled_canceled',
        price: null,
        funds: '8',
        remaining_amount: null,
        filled_amount: null,
        filled_funds: '5.05',
        remaining_funds: '2.95',
        amount: null,
      });
    });
  });

  describe('a cancel', () => {
    it('is drafted with its own message and answers the order', async () => {
      const { row } = await maker.limit(market, true, 'buy', '0.5', '10');
      const path = `/orders/${row['pubkey']}/cancel/`;
      const drafted = await maker.post(path);
      expect(drafted.row).toMatchObject({ pubkey: row['pubkey'] });
      expect(drafted.row['message']).toMatch(
        `SVC draft v1 | cancel-order | Market: ${market} | Order: ${row['pubkey']} | Draft: ${row['pubkey']} | Expires: `,
      );
      for (const signature of [undefined, '', 'ab', 'ab'.repeat(65)])
        expect(await maker.post(`${path}submit/`, { signature })).toMatchObject(named('signature'));
      const signature = maker.sign(drafted.row['message']);
      expect((await taker.post(path)).slug).toBe('not_found');
      expect((await taker.post(`${path}submit/`, { signature })).slug).toBe('not_found');
      expect((await maker.post(`${path}submit/`, { signature })).row).toMatchObject({ status: 'canceled' });
      expect((await maker.post(`${path}submit/`, { signature })).slug).toBe('invalid_program_call_status');
      expect((await maker.post(path)).slug).toBe('order_not_cancelable');
      expect((await venue.get(`/markets/${market}/book/`)).row).toMatchObject({ bid: [], ask: [] });
    });
  });

  describe('the lists of orders and trades', () => {
    let who: Trader;
    const all = async (path: string, limit: number): Promise<Reply[]> => {
      const pages: Reply[] = [];
      let cursor: unknown = '';
      while (cursor !== null) {
        const page: Reply = await who.get(`${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
        pages.push(page);
        cursor = page.meta['next_cursor'];
      }
      return pages;
    };

    it('filter, page newest first without gap or repeat, and end in null', async () => {
      who = await Trader.join(venue);
      const made: unknown[] = [];
      for (const price of ['0.11', '0.12', '0.13', '0.14', '0.15'])
        made.unshift((await who.limit(market, price !== '0.13', 'buy', price, '10')).row['pubkey']);
      await who.cancel(made[0]);
      const pubkeys = ({ rows }: Reply) => rows.map((row) => row['pubkey']);
      const base = `/orders/?market_condition_id=${market}`;
      expect(pubkeys(await who.get(base))).toEqual(made);
      for (const limit of [1, 2, 5, 100]) {
        const pages = await all(base, limit);
        expect(pages.flatMap(pubkeys)).toEqual(made);
        expect(pages.length).toBe(Math.ceil(5 / limit));
      }
      expect(pubkeys(await who.get(`${base}&status=CANCELED`))).toEqual([made[0]]);
      expect(pubkeys(await who.get(`${base}&status=canceled,Open`))).toEqual(made);
      expect(pubkeys(await who.get(`${base}&is_yes=false`))).toEqual([made[2]]);
      expect(pubkeys(await who.get(`${base}&side=sell`))).toEqual([]);
      expect(pubkeys(await who.get(`/orders/?market_condition_id=${NOBODY}`))).toEqual([]);
      const [first] = await all(base, 2);
      const foreign = await maker.get(`/account/assets/?cursor=${first?.meta['next_cursor']}`);
      expect(foreign).toMatchObject(named('cursor'));
    });
  });

  describe('a book', () => {
    it('shows YES, mirrors it as NO, best first, as deep as asked', async () => {
      for (const price of ['0.3', '0.31', '0.32']) await maker.limit(market, true, 'buy', price, '10');
      await maker.limit(market, false, 'buy', '0.6', '7');
      const level = (price: string, total_amount: string) => ({ price, total_amount });
      const path = `/markets/${market}/book/`;
      const bid = [level('0.32', '10'), level('0.31', '10'), level('0.3', '10')];
      expect((await venue.get(path)).row).toEqual({ market, is_yes: true, bid, ask: [level('0.4', '7')] });
      expect((await venue.get(`${path}?is_yes=false`)).row).toEqual({
        market,
        is_yes: false,
        bid: [level('0.6', '7')],
        ask: [level('0.68', '10'), level('0.69', '10'), level('0.7', '10')],
      });
      expect((await venue.get(`${path}?depth=1`)).row).toMatchObject({ bid: bid.slice(0, 1) });
      expect((await venue.get(`/markets/${market}/price/`)).row).toMatchObject({ price: '0.36' });
      expect((await venue.get(`/markets/${market}/price/?is_yes=false`)).row).toMatchObject({ price: '0.64' });
    });
  });
}
