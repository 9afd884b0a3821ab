import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalCdf, normalDensity, normalQuantile } from '../../../src/shared/base/random.js';

// Reference values: mpmath with 40 digits.
test.each([
  [-20, 2.7536241186062337e-89],
  [-8, 6.220960574271784e-16],
  [-3.0001, 0.0013494549132607172],
  [-3, 0.0013498980316300946],
  [-1, 0.15865525393145705],
  [0, 0.5],
  [1.959964, 0.9750000009035577],
  [3, 0.9986501019683699],
  [3.0001, 0.9986505450867392],
  [5, 0.9999997133484281],
  [8, 0.9999999999999993],
  [Number.NEGATIVE_INFINITY, 0],
  [Number.POSITIVE_INFINITY, 1],
])('the normal distribution function is right to 1e-15, and its tail to 12 digits: Phi(%d)', (z, expected) => {
  expect(Math.abs(normalCdf(z) - expected)).toBeLessThan(1e-15);
  if (expected > 0) expect(Math.abs(normalCdf(z) / expected - 1)).toBeLessThan(1e-12);
});

test.each([
  [1e-300, -37.0470962993612],
  [1e-20, -9.262340089798407],
  [1e-9, -5.9978070150076865],
  [0.001, -3.0902323061678136],
  [0.025, -1.9599639845400543],
  [0.3, -0.5244005127080408],
  [0.5, 0],
  [0.8, 0.8416212335729144],
  [0.999, 3.090232306167813],
  [0.999999, 4.753424308817088],
])('the quantile is right to 1e-9 and better, in the far tail too: Phi^-1(%d)', (p, expected) =>
  expect(Math.abs(normalQuantile(p) - expected)).toBeLessThan(1e-12),
);

test('quantile and distribution function undo each other for every probability', () =>
  fc.assert(
    fc.property(fc.double({ min: 1e-300, max: 1 - 1e-9, noNaN: true }), (p) => {
      expect(Math.abs(normalCdf(normalQuantile(p)) - p)).toBeLessThan(1e-12);
    }),
  ));

test('the distribution function is symmetric, rises, and has the density for slope', () =>
  fc.assert(
    fc.property(fc.double({ min: -9, max: 9, noNaN: true }), (z) => {
      expect(Math.abs(normalCdf(z) + normalCdf(-z) - 1)).toBeLessThan(1e-15);
      const slope = (normalCdf(z + 1e-4) - normalCdf(z - 1e-4)) / 2e-4;
      expect(Math.abs(slope - normalDensity(z))).toBeLessThan(1e-8);
    }),
  ));

test('what is no probability has no quantile', () => {
  for (const p of [-0.1, 1.1, Number.NaN]) expect(() => normalQuantile(p)).toThrow(`got ${p}`);
});
