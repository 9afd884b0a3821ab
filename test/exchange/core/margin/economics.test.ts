import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as economics from '../../../../src/exchange/core/margin/economics.js';
import { timesDown, timesUp } from '../../../../src/exchange/core/money.js';
import { m } from '../venue.js';

const DAY_MS = 86_400_000;

type Exposure = Parameters<typeof economics.averageEntry>[0];

/** 100 of own funds at leverage 2.5 and 0.4: 250 in all, 625 shares, 150 borrowed. */
const position: Exposure = {
  shares: m(625),
  cost: m(250),
  userLiquidity: m(100),
  totalLiquidity: m(250),
  interest: 0,
  interestSinceMs: 0,
};
/** A yearly rate of a tenth of the loan. */
const RATE = m('0.1');

describe('opening', () => {
  it.each([
    // funds, leverage, price, step, total, shares
    ['100', '2.5', '0.4', 1, '250', '625'],
    ['100', '1', '0.5', 1, '100', '200'],
    ['5', '3', '0.07', 1, '15', '214.285714'],
    ['5', '3', '0.07', 10_000, '15', '214.28'],
    ['5', '3', '0.07', 1_000_000, '15', '214'],
    ['7.000001', '1.5', '0.333333', 1, '10.500001', '31.500034'],
    ['1', '1000', '0.999999', 1, '1000', '1000.001'],
  ] as const)(
    '%s at leverage %s and price %s in steps of %s is %s and buys %s',
    (funds, leverage, price, step, total, shares) => {
      expect(economics.applyLeverage(m(funds), m(leverage))).toBe(m(total));
      expect(economics.sharesFor(m(total), m(price), step)).toBe(m(shares));
    },
  );

  it.each([
    // shares, price, leverage, total, user's part
    ['100', '0.4', '2.5', '40', '16'],
    ['100', '0.4', '3', '40', '13.333334'],
    ['0.000001', '0.5', '2', '0.000001', '0.000001'],
  ])('%s shares at %s and leverage %s take %s, of it %s of the user', (shares, price, leverage, total, user) => {
    expect(timesUp(m(price), m(shares))).toBe(m(total));
    expect(economics.userPart(m(total), m(leverage))).toBe(m(user));
  });

  it('buys nothing that a position cannot hold', () =>
    expect(economics.sharesFor(m(1_000_000_000), m('0.000001'), 1)).toBeNull());

  it.each([
    ['357.142857', '0.7'],
    ['833.333333', '0.3'],
    ['1.000001', '0.999999'],
  ])('shows the price at which %s shares were bought, %s', (shares, price) => {
    const bought = { ...position, shares: m(shares), cost: timesDown(m(price), m(shares)) };
    expect(economics.averageEntry(bought)).toBe(m(price));
  });

  it('shows the average of an increased position', () => {
    // 625 at 0.4 and 100 at 0.6, the second without leverage: 310 in all, 160 of them the user's.
    const increased = { ...position, shares: m(725), cost: m(310), userLiquidity: m(160), totalLiquidity: m(310) };
    expect(economics.averageEntry(increased)).toBe(m('0.427587'));
    expect(economics.computeLeverage(m(160), m(310))).toBe(m('1.9375'));
  });
});

describe('fees and interest', () => {
  it.each([
    ['250', '0.01', '2.5'],
    ['250', '0', '0'],
    ['0.000001', '0.01', '0.000001'],
    ['33.333333', '0.02', '0.666667'],
  ])('a fee on %s at %s is %s, rounded up', (total, rate, fee) => {
    expect(economics.feeOn(m(total), m(rate))).toBe(m(fee));
  });

  it.each([
    [0, '0'],
    [1, '0.000001'], // 0.0000005 of a day's fraction, rounded up
    [73 * DAY_MS, '3'],
    [365 * DAY_MS, '15'],
  ])('150 borrowed for %d ms at 10 %% a year cost %s', (ms, interest) => {
    expect(economics.interestAt(position, RATE, ms)).toBe(m(interest));
  });

  it('what was owed before is added', () => {
    const older = { ...position, interest: m(2), interestSinceMs: 10 * DAY_MS };
    expect(economics.interestAt(older, RATE, 83 * DAY_MS)).toBe(m(5));
    expect(economics.interestAt(older, m(0), 83 * DAY_MS)).toBe(m(2));
  });
});

describe('liquidation', () => {
  it.each([
    [100, '0', '0.24'], // 625 × 0.24 = 150 = 250 − 100
    [100, '3', '0.2448'],
    [90, '0', '0.256'],
    [90, '3', '0.2608'],
    [90, '90', '0.4'],
    [90, '1000', '1'],
    [1, '0', '0.3984'],
  ])('at a loss of %d %% and with %s of interest is at %s', (percent, interest, price) => {
    expect(economics.liquidationPrice(position, m(interest), percent)).toBe(m(price));
  });

  it('cannot happen to a position that has borrowed nothing', () => {
    const own = { ...position, totalLiquidity: m(100), cost: m(100), shares: m(250) };
    expect([economics.liquidationPrice(own, 0, 100), economics.isLiquidatable(own, 1, 0, 100)]).toEqual([0, false]);
    expect(economics.liquidationDueMs(own, 1, RATE, 100)).toBeNull();
  });

  it('comes by interest alone at the first ms at which the loss is as large as that', () => {
    // At 0.26 the loss is 87.5; the missing 2.5 of 15 a year, rounded a millionth early.
    expect(economics.liquidationDueMs(position, m('0.26'), RATE, 90)).toBe(5_255_997_898);
    expect(economics.liquidationDueMs(position, m('0.26'), RATE, 100)).toBe(26_279_997_898);
    expect(economics.liquidationDueMs(position, m('0.256'), RATE, 90)).toBe(0);
    expect(economics.liquidationDueMs(position, m('0.26'), 0, 90)).toBeNull();
  });
});

/** A possible position: own funds, leverage, entry price. */
const anyPosition = fc
  .record({
    funds: fc.integer({ min: 1, max: 1e12 }),
    leverage: fc.integer({ min: 1_000_001, max: 50_000_000 }),
    price: fc.integer({ min: 1, max: 999_999 }),
    interest: fc.integer({ min: 0, max: 1e9 }),
  })
  .map(({ funds, leverage, price, interest }) => {
    const totalLiquidity = economics.applyLeverage(funds, leverage);
    const shares = economics.sharesFor(totalLiquidity, price, 1) ?? 0;
    const cost = timesDown(price, shares);
    return { shares, cost, userLiquidity: funds, totalLiquidity, interest, interestSinceMs: 0 };
  })
  .filter(({ shares, totalLiquidity, userLiquidity }) => shares > 0 && totalLiquidity > userLiquidity);

const percents = fc.integer({ min: 1, max: 100 });

/** The same result in integers of any size, computed only from the sentences of docs/service.md. */
function plainEnd(one: Exposure, price: number, isLiquidated: boolean, rate: number) {
  const { interest } = one;
  const brings = (BigInt(one.shares) * BigInt(price)) / 1_000_000n;
  const won = brings - BigInt(one.cost) - BigInt(interest);
  const left = BigInt(one.userLiquidity) + brings - BigInt(one.cost);
  const payable = left < BigInt(interest) ? 0n : left - BigInt(interest);
  const fee = won > 0n || isLiquidated ? (brings * BigInt(rate) + 999_999n) / 1_000_000n : 0n;
  const closingFee = fee < payable ? fee : payable;
  return { payout: Number(payable - closingFee), closingFee: Number(closingFee) };
}

describe('for any position', () => {
  it('the liquidation price is the highest mark that liquidates', () =>
    fc.assert(
      fc.property(anyPosition, percents, (one, percent) => {
        const price = economics.liquidationPrice(one, one.interest, percent);
        if (price > 0) expect(economics.isLiquidatable(one, price, one.interest, percent)).toBe(true);
        if (price < 1_000_000) expect(economics.isLiquidatable(one, price + 1, one.interest, percent)).toBe(false);
      }),
      { numRuns: 2_000 },
    ));

  it('the time of doom is the first ms that liquidates', () => {
    const rates = fc.integer({ min: 1, max: 100_000_000 });
    fc.assert(
      fc.property(anyPosition, fc.integer({ min: 1, max: 999_999 }), rates, percents, (one, mark, rate, percent) => {
        const isDoomed = (atMs: number) =>
          economics.isLiquidatable(one, mark, economics.interestAt(one, rate, atMs), percent);
        const at = economics.liquidationDueMs(one, mark, rate, percent);
        if (at === null) return;
        expect(isDoomed(at)).toBe(true);
        if (at > 0) expect(isDoomed(at - 1)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('an end gives what is left after interest and fee, the fee of a win or a liquidation alone', () => {
    const prices = fc.integer({ min: 0, max: 1_000_000 });
    const rates = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(anyPosition, prices, fc.boolean(), rates, (one, price, isLiquidated, rate) => {
        expect(economics.computeEnding(one, price, isLiquidated, rate)).toEqual(
          plainEnd(one, price, isLiquidated, rate),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
