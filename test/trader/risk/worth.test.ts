import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAtPrice, valueByDepth } from '../../../src/trader/engine/own/account.js';
import type { Book } from '../../../src/trader/market/view.js';
import { m, ONE } from './states.js';

const level = (price: number, shares: number) => ({
  priceMicros: m(Math.round(price * ONE)),
  amountMicros: m(Math.round(shares * ONE)),
});
const BOOK: Book = { bids: [level(0.6, 10), level(0.5, 20)], asks: [level(0.7, 30), level(0.8, 5)] };
const NO_CAPS = { yesMicros: m(ONE), noMicros: m(ONE) };
const shares = (yes: number, no: number) => ({ yesMicros: m(yes * ONE), noMicros: m(no * ONE) });

describe('the worth of holdings', () => {
  it.each([
    { what: 'YES within the best bid', yes: 10, no: 0, worth: 6 },
    { what: 'YES beyond the best bid', yes: 15, no: 0, worth: 6 + 2.5 },
    { what: 'YES beyond all bids', yes: 1000, no: 0, worth: 6 + 10 },
    { what: 'NO at asks of YES', yes: 0, no: 31, worth: 30 * 0.3 + 0.2 },
    { what: 'NO beyond all asks', yes: 0, no: 1000, worth: 30 * 0.3 + 5 * 0.2 },
    { what: 'complete sets, which need no buyer', yes: 500, no: 500, worth: 500 },
    { what: 'sets with YES left over', yes: 510, no: 500, worth: 506 },
    { what: 'nothing', yes: 0, no: 0, worth: 0 },
  ])('is by depth what others pay for that many: $what', ({ yes, no, worth }) => {
    expect(valueByDepth(shares(yes, no), BOOK, NO_CAPS) / ONE).toBeCloseTo(worth, 6);
  });

  it.each([
    { yes: 10, no: 0, caps: [0.5, 0.4] as const, worth: 5 },
    { yes: 0, no: 10, caps: [0.5, 0.25] as const, worth: 2.5 },
    { yes: 10, no: 10, caps: [0.1, 0.1] as const, worth: 10 },
  ])('is never above the cap of the outcome: $yes YES, $no NO', ({ yes, no, caps: [yesCap, noCap], worth }) => {
    const caps = { yesMicros: m(yesCap * ONE), noMicros: m(noCap * ONE) };
    expect(valueByDepth(shares(yes, no), BOOK, caps)).toBe(worth * ONE);
    expect(valueAtPrice(shares(yes, no), m(650_000), caps)).toBe(worth * ONE);
  });

  it('is unknown without a price, unless only sets are held', () => {
    expect(valueAtPrice(shares(3, 2), null, NO_CAPS)).toBeNull();
    expect(valueAtPrice(shares(2, 2), null, NO_CAPS)).toBe(2 * ONE);
  });

  it('is the same for both outcomes of a mirrored book', () => {
    const price = fc.integer({ min: 1, max: 99 }).map((cents) => m(cents * 10_000));
    const amount = fc.integer({ min: 0, max: 50_000 }).map((cents) => m(cents * 10_000));
    const side = fc.array(fc.record({ priceMicros: price, amountMicros: amount }), { maxLength: 5 });
    fc.assert(
      fc.property(side, side, amount, amount, price, price, (bids, asks, yes, no, yesMicros, noMicros) => {
        const mirrored = (levels: typeof bids) =>
          levels.map(({ priceMicros, amountMicros }) => ({ priceMicros: m(ONE - priceMicros), amountMicros }));
        const value = valueByDepth({ yesMicros: yes, noMicros: no }, { bids, asks }, { yesMicros, noMicros });
        const other = valueByDepth(
          { yesMicros: no, noMicros: yes },
          { bids: mirrored(asks), asks: mirrored(bids) },
          { yesMicros: noMicros, noMicros: yesMicros },
        );
        expect(value).toBe(other);
      }),
    );
  });
});
