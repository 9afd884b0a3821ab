/** The parts that strategies share: guards, fair value, ladders, markouts. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ONE } from '../../../src/shared/base/micros.js';
import { fairValue, MarkoutTracker } from '../../../src/trader/strategy/fair-value.js';
import { amountOnLot, ladder, passiveLimit, priceRange, whyNoQuotes } from '../../../src/trader/strategy/ladder.js';
import { book, m } from '../market/fixtures.js';
import { anyView, FACTS, stacked, VIEW, viewOf } from './fixtures.js';

describe('guards', () => {
  const setting = { maxBookAgeMs: 1000, jumpPauseMs: 5000, haltBeforeMs: 60_000 };
  const { health } = VIEW;
  test.each([
    [{ market: { ...FACTS, phase: 'answer_proposed' as const } }, 'the market is answer_proposed, not open'],
    [{ health: { ...health, crossed: true } }, 'crossed or locked'],
    [{ health: { ...health, locked: true } }, 'crossed or locked'],
    [{ health: { ...health, frozen: true } }, 'frozen'],
    [{ health: { ...health, bookAgeMs: 1001 } }, 'the book is 1001 ms old, at most 1000 ms are accepted'],
    [{ health: { ...health, sinceJumpMs: 4999 } }, 'the price jumped 4999 ms ago, quoting pauses for 5000 ms'],
    [{ timeToResolutionMs: 60_000 }, 'the market resolves in 60 s, quoting stops 60 s before that'],
  ])('%j', (changes, reason) => expect(whyNoQuotes({ ...VIEW, ...changes }, setting)).toContain(reason));

  test('nothing speaks against a sane market just within all limits', () => {
    const edge = { ...VIEW, timeToResolutionMs: 60_001, health: { ...health, bookAgeMs: 1000, sinceJumpMs: 5000 } };
    expect(whyNoQuotes(edge, setting)).toBeNull();
  });
});

describe('fair value', () => {
  const setting = { dustMicros: m(5), imbalanceWeight: 1, tradeWeight: 0.5, maxSpread: 0.2 };

  test('is the microprice without trades, the mid without belief in it', () => {
    const view = viewOf(book([[0.48, 30]], [[0.52, 10]]));
    expect(fairValue(view, { ...setting, maxSpread: 0.04 })).toMatchObject({ fair: 0.51, mid: 0.5, spread: 0.04 });
    expect(fairValue(view, { ...setting, imbalanceWeight: 0 })).toMatchObject({ fair: 0.5 });
  });

  test('does not see dust', () => {
    const dusty = stacked(book([[0.51, 1]], []), book([[0.48, 20]], [[0.52, 21]]));
    expect(fairValue(viewOf(dusty), setting)).toMatchObject({ bid: 0.48, fair: 0.5 });
  });

  test('leans on trades by their weight, but stays between bid and ask', () => {
    const view = viewOf(book([[0.48, 10]], [[0.52, 10]]));
    const traded = (tradePrice: number, tradeWeightShares: number) => ({
      ...view,
      estimates: { ...view.estimates, tradePrice, tradeWeightShares },
    });
    expect(fairValue(traded(0.52, 20), setting)).toMatchObject({ fair: expect.closeTo(0.505, 9) });
    expect(fairValue(traded(0.9, 1e9), setting)).toMatchObject({ fair: 0.52 });
  });

  test.each([
    ['an empty side', book([[0.48, 10]], [])],
    ['a side of nothing but dust', book([[0.48, 10]], [[0.52, 4]])],
    ['a spread that says nothing', book([[0.3, 10]], [[0.7, 10]])],
    ['a crossed book', book([[0.53, 10]], [[0.52, 10]])],
  ])('has no default: %s gives none', (_, others) => {
    expect(fairValue(viewOf(others), setting)).toContain('no fair price');
  });
});

describe('ladders', () => {
  const wish = { side: 'bid', price: 0.497, stepTicks: 2, levels: 3, levelShares: 10, totalShares: 25 } as const;

  test('are rounded away from the middle, stepped, and bounded in sum', () => {
    expect(ladder(wish, FACTS)).toEqual([
      { priceMicros: m(0.49), amountMicros: m(10) },
      { priceMicros: m(0.47), amountMicros: m(10) },
      { priceMicros: m(0.45), amountMicros: m(5) },
    ]);
    expect(ladder({ ...wish, side: 'ask', price: 0.501, levels: 1 }, FACTS)[0]?.priceMicros).toBe(m(0.51));
  });

  test('end where prices or amounts end', () => {
    expect(ladder({ ...wish, price: 0.02 }, FACTS)).toHaveLength(1);
    expect(ladder({ ...wish, totalShares: 10.5 }, FACTS)).toHaveLength(1);
    expect(ladder({ ...wish, levelShares: 0.5 }, FACTS)).toEqual([]);
    expect(ladder({ ...wish, price: Number.NaN }, FACTS)).toEqual([]);
    expect(ladder({ ...wish, levelShares: Number.POSITIVE_INFINITY }, FACTS)).toEqual([]);
  });

  test('do not lose a tick to the error of a float', () => {
    expect(ladder({ ...wish, price: 0.1 + 0.2 }, FACTS)[0]?.priceMicros).toBe(m(0.3));
    expect(ladder({ ...wish, price: 0.58 - 0.01 }, FACTS)[0]?.priceMicros).toBe(m(0.57));
  });

  test('stay where both outcomes have a price', () => {
    expect(priceRange(FACTS)).toEqual({ low: m(0.01), high: m(0.99) });
    expect(priceRange({ ...FACTS, maxPriceMicros: m(0.953) })).toEqual({ low: m(0.05), high: m(0.95) });
    expect(priceRange({ ...FACTS, minPriceMicros: m(0.6) })).toBeNull();
  });

  test('a passive limit never crosses the orders of others', () =>
    fc.assert(
      fc.property(anyView, ({ others, market: { tickMicros } }) => {
        const [bid, ask] = [passiveLimit(others, 'bid', tickMicros), passiveLimit(others, 'ask', tickMicros)];
        expect(bid).toBeLessThan(others.asks[0]?.priceMicros ?? ONE + 1);
        expect(ask).toBeGreaterThan(others.bids[0]?.priceMicros ?? -1);
      }),
    ));

  test.each([
    [12.349, m(12.34)],
    [0.99, null],
    [1, m(1)],
    [1e6, m(10_000)],
    [-5, null],
  ])('%d shares are %s as an amount', (shares, amount) => expect(amountOnLot(shares, FACTS)).toBe(amount));
});

describe('markouts', () => {
  const tracker = () => new MarkoutTracker({ horizonMs: 1000, halfLifeMs: 10_000, priorShares: 10 });
  const fill = (side: 'bid' | 'ask', nowMs: number) =>
    ({ kind: 'fill', nowMs, side, priceMicros: m(0.5), amountMicros: m(10), isMaker: true }) as const;

  /** A tracker with a fill at the fair price. */
  const filled = (side: 'bid' | 'ask') => {
    const filled = tracker();
    filled.fair(0, 0.5);
    filled.fill(fill(side, 100));
    return filled;
  };

  test('a purchase before a fall and a sale before a rise both cost', () => {
    const bought = filled('bid');
    bought.fair(600, 0.4);
    expect(bought.adverseMove).toBe(0);
    bought.fair(1100, 0.46);
    expect(bought.adverseMove).toBeCloseTo((10 * 0.04) / 20, 9);
    const sold = filled('ask');
    sold.fair(1100, 0.54);
    expect(sold.adverseMove).toBeCloseTo((10 * 0.04) / 20, 9);
  });

  test('what moves in our favour counts against it, but never below zero', () => {
    const lucky = filled('bid');
    lucky.fair(1100, 0.6);
    expect(lucky.adverseMove).toBe(0);
  });

  test('judgements are forgotten, and a fill before any fair price is not judged', () => {
    const old = tracker();
    old.fill(fill('bid', 0));
    old.fair(5000, 0.1);
    expect(old.adverseMove).toBe(0);
    old.fill(fill('ask', 5000));
    old.fair(6000, 0.5);
    const fresh = old.adverseMove;
    old.fair(200_000, 0.5);
    expect(old.adverseMove).toBeLessThan(fresh / 1000);
  });
});
