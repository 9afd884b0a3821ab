import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { micros, ONE } from '../../../src/shared/base/micros.js';
import { micropriceOf, midOf, mirror, readBook, sameBook, touchOf } from '../../../src/trader/market/book.js';
import { forAll } from '../for-all.js';
import { book, levels, m, snapshot } from './fixtures.js';

test('a snapshot is sorted, joined and freed of levels that cannot be', () => {
  const read = readBook(snapshot(levels('0.4x5 0.45x1 0.4x2 0x9'), levels('0.6x3 0.55x0 0.5x4')));
  expect([read.book, read.droppedLevels]).toEqual([book(levels('0.45x1 0.4x7'), levels('0.5x4 0.6x3')), 2]);
});

test('a NO snapshot is read as its mirror image', () => {
  const yes = readBook(snapshot([[0.4, 5]], [[0.45, 7]])).book;
  expect(sameBook(yes, readBook(snapshot([[0.55, 7]], [[0.6, 5]], false)).book)).toBe(true);
});

test('the mirror image of the mirror image is the book itself', () => {
  const level = fc.record({
    priceMicros: fc.integer({ min: 1, max: ONE - 1 }).map(micros),
    amountMicros: fc.integer({ min: 1, max: 10 ** 12 }).map(micros),
  });
  forAll([fc.record({ bids: fc.array(level), asks: fc.array(level) })], (any) => {
    expect(mirror(mirror(any))).toEqual(any);
  });
});

describe('figures', () => {
  test('the microprice lies nearer to the side with fewer shares', () => {
    const heavyBid = book([[0.4, 30]], [[0.5, 10]]);
    expect(midOf(heavyBid)).toBeCloseTo(0.45, 12);
    expect(micropriceOf(heavyBid)).toBeCloseTo((0.5 * 30 + 0.4 * 10) / 40, 12);
  });

  test('there is none when a side is empty or the book is crossed', () => {
    expect(midOf(book([], [[0.5, 1]]))).toBeNull();
    expect(micropriceOf(book([[0.6, 1]], [[0.5, 1]]))).toBeNull();
  });

  test('dust does not make a touch, however much of it stands there together', () => {
    const dusty = book(levels('0.49x1 0.48x2 0.45x50'), [[0.5, 100]]);
    expect(touchOf(dusty, m(5))?.bid).toEqual({ priceMicros: m(0.45), amountMicros: m(53) });
    expect(touchOf(dusty, m(54))).toBeNull();
  });
});
