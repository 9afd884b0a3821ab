import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { autoregression, halfLife } from '../../../src/shared/statistics/half-life.js';
import { close, samples } from './fixtures.js';

test('a position that halves with each sample has a half-life of one', () => {
  expect(halfLife([64, 32, 16, 8, 4, 2, 1])).toBeCloseTo(1, 12);
  expect(halfLife([103, 102, 101.5, 101.25, 101.125].map((value) => value * -7))).toBeCloseTo(1, 12);
});

test('the slope is that of numpy.polyfit', () => {
  expect(autoregression([0.3, -1.2, 4.5, 0, 0, 2.25, -7.125, 3.5, 1, 0.5])).toBeCloseTo(-0.49002025, 8);
});

test('the half-life of a simulated position is found again', () => {
  const random = Random.fromSeed(3, 'half-life');
  let value = 0;
  const values = Array.from({ length: 20_000 }, () => (value = 0.9 * value + random.normal()));
  // The standard error of phi is sqrt((1 - phi^2) / n) = .003, a 3 % error of the half-life 6.58.
  expect(Math.abs((halfLife(values) ?? 0) - 6.58)).toBeLessThan(0.8);
});

test('the slope is that of the normal equations', () => {
  fc.assert(
    fc.property(samples({ minLength: 3 }), (money) => {
      // In whole cents the sums of the normal equations are exact.
      const values = money.map((value) => Math.round(value * 100));
      const [before, after] = [values.slice(0, -1), values.slice(1)];
      const sum = (of: (i: number) => number) => before.reduce((total, _value, i) => total + of(i), 0);
      const [x, y] = [(i: number) => before[i] ?? 0, (i: number) => after[i] ?? 0];
      const n = before.length;
      const bottom = n * sum((i) => x(i) ** 2) - sum(x) ** 2;
      if (new Set(before).size < 2) return expect(autoregression(values)).toBeNull();
      const slope = (n * sum((i) => x(i) * y(i)) - sum(x) * sum(y)) / bottom;
      expect(Math.abs((autoregression(values) ?? 0) - slope)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(slope)));
    }),
  );
});

test.each([
  ['no sample', []],
  ['two samples', [1, 2]],
  ['no variance', [5, 5, 5, 5]],
  ['a position that runs away', [1, 2, 4, 8, 16]],
  ['a position that swings about', [1, -1, 1, -1, 1]],
])('%s has no half-life', (_name, values) => {
  expect(halfLife(values)).toBeNull();
});

test('the slope of what was never touched is close to nothing', () => close(autoregression([0, 0, 1, 0, 0]), -1 / 3));
