import { expect, it } from 'vitest';
import { batchOf, isPullingWorth, pairCost, USUAL_ECONOMICS } from '../../../src/trader/strategy/economics.js';

const at = (currencyPricePerS: number, requestPrice = 0.001) => ({ requestPrice, currencyPricePerS });

it('a batch is 6.324555 sets where currency costs 1e-6 a second, and 20 at 1e-7', () => {
  expect(batchOf(at(1e-6), 0.01)).toBeCloseTo(6.324555, 6);
  expect(batchOf(at(1e-7), 0.01)).toBeCloseTo(20, 9);
  expect(batchOf(USUAL_ECONOMICS, 0.01)).toBeCloseTo(20, 9);
});

it('a batch costs least: half as many sets and twice as many cost more a second, and pairs cost what is left', () => {
  const prices = at(3e-7, 0.002);
  const perSecond = (sets: number) => (2 * prices.requestPrice * 0.02) / sets + (prices.currencyPricePerS * sets) / 2;
  const best = batchOf(prices, 0.02);
  for (const other of [best / 2, best * 0.99, best * 1.01, best * 2])
    expect(perSecond(other)).toBeGreaterThan(perSecond(best));
  expect(pairCost(prices, 0.02) * 0.02).toBeCloseTo(perSecond(best), 12);
});

it('orders are pulled for pairs that wait long enough, and never where currency costs nothing', () => {
  const waiting = (waitS: number, orders = 1) => ({ pairs: 20, orders, waitS });
  expect([isPullingWorth(USUAL_ECONOMICS, waiting(1_999)), isPullingWorth(USUAL_ECONOMICS, waiting(2_001))]).toEqual([
    false,
    true,
  ]);
  expect(isPullingWorth(USUAL_ECONOMICS, waiting(2_001, 2))).toBe(false);
  expect(isPullingWorth(at(0), waiting(1e9))).toBe(false);
});
