import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalCdf } from '../../../src/shared/base/random.js';
import {
  deflatedSharpe,
  expectedMaxSharpe,
  observedSharpe,
  probabilisticSharpe,
  sharpePerSample,
} from '../../../src/shared/statistics/sharpe.js';
import { close, samples } from './fixtures.js';

describe('the example of Bailey and Lopez de Prado (2014): an annual 2.5 over 1250 days of 250 a year', () => {
  const observed = { sharpe: 2.5 / Math.sqrt(250), samples: 1250, skewness: -3, kurtosis: 10 };
  const variance = 0.5 / 250;

  test('expects .113172 a day of the best of 100 trials without skill', () =>
    expect(expectedMaxSharpe({ count: 100, variance })).toBeCloseTo(0.113172, 6));

  test.each([
    ['fat tails and 100 trials', observed, 100, 0.900397],
    ['fat tails and 46 trials', observed, 46, 0.950502],
    ['normal returns and 88 trials', { ...observed, skewness: 0, kurtosis: 3 }, 88, 0.950491],
  ])('%s', (_name, ratio, count, expected) => {
    expect(deflatedSharpe(ratio, { count, variance })).toBeCloseTo(expected, 6);
  });
});

test('for normal returns PSR is the normal test of a mean against its standard error', () => {
  const observed = { sharpe: 0.1, samples: 401, skewness: 0, kurtosis: 3 };
  expect(probabilisticSharpe(observed)).toBeCloseTo(normalCdf(2 / Math.sqrt(1 + 0.005)), 14);
  expect(probabilisticSharpe(observed, 0.1)).toBe(0.5);
});

test.each([
  [2, 0.564189],
  [10, 1.538753],
  [100, 2.507594],
  [1000, 3.241436],
])('the expected best of %d trials is near the exact %d deviations (by numeric integration)', (count, exact) => {
  expect(Math.abs(expectedMaxSharpe({ count, variance: 1 }) - exact)).toBeLessThan(0.045);
});

test('one trial, and trials that all did the same, deflate nothing', () => {
  expect(expectedMaxSharpe({ count: 1, variance: 5 })).toBe(0);
  expect(expectedMaxSharpe({ count: 1.2, variance: 5 })).toBe(0);
  expect(expectedMaxSharpe({ count: 50, variance: 0 })).toBe(0);
  const observed = { sharpe: 0.1, samples: 50, skewness: 0, kurtosis: 3 };
  expect(deflatedSharpe(observed, { count: 1, variance: 1 })).toBe(probabilisticSharpe(observed));
});

test('more trials, a worse skew and fatter tails never raise the deflated ratio', () => {
  const variance = 0.002;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.nat(300), (count, hundredths) => {
      const worse = hundredths / 100;
      const observed = { sharpe: 0.3, samples: 500, skewness: 0, kurtosis: 3 };
      const now = deflatedSharpe(observed, { count, variance }) ?? 0;
      expect(deflatedSharpe(observed, { count: count * 2, variance })).toBeLessThanOrEqual(now);
      const skewed = deflatedSharpe(
        { ...observed, skewness: -worse, kurtosis: 3 + worse * worse },
        { count, variance },
      );
      expect(skewed).toBeLessThanOrEqual(now);
    }),
  );
});

test('a ratio observed from changes of equity is judged as it is', () => {
  expect(observedSharpe([1, 2, 3])).toMatchObject({ sharpe: 2, samples: 3, skewness: 0 });
  for (const changes of [[], [1], [0.1, 0.1, 0.1]]) expect(observedSharpe(changes)).toBeNull();
  fc.assert(
    fc.property(samples({ minLength: 2 }), (changes) => {
      const observed = observedSharpe(changes);
      if (observed === null) return;
      const probability = probabilisticSharpe(observed);
      if (probability === null) return;
      expect(probability).toBeGreaterThanOrEqual(0);
      expect(probability).toBeLessThanOrEqual(1);
    }),
  );
});

test('what is not defined is null, and what cannot be is refused', () => {
  const observed = { sharpe: 1, samples: 100, skewness: 0, kurtosis: 3 };
  expect(probabilisticSharpe({ ...observed, samples: 1 })).toBeNull();
  // No distribution has skew 3 and kurtosis 1.
  expect(probabilisticSharpe({ ...observed, skewness: 3, kurtosis: 1 })).toBeNull();
  expect(() => probabilisticSharpe({ ...observed, skewness: Number.NaN })).toThrow('got NaN');
  expect(() => expectedMaxSharpe({ count: 0, variance: 1 })).toThrow('got 0');
  expect(() => expectedMaxSharpe({ count: 2, variance: -1 })).toThrow('got -1');
});

test('the ratio is what its definition says, and knows no currency', () =>
  fc.assert(
    fc.property(samples({ minLength: 2 }), fc.integer({ min: 1, max: 1000 }), (values, unit) => {
      const n = values.length;
      const mean = values.reduce((a, b) => a + b, 0) / n;
      const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
      const other = values.map((value) => value * unit);
      if (new Set(values).size > 1) close(sharpePerSample(values), mean / Math.sqrt(variance));
      close(sharpePerSample(other), sharpePerSample(values));
    }),
  ));

test.each([
  ['no sample', [], null],
  ['one gain', [1], null],
  ['the same gain each time', [0.1, 0.1, 0.1], null],
  ['no loss', [1, 2, 3], 2],
])('a ratio that is not defined is null: %s', (_name, changes, sharpe) =>
  expect(sharpePerSample(changes)).toBe(sharpe),
);
