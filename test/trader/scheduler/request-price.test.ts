import { expect, it } from 'vitest';
import { RequestPrice } from '../../../src/trader/scheduler/request-price.js';

/** After this number of polls, five seconds apart, with this part of a burst left at each. */
function follow(price: RequestPrice, looks: number, left: number): number {
  for (let i = 0; i < looks; i++) price.look({ burstLeft: () => left }, 5000 * ++at);
  return price.above(0.001);
}
let at = 0;

it('rises while less than half of a burst is left and falls while more is, within its bounds', () => {
  const price = new RequestPrice();
  expect(follow(price, 10, 1)).toBe(0.001);
  expect(follow(price, 10, 0)).toBeCloseTo(0.001 * Math.E, 9);
  expect(follow(price, 20, 0.5), 'as many are wanted as there are').toBeCloseTo(0.001 * Math.E, 9);
  expect(follow(price, 5, 1)).toBeCloseTo(0.001 * Math.exp(0.5), 9);
  expect(follow(price, 1000, 0)).toBeCloseTo(0.001 * Math.exp(7), 6);
  expect(follow(price, 1000, 1)).toBe(0.001);
});

it('does not depend on how often it is looked at within five seconds', () => {
  const price = new RequestPrice();
  for (let ms = 0; ms < 50_000; ms += 100) price.look({ burstLeft: () => 0 }, ms);
  expect(price.above(1)).toBeCloseTo(Math.E, 9);
});
