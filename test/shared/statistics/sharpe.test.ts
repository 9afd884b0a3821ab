import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sharpePerSample } from '../../../src/shared/statistics/deflated-sharpe.js';
import { close, samples } from './fixtures.js';

const CHANGES = [0.3, -1.2, 4.5, 0, 0, 2.25, -7.125, 3.5, 1, 0.5];

test('the ratio is that of NumPy for the convention of hftbacktest', () => {
  expect(sharpePerSample(CHANGES)).toBeCloseTo(0.1179781380949235, 14);
});

test('the ratio is what its definition says, and knows no currency', () => {
  fc.assert(
    fc.property(samples({ minLength: 2 }), fc.integer({ min: 1, max: 1000 }), (values, unit) => {
      const n = values.length;
      const mean = values.reduce((a, b) => a + b, 0) / n;
      const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
      const other = values.map((value) => value * unit);
      if (new Set(values).size > 1) close(sharpePerSample(values), mean / Math.sqrt(variance));
      close(sharpePerSample(other), sharpePerSample(values));
    }),
  );
});

describe('a ratio that is not defined is null', () => {
  test.each([
    ['no sample', [], null],
    ['one gain', [1], null],
    ['one loss', [-2], null],
    ['the same gain each time', [0.1, 0.1, 0.1], null],
    ['nothing at all', [0, 0, 0], null],
    ['no loss', [1, 2, 3], 2],
  ])('%s', (_name, changes, sharpe) => {
    expect(sharpePerSample(changes)).toBe(sharpe);
  });
});
