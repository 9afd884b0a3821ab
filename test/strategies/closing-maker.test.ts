import { describe, expect, it } from 'vitest';
import type { MarketView } from '../../src/trader/market/view.js';
import { newsSigma } from '../../src/trader/strategy/maths/log-odds.js';
import closingMaker, { closingHalf, closingSize, lastQuoteS } from '../../strategies/closing-maker.js';
import { book, m } from '../trader/market/fixtures.js';
import { holding, paramsFor, VIEW, viewOf } from '../trader/strategy/fixtures.js';

const quote = (view: MarketView, raw: unknown = {}) =>
  closingMaker.create(paramsFor(closingMaker, raw), view.market).quote(view);

const ending = (seconds: number | null, mid = 0.5): MarketView =>
  viewOf(book([[mid - 0.05, 100]], [[mid + 0.05, 100]]), {
    timeToResolutionMs: seconds === null ? null : seconds * 1000,
  });

describe('the end of a market', () => {
  it('makes 318, 62 and 9 s the last at which five cents are wide enough, at 0.50, 0.90 and 0.97', () => {
    expect(lastQuoteS(0.5, 1, 5, 0.05)).toBeCloseTo(318.3099, 4);
    expect(lastQuoteS(0.9, 1, 5, 0.05)).toBeCloseTo(61.59933, 4);
    expect(lastQuoteS(0.97, 1, 5, 0.05)).toBeCloseTo(9.259414, 5);
  });

  it('asks ten minutes before it for half-spreads of 3.6, 1.6 and 0.6 cents', () => {
    const half = (p: number) => closingHalf(newsSigma(p, 600), 5, 1);
    expect(half(0.5)).toBeCloseTo(0.0364183, 7);
    expect(half(0.9)).toBeCloseTo(0.0160207, 7);
    expect(half(0.97)).toBeCloseTo(0.0062114, 7);
  });

  it('lets sizes fall with the root of the time left', () => {
    expect([3600, 900, 0].map((left) => closingSize(20, left, 3600))).toEqual([20, 10, 0]);
    expect(closingSize(20, 7200, 3600)).toBe(20);
  });
});

describe('closing-maker', () => {
  it('quotes in the last hour only, and only where the end is known', () => {
    expect(quote(ending(null)).note).toBe('the time when this market resolves is not known');
    expect(quote(ending(3601)).note).toMatch(/quotes begin 3600 s before/);
    expect(quote(ending(3600)).bids).toHaveLength(1);
  });

  it('stops early at 0.50 and late at 0.90', () => {
    const stops = (mid: number) => [700, 150, 50].map((left) => quote(ending(left, mid)).fairMicros === null);
    expect(stops(0.5)).toEqual([true, true, true]);
    expect(stops(0.9)).toEqual([false, false, true]);
    expect(quote(ending(700)).note).toBe('a half-spread of 0.0506 would be needed, the maximum is 0.05');
  });

  it('is smaller and wider the nearer the end', () => {
    const [far, near] = [quote(ending(3600), { improve_ticks: 100 }), quote(ending(900), { improve_ticks: 100 })];
    expect([far.bids[0], near.bids[0]]).toEqual([
      { priceMicros: m(0.47), amountMicros: m(25) },
      { priceMicros: m(0.45), amountMicros: m(12.5) },
    ]);
  });

  it('is as wide as the time between its looks is long', () => {
    const slow = { ...ending(3600), pace: { ...VIEW.pace, lookEveryS: 20 } };
    expect(quote(slow).factors['half_spread_price']).toBeCloseTo(
      2 * (quote(ending(3600)).factors['half_spread_price'] ?? 0),
      12,
    );
    expect(quote({ ...slow, pace: { ...VIEW.pace, lookEveryS: 1 } })).toEqual(quote(ending(3600)));
  });

  it('offers all of an order of what must be gone, and near 0 and 1 no more than is held', () => {
    const { asks } = quote(holding(ending(900), 100));
    expect(asks[0]?.amountMicros).toBe(m(25));
    const low = quote(holding(ending(900, 0.4), 3), { min_fair_price: 0.45 });
    expect([...low.bids, ...low.asks].map(({ amountMicros }) => amountMicros)).toEqual([m(3)]);
  });
});
