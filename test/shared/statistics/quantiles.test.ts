import fc from 'fast-check';
import { expect, test } from 'vitest';
import { median, quantile, quantileOfSorted, sortValues } from '../../../src/shared/statistics/quantiles.js';
import { close, samples } from './fixtures.js';

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

test('a quantile lies on the line through the neighbouring samples', () => {
  fc.assert(
    fc.property(samples({ minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, part) => {
      const ascending = [...values].sort((a, b) => a - b);
      const place = part * (values.length - 1);
      const [low = 0, high = 0] = [ascending[Math.floor(place)], ascending[Math.ceil(place)]];
      close(quantile(values, part), low + (high - low) * (place - Math.floor(place)));
    }),
  );
});

test('quantiles stand in order and between the extremes', () => {
  fc.assert(
    fc.property(samples({ minLength: 1 }), fc.nat(100), fc.nat(100), (values, a, b) => {
      const ascending = sortValues(values);
      const [low, high] = [Math.min(a, b) / 100, Math.max(a, b) / 100].map(
        (at) => quantileOfSorted(ascending, at) ?? 0,
      );
      expect(low).toBeLessThanOrEqual(high ?? 0);
      expect(low).toBeGreaterThanOrEqual(Math.min(...values));
      expect(high).toBeLessThanOrEqual(Math.max(...values));
    }),
  );
});

test('between equal samples it is exactly their value', () => {
  for (let part = 0; part <= 1; part += 1 / 128) expect(quantile([0.1, 0.1, 0.1, 0.1], part)).toBe(0.1);
});

test('without samples there is no quantile, of one sample it is its value', () => {
  expect(median([])).toBeNull();
  expect(quantile([4], 0.3)).toBe(4);
});

test('what is no part, and what is no number, is refused', () => {
  for (const part of [-0.1, 1.1, Number.NaN]) expect(() => quantile([1, 2], part)).toThrow(`got ${part}`);
  expect(() => median([1, Number.NaN])).toThrow('at index 1, got NaN');
});

test('the values that were given stay in their order', () => {
  const values = [3, 1, 2];
  median(values);
  expect(values).toEqual([3, 1, 2]);
});
