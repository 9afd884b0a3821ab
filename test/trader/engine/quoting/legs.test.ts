import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEE_SCHEDULES, type FeeSchedule } from '../../../../src/shared/base/fees.js';
import { complement, type Micros, micros } from '../../../../src/shared/base/micros.js';
import type { DesiredQuotes } from '../../../../src/trader/engine/quoting/changes.js';
import { chooseLegs, inYesSpace, legFees, type OrderLeg } from '../../../../src/trader/engine/quoting/changes.js';
import type { BookSide, MarketFacts } from '../../../../src/trader/market/view.js';
import { type Economics, USUAL_ECONOMICS } from '../../../../src/trader/strategy/economics.js';
import { FACTS } from '../../strategy/fixtures.js';
import { forAll } from '../../for-all.js';

const m = (n: number) => n as Micros;
const shares = (n: number) => micros(Math.round(n * 1_000_000));
const cents = (n: number) => micros(Math.round(n * 10_000));

const facts: MarketFacts = { ...FACTS, maxAmountMicros: shares(1000) };

const RESTING = { isTaking: false, economics: USUAL_ECONOMICS };
const FREE_OF_CHARGE: Economics = { requestPrice: 0, currencyPricePerS: 1e-9 };

describe('legs', () => {
  const wish = (side: BookSide, price: number, amount: number): DesiredQuotes => ({
    side,
    priceMicros: cents(price),
    amountMicros: shares(amount),
  });
  const free = (yes: number, no: number, cash = 1000) => ({
    yesMicros: shares(yes),
    noMicros: shares(no),
    cashMicros: shares(cash),
  });
  const shown = (side: BookSide, amount: number, held: ReturnType<typeof free>) =>
    chooseLegs(wish(side, 40, amount), held, facts, RESTING).map((leg) => [
      leg.side,
      leg.isYes ? 'YES' : 'NO',
      leg.priceMicros / 10_000,
      leg.amountMicros / 1e6,
    ]);

  it('sell what is held first and buy the complement with the rest', () => {
    expect(shown('bid', 10, free(50, 0))).toEqual([['buy', 'YES', 40, 10]]);
    expect(shown('bid', 10, free(0, 50))).toEqual([['sell', 'NO', 60, 10]]);
    expect(shown('bid', 10, free(0, 4))).toEqual([
      ['sell', 'NO', 60, 4],
      ['buy', 'YES', 40, 6],
    ]);
    expect(shown('ask', 10, free(0, 0))).toEqual([['buy', 'NO', 60, 10]]);
    expect(shown('ask', 10, free(7, 0))).toEqual([
      ['sell', 'YES', 40, 7],
      ['buy', 'NO', 60, 3],
    ]);
  });

  it('leave out what is too small for an order, on either leg', () => {
    expect(shown('bid', 10, free(0, 0.5))).toEqual([['buy', 'YES', 40, 10]]);
    expect(shown('bid', 10, free(0, 9.5))).toEqual([['sell', 'NO', 60, 9.5]]);
  });

  it('always add up to at most the wish, on the same side of the YES book at the same price', () => {
    const amount = fc.integer({ min: 100, max: 5000 }).map((n) => micros(n * 10_000));
    const held = fc.integer({ min: 0, max: 50_000_000 }).map(micros);
    forAll([amount, held, held, fc.constantFrom<BookSide>('bid', 'ask'), fc.constantFrom(...FEE_SCHEDULES), fc.nat(40_000)], (amountMicros, yes, no, side, feeSchedule, rate) => {
          const one: DesiredQuotes = { side, priceMicros: cents(37), amountMicros };
          const legs = chooseLegs(
            one,
            { yesMicros: yes, noMicros: no, cashMicros: shares(1e6) },
            { ...facts, makerFeeRateMicros: m(rate), feeSchedule },
            RESTING,
          );
          const sum = legs.reduce((total, leg) => total + leg.amountMicros, 0);
          expect(sum).toBeLessThanOrEqual(amountMicros);
          expect(amountMicros - sum).toBeLessThan(facts.minAmountMicros);
          for (const leg of legs) {
            expect(inYesSpace(leg.isYes, leg.side, leg.priceMicros)).toEqual({ side, priceMicros: one.priceMicros });
            expect(leg.amountMicros % facts.lotMicros).toBe(0);
            if (leg.side === 'sell') expect(leg.amountMicros).toBeLessThanOrEqual(leg.isYes ? yes : no);
          }
        });
    expect(complement(cents(37))).toBe(cents(63));
  });
});

describe('the cheapest leg', () => {
  const wish = (side: BookSide, price: number, amount: number): DesiredQuotes => ({
    side,
    priceMicros: cents(price),
    amountMicros: shares(amount),
  });
  const sets = (n: number, cashMicros = shares(1000)) => ({ yesMicros: shares(n), noMicros: shares(n), cashMicros });
  const withFee = (rate: number, feeSchedule: FeeSchedule = 'notional'): MarketFacts => ({
    ...facts,
    makerFeeRateMicros: shares(rate),
    takerFeeRateMicros: shares(2 * rate),
    feeSchedule,
  });
  const told = (legs: readonly OrderLeg[]) => legs.map(({ side, isYes }) => `${side} ${isYes ? 'YES' : 'NO'}`);

  it('makes a round trip at 0.9 worth -0.0160, +0.0004 or +0.0160 by the outcome alone', () => {
    const [bid, ask] = [
      legFees(withFee(0.02), 'bid', cents(89), false),
      legFees(withFee(0.02), 'ask', cents(91), false),
    ];
    const result = (...fees: readonly number[]) => 0.02 - fees.reduce((sum, fee) => sum + fee);
    expect(bid.buy + ask.sell).toBeCloseTo(0.036, 9);
    expect(result(bid.buy, ask.sell)).toBeCloseTo(-0.016, 9);
    expect(bid.buy + ask.buy).toBeCloseTo(0.0196, 9);
    expect(result(bid.buy, ask.buy)).toBeCloseTo(0.0004, 9);
    expect(bid.sell + ask.buy).toBeCloseTo(0.004, 9);
    expect(result(bid.sell, ask.buy)).toBeCloseTo(0.016, 9);
  });

  it('brings 0.768 by a sale at a bid of 0.8, and 0.792 by buying the complement and merging', () => {
    const { sell, buy } = legFees(withFee(0.02), 'ask', cents(80), true);
    expect(0.8 - sell).toBeCloseTo(0.768, 9);
    expect(1 - 0.2 - buy).toBeCloseTo(0.792, 9);
  });

  it('is in the outcome below one half on both sides, out of a core of sets', () => {
    const expensive = withFee(0.02);
    expect(told(chooseLegs(wish('bid', 89, 10), sets(50), expensive, RESTING))).toEqual(['sell NO']);
    expect(told(chooseLegs(wish('ask', 91, 10), sets(50), expensive, RESTING))).toEqual(['buy NO']);
    expect(told(chooseLegs(wish('bid', 9, 10), sets(50), expensive, RESTING))).toEqual(['buy YES']);
    expect(told(chooseLegs(wish('ask', 11, 10), sets(50), expensive, RESTING))).toEqual(['sell YES']);
  });

  it('goes by the fee that this very order would pay', () => {
    const onlyTakers = { ...withFee(0), takerFeeRateMicros: shares(0.04) };
    const ask = wish('ask', 91, 10);
    expect(told(chooseLegs(ask, sets(50), onlyTakers, RESTING))).toEqual(['sell YES']);
    expect(told(chooseLegs(ask, sets(50), onlyTakers, { ...RESTING, isTaking: true }))).toEqual(['buy NO']);
  });

  it('sells what is held where the fee saved is less than what a pair costs until it is merged', () => {
    const dearCurrency = { ...RESTING, economics: { requestPrice: 0.001, currencyPricePerS: 1e-3 } };
    expect(told(chooseLegs(wish('ask', 91, 10), sets(50), withFee(0.02), dearCurrency))).toEqual(['sell YES']);
  });

  it('is one order a wish, unless what the second saves pays for its four requests', () => {
    const held = { ...sets(0), yesMicros: shares(2) };
    const ask = wish('ask', 40, 10);
    expect(told(chooseLegs(ask, held, withFee(0.02), RESTING))).toEqual(['sell YES', 'buy NO']);
    const dear = { ...RESTING, economics: { ...USUAL_ECONOMICS, requestPrice: 0.01 } };
    expect(told(chooseLegs(ask, held, withFee(0.02), dear))).toEqual(['buy NO']);
  });

  it('is a sale where there is no currency to buy the complement with', () => {
    const ask = wish('ask', 91, 10);
    expect(told(chooseLegs(ask, sets(50, shares(0.91)), withFee(0.02), RESTING))).toEqual(['sell YES']);
    expect(told(chooseLegs(ask, sets(50, shares(0.92)), withFee(0.02), RESTING))).toEqual(['buy NO']);
  });

  it('is a sale as ever under a fee of the variance, of shares or of nothing, whatever requests cost', () => {
    const price = fc.integer({ min: 1, max: 99 });
    const schedules = fc.constantFrom(withFee(0), withFee(0.02, 'variance'), withFee(0.02, 'per_share'));
    const economics = fc.constantFrom(USUAL_ECONOMICS, FREE_OF_CHARGE, { requestPrice: 1, currencyPricePerS: 1e-9 });
    const held = fc.nat(30).map((n) => sets(n));
    forAll([price, schedules, economics, held, fc.boolean()], (at, market, prices, own, isTaking) => {
        for (const side of ['bid', 'ask'] as const) {
          const legs = told(chooseLegs(wish(side, at, 10), own, market, { isTaking, economics: prices }));
          const [sold, bought] = side === 'bid' ? ['sell NO', 'buy YES'] : ['sell YES', 'buy NO'];
          const count = own.yesMicros / 1e6;
          expect(legs).toEqual(count === 0 ? [bought] : count > 9 ? [sold] : [sold, bought]);
        }
      });
  });

  it('never pays more than the other single leg would have, but for what the pair costs', () => {
    const price = fc.integer({ min: 1, max: 99 });
    forAll([price, fc.integer({ min: 0, max: 5 }), fc.constantFrom<BookSide>('bid', 'ask')], (at, rate, side) => {
        const market = withFee(rate / 100);
        const [leg] = chooseLegs(wish(side, at, 10), sets(50), market, { isTaking: false, economics: FREE_OF_CHARGE });
        const fees = legFees(market, side, cents(at), false);
        expect(leg === undefined ? Number.NaN : fees[leg.side]).toBe(Math.min(fees.sell, fees.buy));
      });
  });
});
