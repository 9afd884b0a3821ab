/** Value of a poll: compared with quadrature, and with independently computed values. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalCdf, normalDensity } from '../../../src/shared/base/random.js';
import {
  averagedIndex,
  indexPerDeviation,
  type StaleMarket,
  shareIndex,
  staleIndex,
  staleLossPerS,
} from '../../../src/trader/scheduler/stale-index.js';
import { forAll } from '../for-all.js';
import { m } from '../market/fixtures.js';
import { quote, staleMarket } from './world.js';

const pickOffPerDeviation = (z: number): number => Math.max(0, normalDensity(z) - z * normalCdf(-z));
const pickOff = (h: number, s: number): number => s * pickOffPerDeviation(h / s);
const diffusionIndex = (h: number, sigma: number, t: number): number => {
  const s = sigma * Math.sqrt(t);
  return t * s * indexPerDeviation(h / s);
};

/** The integral of g over [from, to] by Simpson's rule in the square root of time, in which it is smooth. */
function integral(h: number, sigma: number, from: number, to: number): number {
  const [a, b] = [Math.sqrt(from), Math.sqrt(to)];
  const n = 2000;
  let sum = 0;
  for (let i = 0; i <= n; i++) {
    const u = a + ((b - a) * i) / n;
    sum += (i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2) * 2 * u * (u === 0 ? 0 : pickOff(h, sigma * u));
  }
  return (sum * (b - a)) / n / 3;
}

describe('the index of a look', () => {
  it.each([
    [0.01, 0.001, 60, 0.0148776989],
    [0, 0.001, 10, 0.00420522087],
    [0.02, 0.002, 300, 0.9677795768],
  ])('at distance %f, sigma %f, after %f s is the closed form and the quadrature', (h, sigma, t, golden) => {
    expect(diffusionIndex(h, sigma, t) / golden).toBeCloseTo(1, 8);
    const quadrature = t * pickOff(h, sigma * Math.sqrt(t)) - integral(h, sigma, 0, t);
    expect(diffusionIndex(h, sigma, t) / quadrature).toBeCloseTo(1, 8);
  });

  it('is averaged over what is not known of sigma', () => {
    const s = 0.001 * Math.sqrt(60);
    expect((60 * s * averagedIndex(0.01 / s)) / 0.0214320283).toBeCloseTo(1, 8);
    // From a table: precise enough to sort markets.
    expect(shareIndex(0.01, 60, 0, 0.001, 0.25, 0) / 0.0214320283).toBeCloseTo(1, 3);
  });

  it('with a delay counts what is lost before a look can change anything as lost anyway', () => {
    const [h, sigma, t, d] = [0.01, 0.001, 60, 2];
    const lost = t * pickOff(h, sigma * Math.sqrt(t + d)) - integral(h, sigma, d, t + d);
    expect(lost / 0.0154865028).toBeCloseTo(1, 8);
    const averagedLost = [-1, 0, 1].reduce((sum, k) => {
      const off = sigma * Math.exp(0.35 * k * Math.sqrt(3));
      const each = t * pickOff(h, off * Math.sqrt(t + d)) - integral(h, off, d, t + d);
      return sum + (k === 0 ? 2 / 3 : 1 / 6) * each;
    }, 0);
    expect(shareIndex(h, t, d, sigma, 0.25, 0) / averagedLost).toBeCloseTo(1, 3);
  });

  const bid = quote('bid', 0.39, 50);
  const known = staleMarket({ price: 0.4, jumpsPerS: 1 / 3600, quotes: [bid] });

  it('grows with time, shares, sigma and takers, and falls with the distance', () => {
    const factor = fc.double({ min: 1.01, max: 4, noNaN: true });
    const t = fc.integer({ min: 1000, max: 600_000 });
    forAll([t, factor, fc.integer({ min: 1, max: 30 })], (ms, more, sigmas) => {
      const market = { ...known, sigmaPerSqrtS: sigmas / 1e4 };
      const index = staleIndex(market, ms);
      const withQuote = (changes: object) => staleIndex({ ...market, quotes: [{ ...bid, ...changes }] }, ms);
      expect(index).toBeGreaterThan(0);
      expect(staleIndex(market, ms * more)).toBeGreaterThan(index);
      expect(withQuote({ remainingMicros: m(50 * more) })).toBeGreaterThan(index);
      // Until it has moved as far as a probability can: later changes are not worth a poll.
      const wilder = staleIndex({ ...market, sigmaPerSqrtS: market.sigmaPerSqrtS * more }, ms);
      expect(wilder / index).toBeGreaterThan(1 - 1e-12);
      expect(staleIndex({ ...market, takersPerS: more / 60 }, ms)).toBeGreaterThan(index);
      expect(withQuote({ priceMicros: m(0.38) })).toBeLessThan(index);
    });
  });

  it('does not end, however calm the market, and stays finite at its resolution', () => {
    const calm = { ...known, sigmaPerSqrtS: 0 };
    expect(staleIndex(calm, 7_200_000)).toBeGreaterThan(3.9 * staleIndex(calm, 3_600_000));
    expect(staleIndex({ ...known, sigmaPerSqrtS: 0.1 }, 5000)).toBeGreaterThan(10 * staleIndex(known, 5000));
    expect(Number.isFinite(staleIndex({ ...known, sigmaPerSqrtS: Number.POSITIVE_INFINITY }, 5000))).toBe(true);
    expect(staleIndex({ ...known, seenMs: null }, 5000)).toBe(Number.POSITIVE_INFINITY);
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
  const market = staleMarket({ quotes: [quote('bid', 0.49, 50), quote('ask', 0.52, 30)] });

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
