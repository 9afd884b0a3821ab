import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clusteredMean } from '../../../src/shared/statistics/bootstrap.js';
import { computeMean, computeMoments, quantile } from '../../../src/shared/statistics/moments.js';
import { close, near, samples } from './fixtures.js';

describe('moments', () => {
  test('are those of SciPy (ddof 1, biased skew, raw kurtosis)', () => {
    const { count, ...moments } = computeMoments([0.3, -1.2, 4.5, 0, 0, 2.25, -7.125, 3.5, 1, 0.5]);
    const wanted = [0.3725, 3.157364627167551, -1.1820566432445523, 4.428055411554377];
    expect(Object.values(moments)).toEqual(near(wanted, 13));
  });

  test('are null without samples, and of one sample are its value and nothing more', () => {
    const none = { mean: null, standardDeviation: null, skewness: null, kurtosis: null };
    expect(computeMoments([])).toEqual({ count: 0, ...none });
    expect(computeMoments([0.1])).toEqual({ count: 1, ...none, mean: 0.1 });
  });

  test.each([[0], [0.1], [-1 / 3], [1e12 + 0.1]])('of equal values %d have deviation 0 and no shape', (value) => {
    const got = computeMoments(Array.from({ length: 7 }, () => value));
    expect(got).toMatchObject({ count: 7, standardDeviation: 0, skewness: null, kurtosis: null });
  });

  test('keep small differences between large values', () =>
    expect(computeMoments([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]).standardDeviation).toBeCloseTo(Math.sqrt(30), 6));

  test('are null, never Infinity, where they overflow', () => {
    const { standardDeviation, skewness, kurtosis } = computeMoments([-1e200, 0, 1e200]);
    expect([standardDeviation, skewness, kurtosis]).toEqual([null, null, null]);
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY]])('refuse %d', (value) => {
    expect(() => computeMoments([1, value])).toThrow(`got ${value}`);
  });
});

test('moments are what their definitions say', () =>
  fc.assert(
    fc.property(samples({ minLength: 2 }), (values) => {
      const n = values.length;
      const mean = values.reduce((a, b) => a + b, 0) / n;
      const power = (k: number) => values.reduce((sum, x) => sum + (x - mean) ** k, 0) / n;
      const got = computeMoments(values);
      close(got.mean, mean);
      close(got.standardDeviation, Math.sqrt((power(2) * n) / (n - 1)));
      if (new Set(values).size < 2) return;
      close(got.skewness, power(3) / power(2) ** 1.5);
      close(got.kurtosis, power(4) / power(2) ** 2);
    }),
  ));

test('a typed column is as good as an array', () =>
  expect([computeMean(Float64Array.of(1, 2, 6)), computeMean(new Int32Array(0))]).toEqual([3, null]));

// Reference values: numpy.quantile.
test.each([
  [0, -7.125],
  [0.05, -4.45875],
  [0.25, 0],
  [0.5, 0.4],
  [0.9, 3.6],
  [1, 4.5],
])('the quantile at %d is that of NumPy', (part, expected) => {
  expect(quantile([0.3, -1.2, 4.5, 0, 0, 2.25, -7.125, 3.5, 1, 0.5], part)).toBeCloseTo(expected, 13);
});

test('a quantile lies on the line through the neighbouring samples', () =>
  fc.assert(
    fc.property(samples({ minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, part) => {
      const ascending = [...values].sort((a, b) => a - b);
      const place = part * (values.length - 1);
      const [low = 0, high = 0] = [ascending[Math.floor(place)], ascending[Math.ceil(place)]];
      close(quantile(values, part), low + (high - low) * (place - Math.floor(place)));
    }),
  ));

test('between equal samples it is exactly their value', () => {
  for (let part = 0; part <= 1; part += 1 / 128) expect(quantile([0.1, 0.1, 0.1, 0.1], part)).toBe(0.1);
});

test('without samples there is no quantile, of one sample it is its value', () =>
  expect([quantile([], 0.5), quantile([4], 0.3)]).toEqual([null, 4]));

test('what is no part, and what is no number, is refused', () => {
  for (const part of [-0.1, 1.1, Number.NaN]) expect(() => quantile([1, 2], part)).toThrow(`got ${part}`);
  expect(() => quantile([1, Number.NaN], 0.5)).toThrow('at index 1, got NaN');
});

test('the values that were given stay in their order', () => {
  const values = [3, 1, 2];
  quantile(values, 0.5);
  expect(values).toEqual([3, 1, 2]);
});

test('groups of one observation have the standard error of a mean', () =>
  fc.assert(
    fc.property(samples({ minLength: 2 }), (values) => {
      const got = clusteredMean(values.map((sum) => ({ sum, weight: 1 })));
      const { mean, standardDeviation } = computeMoments(values);
      close(got?.mean ?? null, mean);
      close(got?.standardError ?? null, (standardDeviation ?? 0) / Math.sqrt(values.length));
    }),
  ));

test('repeating observations within their group makes nothing more certain', () => {
  const once = clusteredMean([1, 4, 7].map((sum) => ({ sum, weight: 1 })));
  const often = clusteredMean([1, 4, 7].map((value) => ({ sum: value * 50, weight: 50 })));
  close(often?.standardError ?? null, once?.standardError ?? null);
});

test('a worked example: 3 groups of 2, 1 and 3 shares', () => {
  // Mean (1 + 2 + 0) / 6 = .5; residues 0, 1.5, -1.5; sqrt(3/2 x 4.5) / 6.
  const got = clusteredMean([
    { sum: 1, weight: 2 },
    { sum: 2, weight: 1 },
    { sum: 0, weight: 3 },
  ]);
  expect(got).toEqual({ mean: 0.5, standardError: Math.sqrt(6.75) / 6, clusters: 3 });
});

test('groups without weight do not count; one group has a mean but no error; none has neither', () => {
  const empty = { sum: 0, weight: 0 };
  const alone = { mean: 1.5, standardError: null, clusters: 1 };
  expect([clusteredMean([{ sum: 3, weight: 2 }, empty]), clusteredMean([])]).toEqual([alone, null]);
  expect(clusteredMean([empty])).toBeNull();
});

test('negative weights and what is no number are refused', () => {
  expect(() => clusteredMean([{ sum: 1, weight: -1 }])).toThrow('got -1');
  expect(() => clusteredMean([{ sum: Number.NaN, weight: 1 }])).toThrow('got NaN');
});
