/** The life of an order: draft, submit, partial fill, cancel, errors, lists. */

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOBODY, named, Trader, type Venue } from './stranger.js';

export function orders(venue: Venue): void {
  let maker: Trader;
  let taker: Trader;
  let market: string;

  beforeAll(async () => ([maker, taker] = [await Trader.join(venue), await Trader.join(venue)]));
  beforeEach(async () => (market = await venue.market()));

  const TERMS = { is_yes: true, side: 'buy', order_type: 'limit', price: '0.42', amount: '10' };
  const draft = (change: object = {}) => maker.post('/orders/', { market_condition_id: market, ...TERMS, ...change });

  describe('an order', () => {
    it('is drafted, with side and type in any case, signed over its readable message, and rests', async () => {
      const drafted = await draft({ side: 'BUY', order_type: 'Limit' });
      const { pubkey, message } = drafted.row;
      const expiry = /\d+$/.exec(String(message))?.[0];
      expect(message).toBe(
        `SVC draft v1 | place-order | Market: ${market} | Outcome: YES, Side: buy, Type: limit, Price: 0.42, ` +
          `Amount: 10 | Draft: ${pubkey} | Expires: ${expiry}`,
      );
      expect([58, 59, 60, 61]).toContain(Number(expiry) - venue.nowS);
      expect((await maker.get(`/orders/${pubkey}/`)).row).toMatchObject({ status: 'waiting_to_sign', pubkey });
      const { row } = await maker.submit('/orders/', drafted);
      const place = {
        market: { condition_id: market, title: 'Will it rain?' },
        outcome: { is_yes: true, text: 'Yes' },
      };
      const amounts = { price: '0.42', amount: '10', remaining_amount: '10', filled_amount: '0' };
      const noFunds = { funds: null, remaining_funds: null, filled_funds: null };
      expect(row).toEqual({ pubkey, status: 'open', side: 'buy', ...amounts, ...noFunds, ...place });
    });

    it.each([
      ['market_condition_id', [null, 5, '', 'unknown', NOBODY]],
      ['is_yes', [null, 'true', 1]],
      ['side', [null, 'hold', '', 5]],
      ['order_type', [null, 'stop', '', 5]],
      ['price', [undefined, 0.42, '', 'x', '0', '1', '-0.42', '0.421234', '4e-1', ' 0.42', 'NaN']],
      ['amount', [undefined, 10, '', 'x', '0', '-10', '1e1', '0.0000001', '99999999999999', 'Infinity']],
    ])('is refused for its %s, which the details name', async (field, values) => {
      for (const value of values) expect([value, await draft({ [field]: value })]).toMatchObject([value, named(field)]);
    });

    it('is refused without funds or shares, and on a market that is not open', async () => {
      expect((await draft({ amount: '90000', price: '0.9' })).slug).toBe('order_insufficient_funds');
      expect((await draft({ side: 'sell' })).slug).toBe('order_insufficient_shares');
      await venue.paper(`/markets/${market}/state/`, { state: 'answer_proposed' });
      expect((await draft()).slug).toBe('order_market_not_open');
    });

    it('is submitted once, by its owner, with the right signature', async () => {
      const drafted = await draft();
      const path = `/orders/${drafted.row['pubkey']}/submit/`;
      const signature = maker.sign(drafted.row['message']);
      const foreign = taker.sign(drafted.row['message']);
      const wrong = [undefined, null, '', 5, 'ab', '0x', 'zz'.repeat(64), `${signature}a`, `0x${signature}a`, foreign];
      for (const each of wrong)
        expect([each, await maker.post(path, { signature: each })]).toMatchObject([each, named('signature')]);
      expect((await taker.post(path, { signature })).slug).toBe('not_found');
      const capitals = `0x${signature.toUpperCase()}`;
      expect((await maker.post(path, { signature: capitals })).row).toMatchObject({ status: 'open' });
      expect((await maker.post(path, { signature })).slug).toBe('invalid_program_call_status');
    });
  });

  describe('a match', () => {
    it('is listed for both sides and for the public', async () => {
      await maker.split(market, '20');
      const resting = await maker.limit(market, true, 'sell', '0.4', '10');
      const bought = await taker.limit(market, true, 'buy', '0.45', '4');
      expect(bought.row).toMatchObject({ status: 'filled', filled_amount: '4', remaining_amount: '0' });
      const fill = { market_condition_id: market, amount: '4', price: '0.4', state: 'done' };
      const path = `/trades/?market_condition_id=${market}`;
      const taken = { ...fill, is_maker: false, fee: '0.016', order: { pubkey: bought.row['pubkey'] } };
      expect((await taker.get(path)).rows).toMatchObject([taken]);
      const made = { ...fill, is_maker: true, order: { pubkey: resting.row['pubkey'], status: 'partially_filled' } };
      expect((await maker.get(path)).rows).toMatchObject([made]);
      const published = { ...fill, is_yes: true, maker_fee: '0', taker_fee: '0.016' };
      expect((await venue.get(`/markets/${market}/trades/`)).rows).toMatchObject([published]);
      const span = `start_time=${venue.nowS - 600}&end_time=${venue.nowS + 60}&interval=5m`;
      const { rows, meta } = await venue.get(`/markets/${market}/candles/?${span}&is_yes=false`);
      expect([rows, meta]).toMatchObject([[{ open: '0.6', volume: '1.6', is_yes: false }], { is_yes: false }]);
      const { row } = await maker.cancel(resting.row['pubkey']);
      expect(row).toMatchObject({ status: 'partially_filled_canceled', filled_amount: '4', remaining_amount: '6' });
    });
  });

  describe('a cancel', () => {
    it('is drafted with its own message and answers the order', async () => {
      const { row } = await maker.limit(market, true, 'buy', '0.5', '10');
      const path = `/orders/${row['pubkey']}/cancel/`;
      const drafted = await maker.post(path);
      expect(drafted.row['message']).toMatch(
        `SVC draft v1 | cancel-order | Market: ${market} | Order: ${row['pubkey']} | Draft: ${row['pubkey']} | Expires: `,
      );
      const foreign = taker.sign(drafted.row['message']);
      expect(await maker.post(`${path}submit/`, { signature: foreign })).toMatchObject(named('signature'));
      const signature = maker.sign(drafted.row['message']);
      expect((await taker.post(path)).slug).toBe('not_found');
      expect((await taker.post(`${path}submit/`, { signature })).slug).toBe('not_found');
      expect((await maker.post(`${path}submit/`, { signature })).row).toMatchObject({ status: 'canceled' });
      expect((await maker.post(path)).slug).toBe('order_not_cancelable');
    });
  });

  describe('the list of orders', () => {
    it('filters, pages newest first without gap or repeat, and ends in null', async () => {
      const who = await Trader.join(venue);
      const made: unknown[] = [];
      for (const price of ['0.11', '0.12', '0.13', '0.14', '0.15'])
        made.unshift((await who.limit(market, price !== '0.13', 'buy', price, '10')).row['pubkey']);
      await who.cancel(made[0]);
      const pubkeys = async (filter: string, limit: number) =>
        (await who.pages(`/orders/?market_condition_id=${market}${filter}`, limit)).map((rows) =>
          rows.map((row) => row['pubkey']),
        );
      expect(await pubkeys('', 5)).toEqual([made]);
      expect(await pubkeys('', 2)).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
      expect(await pubkeys('&status=canceled,Open&is_yes=true&side=buy', 5)).toEqual([made.toSpliced(2, 1)]);
      const { meta } = await who.get('/orders/?limit=2');
      expect(await who.get(`/account/assets/?cursor=${meta['next_cursor']}`)).toMatchObject(named('cursor'));
    });
  });

  describe('a book', () => {
    it('shows YES unless NO is asked for, as deep as asked', async () => {
      for (const price of ['0.3', '0.31']) await maker.limit(market, true, 'buy', price, '10');
      const path = `/markets/${market}/book/?depth=1`;
      const bid = [{ price: '0.31', total_amount: '10' }];
      expect((await venue.get(path)).row).toEqual({ market, is_yes: true, bid, ask: [] });
      const ask = [{ price: '0.69', total_amount: '10' }];
      expect((await venue.get(`${path}&is_yes=false`)).row).toEqual({ market, is_yes: false, bid: [], ask });
      expect((await venue.get(`/markets/${market}/price/?is_yes=false`)).row).toMatchObject({ price: '0.69' });
    });
  });
}
