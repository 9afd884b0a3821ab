import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { VENUE_BOOKS } from '../../../src/shell/feeds/feeds.js';
import { readRow } from '../../../src/shell/feeds/inbox.js';

const NOW_MS = 1_770_000_000_000;
const ROW = { market: 'M', p: 0.6, at: NOW_MS };
const VALUE = { conditionId: 'M', p: 0.6, bid: null, ask: null, sd: null, atMs: NOW_MS, validUntilMs: null };

describe('a row of a feed', () => {
  it('is a price, or a bid and an ask, with its time', () => {
    expect(readRow(ROW, NOW_MS)).toEqual(VALUE);
    expect(readRow({ market: 'M', bid: 0.4, ask: 0.5, sd: 0, at: '2026-01-01T00:00:00+01:00' }, NOW_MS)).toEqual({
      ...VALUE,
      p: null,
      bid: 0.4,
      ask: 0.5,
      sd: 0,
      atMs: Date.UTC(2025, 11, 31, 23),
    });
    expect(readRow({ ...ROW, sd: null, valid_until: NOW_MS + 5 }, NOW_MS)).toEqual({
      ...VALUE,
      validUntilMs: NOW_MS + 5,
    });
  });

  it('that is a moment ahead of our clock holds now', () => {
    expect(readRow({ ...ROW, at: NOW_MS + 900 }, NOW_MS)).toEqual(VALUE);
  });

  test.each<readonly [raw: unknown, text: string]>([
    [{ ...ROW, p: 1.2 }, 'p: wants a number below 1, got 1.2'],
    [{ ...ROW, p: 0 }, 'p: wants a number above 0, got 0'],
    [{ ...ROW, p: Number.NaN }, 'p: wants a number, got NaN'],
    [{ ...ROW, p: Number.POSITIVE_INFINITY }, 'p: wants a number, got Infinity'],
    [{ ...ROW, p: '0.6' }, 'p: wants a number, got "0.6"'],
    [{ ...ROW, sd: -0.1 }, 'sd: wants 0 or more, got -0.1'],
    [{ market: 'M', p: 0.6 }, 'at: missing'],
    [{ p: 0.6, at: NOW_MS }, 'market: missing'],
    [
      { ...ROW, at: 1_770_000_000 },
      'at: wants Unix time in ms, or a text such as 2026-03-01T12:00:00Z, got 1770000000',
    ],
    [{ ...ROW, at: NOW_MS + 60_000 }, "at: is 60 s ahead of this machine's clock"],
    [{ ...ROW, prob: 1 }, 'unknown key "prob"; known are market, p, bid, ask, sd, at, valid_until'],
    [{ market: 'M', bid: 0.5, at: NOW_MS }, 'wants either p, or bid and ask'],
    [{ market: 'M', bid: 0.5, ask: 0.5, at: NOW_MS }, 'the bid is not below the ask'],
    [{ ...ROW, bid: 0.5, ask: 0.6 }, 'wants either p, or bid and ask'],
    [{ ...ROW, market: '\u001b[2J'.repeat(50) }, 'market: is too long'],
  ])('%j is left out with the reason', (raw, text) => {
    const read = readRow(raw, NOW_MS);
    expect('kind' in read ? read.text : read).toContain(text);
  });

  it('is read or refused in words, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        const read = readRow(raw, NOW_MS);
        expect('kind' in read ? read.text : '').not.toMatch(/[\p{C}]/u);
      }),
    );
  });
});

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
