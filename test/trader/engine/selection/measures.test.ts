/** Conclusions from own fills in a market, and their weight. */

import { expect, it } from 'vitest';
import { believe, MarketMeasures, sumMeasured } from '../../../../src/trader/engine/market-worth.js';
import type { PriceMotion } from '../../../../src/trader/market/view.js';
import { m } from '../../market/fixtures.js';

const seen = (seenMs: number, price: number): PriceMotion => ({
  seenMs,
  price,
  halfSpread: 0.01,
  sigmaPerSqrtS: 0.001,
  jumpsPerS: 0,
  markMove: 0,
  takersPerS: 0.01,
});

const fill = { side: 'bid', priceMicros: m(0.48), fairMicros: m(0.5), stalePart: 0.25, nowMs: 1000 } as const;

it('judges a fill half a minute later, by what it lost beyond what stale quotes were expected to', () => {
  const measures = new MarketMeasures();
  measures.onFill(fill);
  measures.onFill({ ...fill, side: 'ask', priceMicros: m(0.53) });
  measures.look(seen(30_999, 0.3));
  expect(measures.sums).toMatchObject({ fills: 2, judged: 0 });
  measures.look(seen(31_000, 0.49));
  // The bid lost 0.01 and the ask gained it; a quarter of 0.02 and of 0.03 was expected.
  expect(measures.sums.judged).toBe(2);
  expect(measures.sums.distance).toBeCloseTo(0.05, 12);
  expect(measures.sums.adverse).toBeCloseTo(-0.0125, 12);
  measures.look(seen(90_000, 0.2));
  expect(measures.sums.judged).toBe(2);
});

it('counts a fill without a fair value, and judges it not', () => {
  const measures = new MarketMeasures();
  measures.onFill({ ...fill, fairMicros: null });
  measures.look(seen(60_000, 0.4));
  expect(measures.sums).toMatchObject({ fills: 1, judged: 0 });
});

it('forgets half in an hour, and what waited when our clock was set back', () => {
  const measures = new MarketMeasures();
  measures.pass(0, 0.01);
  measures.onFill(fill);
  measures.clockSetBack();
  measures.look(seen(60_000, 0.4));
  expect(measures.sums.judged).toBe(0);
  measures.pass(0, 0);
  measures.pass(3_600_000, 0.01);
  expect(measures.sums.fills).toBeCloseTo(0.5, 12);
  expect(measures.sums.expected).toBeCloseTo(36, 12);
});

it('believes what was measured by how much it was, and a market after its category', () => {
  expect(believe(sumMeasured([]))).toEqual({ fillRatio: 1, adversePart: 0.3 });
  const measured = { fills: 40, expected: 20, judged: 20, adverse: 0.36, distance: 0.4 };
  const category = believe(measured);
  expect(category.fillRatio).toBeCloseTo(1.5, 12);
  expect(category.adversePart).toBeCloseTo(0.6, 12);
  expect(believe(sumMeasured([]), category).adversePart).toBeCloseTo(0.6, 12);
  expect(believe(sumMeasured([measured, measured])).adversePart).toBeCloseTo(0.7, 12);
});
