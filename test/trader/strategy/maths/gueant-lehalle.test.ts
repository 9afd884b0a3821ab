import { describe, expect, test } from 'vitest';
import { gueantQuotes } from '../../../../src/trader/strategy/maths/inventory-quotes.js';

/** Figures 1 to 3 of arXiv 1105.3115: orders of one unit and one risk aversion. */
const FIGURES = { a: 0.9, k: 0.3, gamma: 0.01, xi: 0.01, orderSize: 1, sigma: 0.3 };

test('GLFT, figures 1 to 3: the closed form has the constants c and s', () => {
  const { half, skew } = gueantQuotes(FIGURES);
  expect(skew).toBeCloseTo(0.067866, 6);
  expect(half - skew / 2).toBeCloseTo(3.278982, 6);
});

test.each([
  // The panels' captions are exchanged and misprinted in the draft: these parameters give their curves.
  ['right', 0.9, -30, 0.6096],
  ['right', 0.9, 30, 6.0389],
  ['left', 0.2, -30, -2.3836],
  ['left', 0.2, 30, 9.1336],
])('GLFT, figure 4: %s panel, a = %d, closed-form bid with %d units', (_panel, a, inventory, distance) => {
  const { half, skew } = gueantQuotes({ ...FIGURES, sigma: 0.4, a });
  expect(half + skew * inventory).toBeCloseTo(distance, 4);
});

test('GLFT without risk aversion quotes 1 / k from the fair price at any inventory', () =>
  expect(gueantQuotes({ ...FIGURES, gamma: 0, xi: 0 })).toEqual({ half: 1 / 0.3, skew: 0 }));

describe('the closed form with order size (Guéant 2016), as in the hftbacktest notebook', () => {
  const setting = { a: 2.986162360812285, k: 0.04235741115084049, gamma: 0.05, xi: 0.05, orderSize: 1, sigma: 10.69 };

  test('cell 24 to 1e-15 of its sixteen digits', () => {
    const { half, skew } = gueantQuotes(setting);
    expect(Math.abs(half / 20.47208533844371 - 1)).toBeLessThan(1e-15);
    expect(Math.abs(skew / 9.76326865029227 - 1)).toBeLessThan(1e-15);
  });

  test('without fear of not being filled it is its own limit', () => {
    const limit = gueantQuotes({ ...setting, xi: 1e-9 });
    const zero = gueantQuotes({ ...setting, xi: 0 });
    expect(limit.half / zero.half).toBeCloseTo(1, 6);
    expect(limit.skew / zero.skew).toBeCloseTo(1, 6);
    expect(zero.skew).toBeCloseTo(10.69 * Math.sqrt((0.05 * Math.E) / (2 * setting.a * setting.k)), 9);
  });
});
