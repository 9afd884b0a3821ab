import { describe, expect, test } from 'vitest';
import { type StoikovSetting, stoikovQuotes } from '../../../../src/trader/strategy/maths/inventory-quotes.js';

function spreadOf(setting: StoikovSetting, timeLeft: number): number {
  const { bid, ask } = stoikovQuotes(0, 0, setting, timeLeft);
  return ask - bid;
}

describe('quotes of Avellaneda and Stoikov', () => {
  // Section 3.3 of the published paper prints the mean over time of the spread, which is linear in time.
  test.each([
    [0.1, 1.4908, 1.49],
    [0.01, 1.3489, 1.35],
    [1, 3.0217, 3.02],
    [0.5, 2.1507, 2.15],
  ])('gamma %d: the mean spread is %d, printed as %d', (gamma, spread, printed) => {
    const mean = spreadOf({ gamma, sigma: 2, k: 1.5 }, 1 / 2);
    expect(mean).toBeCloseTo(spread, 4);
    expect(mean).toBeCloseTo(printed, 2);
  });

  test('lie at the distances that the paper gives (equations 29 and 30, solved for each side)', () => {
    const [gamma, sigma, k, timeLeft] = [0.1, 2, 1.5, 0.7];
    for (const inventory of [-20, -1, 0, 3, 20]) {
      const { bid, ask } = stoikovQuotes(100, inventory, { gamma, sigma, k }, timeLeft);
      const risk = (gamma * sigma ** 2 * timeLeft) / 2;
      const base = Math.log(1 + gamma / k) / gamma;
      expect(ask - 100).toBeCloseTo((1 - 2 * inventory) * risk + base, 12);
      expect(100 - bid).toBeCloseTo((1 + 2 * inventory) * risk + base, 12);
    }
  });

  test('of a risk-neutral maker lie 1 / k from the price', () => {
    expect(spreadOf({ gamma: 0, sigma: 2, k: 1.5 }, 1)).toBeCloseTo(2 / 1.5, 12);
    expect(spreadOf({ gamma: 1e-9, sigma: 2, k: 1.5 }, 1)).toBeCloseTo(2 / 1.5, 8);
    expect(stoikovQuotes(10, 7, { gamma: 0, sigma: 2, k: 2 }, 1)).toEqual({ bid: 9.5, ask: 10.5 });
  });
});
