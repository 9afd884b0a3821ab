import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeMean, computeMoments } from '../../../src/shared/statistics/moments.js';
import { close, samples } from './fixtures.js';

describe('moments', () => {
  test('are those of SciPy (ddof 1, biased skew, raw kurtosis)', () => {
    const { mean, standardDeviation, skewness, kurtosis } = computeMoments([
      0.3, -1.2, 4.5, 0, 0, 2.25, -7.125, 3.5, 1, 0.5,
    ]);
    expect(mean).toBeCloseTo(0.3725, 14);
    expect(standardDeviation).toBeCloseTo(3.157364627167551, 13);
    expect(skewness).toBeCloseTo(-1.1820566432445523, 13);
    expect(kurtosis).toBeCloseTo(4.428055411554377, 13);
  });

  test('without samples are null', () => {
    expect(computeMoments([])).toEqual({
      count: 0,
      mean: null,
      standardDeviation: null,
      skewness: null,
      kurtosis: null,
    });
  });

  test('of one sample are its value and nothing more', () => {
    expect(computeMoments([0.1])).toEqual({
      count: 1,
      mean: 0.1,
      standardDeviation: null,
      skewness: null,
      kurtosis: null,
    });
  });

  test.each([[0], [0.1], [-1 / 3], [1e12 + 0.1]])('of equal values %d have deviation 0 and no shape', (value) => {
    const got = computeMoments(Array.from({ length: 7 }, () => value));
    expect(got).toMatchObject({ count: 7, standardDeviation: 0, skewness: null, kurtosis: null });
  });

  test('keep small differences between large values', () => {
    const far = computeMoments([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]);
    expect(far.standardDeviation).toBeCloseTo(Math.sqrt(30), 6);
  });

  test('are null, never Infinity, where they overflow', () => {
    const { standardDeviation, skewness, kurtosis } = computeMoments([-1e200, 0, 1e200]);
    expect([standardDeviation, skewness, kurtosis]).toEqual([null, null, null]);
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY]])('refuse %d', (value) => {
    expect(() => computeMoments([1, value])).toThrow(`got ${value}`);
  });
});

test('moments are what their definitions say', () => {
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
  );
});

test('a typed column is as good as an array', () => {
  expect(computeMean(Float64Array.of(1, 2, 6))).toBe(3);
  expect(computeMean(new Int32Array(0))).toBeNull();
});
