/** Information of a book about own orders that ended. */

import { describe, expect, it } from 'vitest';
import { isShortOfOwn } from '../../../src/trader/market/own-activity.js';
import { book, m, order } from './fixtures.js';

const SENT_MS = 10_000;
const bid = (price: number, amount: number, acceptedMs: number | null = 5000) =>
  order({ side: 'bid', priceMicros: m(price), remainingMicros: m(amount), acceptedMs });
const seen = (bids: readonly (readonly [number, number])[]) => book(bids, [[0.6, 10]]);

describe('a book shows less than what rests of ours', () => {
  it.each([
    ['where our level is gone', [[0.48, 5]], [bid(0.5, 10)], true],
    ['where our level holds less than we have there', [[0.5, 6]], [bid(0.5, 10)], true],
    ['where it holds less than our two orders there', [[0.5, 15]], [bid(0.5, 10), bid(0.5, 10)], true],
    ['where nothing is left on our side', [], [bid(0.5, 10)], true],
  ] as const)('%s', (_, bids, orders, short) => {
    expect(isShortOfOwn(seen(bids), orders, SENT_MS)).toBe(short);
  });

  it.each([
    ['where it holds ours and others', [[0.5, 25]], [bid(0.5, 10), bid(0.5, 10)]],
    ['where ours lies beyond the levels that it shows', [[0.52, 5]], [bid(0.5, 10)]],
    ['where ours was accepted after it was asked for', [[0.48, 5]], [bid(0.5, 10, SENT_MS)]],
    ['where ours is not known to rest', [[0.48, 5]], [bid(0.5, 10, null)]],
    ['where we have nothing', [[0.48, 5]], []],
  ] as const)('or not, %s', (_, bids, orders) => {
    expect(isShortOfOwn(seen(bids), orders, SENT_MS)).toBe(false);
  });
});
