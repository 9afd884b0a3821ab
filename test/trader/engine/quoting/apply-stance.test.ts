import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, micros } from '../../../../src/shared/base/micros.js';
import { applyStance } from '../../../../src/trader/engine/quoting/quote-slot.js';
import type { MarketView, Stance } from '../../../../src/trader/market/view.js';
import { checkQuotes } from '../../../../src/trader/strategy/check.js';
import { NO_QUOTES, type Quotes } from '../../../../src/trader/strategy/contract.js';
import { VIEW } from '../../strategy/fixtures.js';
import { forAll } from '../../for-all.js';

const { market } = VIEW;
const { tickMicros, lotMicros, minAmountMicros } = market;

const view = (stance: Stance, netMicros = 0): MarketView => ({
  ...VIEW,
  stance,
  inventory: { ...VIEW.inventory, netMicros: micros(netMicros) },
});

/** Possible quotes of a sound strategy: ladders on the grid that do not cross, on either side of any fair value. */
const quotes: fc.Arbitrary<Quotes> = fc
  .record({
    fair: fc.integer({ min: 1, max: 999_999 }),
    middle: fc.integer({ min: 12, max: 88 }),
    bids: fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { maxLength: 4 }),
    asks: fc.uniqueArray(fc.integer({ min: 0, max: 10 }), { maxLength: 4 }),
    lots: fc.integer({ min: 0, max: 5_000 }),
  })
  .map(({ fair, middle, bids, asks, lots }) => {
    const level = (ticks: number) => ({
      priceMicros: micros(ticks * tickMicros),
      amountMicros: micros(minAmountMicros + lots * lotMicros),
    });
    const ascending = (a: number, b: number) => a - b;
    return {
      ...NO_QUOTES('any'),
      fairMicros: micros(fair),
      bids: [...bids].sort(ascending).map((below) => level(middle - below)),
      asks: [...asks].sort(ascending).map((above) => level(middle + above)),
    };
  });

const distance = fc.integer({ min: 1, max: 300_000 }).map((value): Micros => micros(value));
const sum = (levels: Quotes['bids']) => levels.reduce((total, { amountMicros }) => total + amountMicros, 0);

describe('quotes under a stance', () => {
  it('are what the strategy wished while all is well', () => {
    forAll([quotes, distance], (wish, far) => applyStance(wish, view('normal'), far) === wish);
  });

  it('keep their distance from the fair value when widened, never come nearer, and stay sound', () => {
    forAll([quotes, distance], (wish, far) => {
        const made = applyStance(wish, view('widen'), far);
        const fair = wish.fairMicros ?? 0;
        expect(checkQuotes(made, VIEW)).toBeNull();
        for (const { priceMicros } of made.bids) expect(priceMicros).toBeLessThanOrEqual(fair - far);
        for (const { priceMicros } of made.asks) expect(priceMicros).toBeGreaterThanOrEqual(fair + far);
        for (const side of ['bids', 'asks'] as const) {
          expect(sum(made[side])).toBeLessThanOrEqual(sum(wish[side]));
          const isFar = (price: number) => (side === 'bids' ? price <= fair - far : price >= fair + far);
          // Levels that were already far enough stay.
          for (const { priceMicros } of wish[side].filter((level) => isFar(level.priceMicros))) {
            expect(made[side].map((level) => level.priceMicros)).toContain(priceMicros);
          }
        }
      });
  });

  it('leave a level that is far enough where it is, and drop probes', () => {
    const level = (price: number) => ({ priceMicros: micros(price * 1_000_000), amountMicros: micros(10_000_000) });
    const wish: Quotes = {
      ...NO_QUOTES('any'),
      fairMicros: micros(500_000),
      bids: [...[0.49, 0.48, 0.45, 0.4].map(level), { ...level(0.3), isProbe: true }],
      asks: [0.51, 0.55].map(level),
    };
    const made = applyStance(wish, view('widen'), micros(30_000));
    expect(made.bids).toEqual([0.47, 0.45, 0.4].map(level));
    expect(made.asks).toEqual([0.53, 0.55].map(level));
    expect(applyStance(wish, view('widen'), micros(600_000))).toMatchObject({ bids: [], asks: [] });
  });

  it('only bring the net position towards zero when reducing, however much is held', () => {
    const net = fc.integer({ min: -400_000_000, max: 400_000_000 });
    forAll([quotes, net], (wish, held) => {
        const made = applyStance(wish, view('reduce-only', held), micros(20_000));
        expect(checkQuotes(made, VIEW)).toBeNull();
        const [adding, reducing] = held > 0 ? (['bids', 'asks'] as const) : (['asks', 'bids'] as const);
        expect(made[adding]).toEqual([]);
        expect(sum(made[reducing])).toBeLessThanOrEqual(Math.abs(held));
        // Never less than possible: the whole wish, or all but a rest that is too small for an order.
        const missing = Math.min(sum(wish[reducing]), Math.abs(held)) - sum(made[reducing]);
        expect(missing).toBeLessThan(minAmountMicros + lotMicros);
        for (const { priceMicros } of made[reducing])
          expect(wish[reducing].map((one) => one.priceMicros)).toContain(priceMicros);
      });
  });

  it('are none where the strategy wants none', () => {
    const none = NO_QUOTES('nothing');
    for (const stance of ['normal', 'widen', 'reduce-only'] as const) {
      expect(applyStance(none, view(stance, 5_000_000), micros(20_000))).toMatchObject({ bids: [], asks: [] });
    }
  });
});
