/** Value of quoting a market: compared with independent values, with quadrature, and with every other choice. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestTolerance, type MarketOffer, netValue, PricedOffer } from '../../../src/trader/scheduler/market-choice.js';
import { pickOffPerDeviation, type StaleMarket, staleLossPerS } from '../../../src/trader/scheduler/stale-index.js';
import { m } from '../market/fixtures.js';

const market: StaleMarket = {
  seenMs: 0,
  price: 0.5,
  usualDistance: 0.01,
  sigmaPerSqrtS: 0.001,
  jumpsPerS: 0,
  takersPerS: 1 / 60,
  quotes: [
    { side: 'bid', priceMicros: m(0.49), remainingMicros: m(50) },
    { side: 'ask', priceMicros: m(0.52), remainingMicros: m(30) },
  ],
};

const offer: MarketOffer = {
  sides: [{ fillsPerS: 0.002, sharesPerFill: 10, distance: 0.02, adverse: 0.006, feePerShare: 0 }],
  market,
  leastTolerance: 0.005,
  currency: 50,
};

describe('the net value of a market', () => {
  it('is the sum of its terms, as reckoned by hand', () => {
    const side = { fillsPerS: 0.002, sharesPerFill: 10, distance: 0.02, adverse: 0.006, feePerShare: 0 };
    const given = { sides: [side, side], currency: 50, orders: 0, movesPerS: 1 / 60 };
    const prices = { look: 0.001, request: 0.001, currencyPerS: 1e-7 };
    const value = netValue(given, { lookEveryS: 30, stale: 6e-5 }, prices);
    expect(value.edge).toBeCloseTo(0.00056, 12);
    expect(value.fillsPerS).toBeCloseTo(0.004, 12);
    expect(value.net).toBeCloseTo(0.000387, 12);
    expect(value.net * 3600).toBeCloseTo(1.3932, 8);
    const { edge, stale, looks, moves, fills, reserve, currency, net } = netValue(
      { ...given, orders: 2 },
      { lookEveryS: 30, stale: 6e-5 },
      prices,
    );
    expect(edge - stale - looks - moves - fills - reserve - currency).toBeCloseTo(net, 15);
    // Two requests for each of two orders are reserved in every minute.
    expect(value.net - net).toBeCloseTo((0.001 * 4) / 60, 12);
  });

  it('has the tolerance that costs least', () => {
    const cost = (w: number) => (0.92 * w * w) / 6 + (0.008 * 0.0005 ** 2) / (w * w);
    const w = bestTolerance(0.008, 0.0005, 0.92);
    expect(w).toBeCloseTo(0.0106868166, 10);
    expect(cost(w)).toBeCloseTo(3.5023801e-5, 12);
    expect((60 * 0.0005 ** 2) / (w * w)).toBeCloseTo(0.131339, 6);
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 10, noNaN: true }), (factor) => {
        expect(cost(w * factor)).toBeGreaterThanOrEqual(cost(w) * (1 - 1e-12));
      }),
    );
    expect(bestTolerance(0, 0.0005, 0.92)).toBe(0);
    expect(bestTolerance(0.008, 0.0005, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes the looks that are best at their price, and fewer of dearer ones', () => {
    const priced = new PricedOffer(offer);
    const at = (look: number) => priced.at({ look, request: 0.001, currencyPerS: 1e-7 });
    for (const look of [0, 1e-6, 1e-4, 1e-2]) {
      const { lookEveryS, looks, stale } = at(look);
      for (const other of [Math.max(1, lookEveryS / 1.6), lookEveryS * 1.6])
        expect(staleLossPerS(market, other) + look / other).toBeGreaterThanOrEqual((looks + stale) * 0.999);
    }
    expect(at(0).lookEveryS).toBe(1);
    expect(at(1e-2).lookEveryS).toBeGreaterThan(2 * at(1e-4).lookEveryS);
  });

  it('moves orders as often as the price crosses their tolerance, and never more than once a second', () => {
    const moves = (request: number, sigma: number) =>
      new PricedOffer({ ...offer, market: { ...market, sigmaPerSqrtS: sigma } }).at({
        look: 0,
        request,
        currencyPerS: 0,
      }).movesPerS;
    expect(moves(0, 0.001)).toBeCloseTo(2 * (0.001 / 0.005) ** 2, 12);
    expect(moves(0.1, 0.001)).toBeLessThan(moves(0, 0.001));
    expect(moves(0, 0.5)).toBe(2);
  });
});

/** By the trapezium rule over the ages of a book, with the uncertainty of sigma averaged as in the index. */
function lossByQuadrature({ price, sigmaPerSqrtS, takersPerS, quotes }: StaleMarket, everyS: number): number {
  const steps = 4000;
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const s = sigmaPerSqrtS * Math.sqrt((everyS * i) / steps + 2);
    let cost = 0;
    for (const { priceMicros, remainingMicros } of quotes) {
      const h = Math.abs(price - priceMicros / 1e6);
      for (const [k, weight] of [
        [-Math.sqrt(3), 1 / 6],
        [0, 2 / 3],
        [Math.sqrt(3), 1 / 6],
      ] as const) {
        const wide = s * Math.exp(0.35 * k);
        cost += (weight * remainingMicros * wide * pickOffPerDeviation(h / wide)) / 1e6;
      }
    }
    sum += cost * (i === 0 || i === steps ? 0.5 : 1);
  }
  return (takersPerS * sum) / steps;
}

describe('what stale quotes lose a second', () => {
  it.each([3, 30, 300])('with a look every %d s is the mean over all ages', (everyS) => {
    expect(staleLossPerS(market, everyS) / lossByQuadrature(market, everyS)).toBeCloseTo(1, 2);
  });

  it('has the jumps that come between two looks, half of the time on average', () => {
    const calm = { ...market, sigmaPerSqrtS: 1e-6 };
    const [bid] = calm.quotes;
    const jumpy = { ...calm, jumpsPerS: 1 / 3600, quotes: bid === undefined ? [] : [bid] };
    const deviation = 0.25 * 0.25;
    const lost = [-Math.sqrt(3), 0, Math.sqrt(3)].reduce((sum, k, i) => {
      const wide = deviation * Math.exp(0.35 * k);
      return sum + ([1 / 6, 2 / 3, 1 / 6][i] ?? 0) * wide * pickOffPerDeviation(0.01 / wide);
    }, 0);
    expect(staleLossPerS(jumpy, 60) / ((1 / 60) * 50 * (1 / 3600) * 30 * lost)).toBeCloseTo(1, 3);
  });
});
