/** Other venues' answers as the best bid and ask of YES. */

import { describe, expect, it } from 'vitest';
import { VENUE_BOOKS } from '../../../src/shell/feeds/venue-feed.js';

const { polymarket, kalshi } = VENUE_BOOKS;

describe('a book of Polymarket', () => {
  const level = (price: string, size = '10') => ({ price, size });

  it('has its best prices wherever they stand', () => {
    const bids = [level('0.01'), level('0.46'), level('0.47')];
    const asks = [level('0.99'), level('0.49'), level('0.48', '0')];
    expect(polymarket.read('7', { asset_id: '7', bids, asks })).toEqual({ bid: 0.47, ask: 0.49 });
    expect(polymarket.path('7 8')).toBe('/book?token_id=7%208');
  });

  it('with one side, or crossed, says nothing', () => {
    expect(polymarket.read('7', { bids: [level('0.4')], asks: [] })).toBeNull();
    expect(polymarket.read('7', { bids: [level('0.5')], asks: [level('0.5')] })).toBeNull();
  });

  it('that is none, or of another token, is an error', () => {
    for (const answer of [
      null,
      [],
      'x',
      {},
      { bids: 1, asks: [] },
      { bids: [level('1.2')], asks: [] },
      { bids: [1], asks: [] },
    ])
      expect(() => polymarket.read('7', answer)).toThrow(/its answer is no book|a level of its book is none/);
    expect(() => polymarket.read('7', { asset_id: '8', bids: [], asks: [] })).toThrow(/another token/);
  });
});

describe('a book of Kalshi', () => {
  it('is made of bids for YES and for NO, in dollars or in cents', () => {
    const expected = { bid: 0.21, ask: 0.24 };
    const [yes, no] = [
      [
        ['0.0100', '344.78'],
        ['0.2100', '5'],
      ],
      [['0.7600', '70.00']],
    ];
    expect(kalshi.read('T', { orderbook_fp: { yes_dollars: yes, no_dollars: no } })).toEqual(expected);
    expect(kalshi.read('T', { orderbook: { yes_dollars_fp: yes, no_dollars_fp: no } })).toEqual(expected);
    expect(
      kalshi.read('T', {
        orderbook: {
          yes: [
            [1, 10],
            [21, 5],
          ],
          no: [[76, 70]],
        },
      }),
    ).toEqual(expected);
  });

  it('without a side says nothing, and what is none is an error', () => {
    expect(kalshi.read('T', { orderbook: { yes: [[21, 5]], no: null } })).toBeNull();
    for (const answer of [
      {},
      { orderbook: [] },
      { orderbook: { yes: 3 } },
      { orderbook: { yes: [[0, 1]] } },
      { orderbook: { yes: [7] } },
    ])
      expect(() => kalshi.read('T', answer)).toThrow(/its answer is no book|a level of its book is none/);
  });
});
