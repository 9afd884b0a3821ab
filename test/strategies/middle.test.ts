/** Use of others' middle by belief-maker where it differs from its belief. */

import { describe, expect, it } from 'vitest';
import { logit } from '../../src/trader/strategy/strategy.js';
import { Middle } from '../../strategies/belief/middle.js';

/** Others are two ticks around each middle; the belief is this number of log-odds above it. */
function seen(middles: readonly number[], above: number): Middle {
  const middle = new Middle();
  for (const price of middles) middle.see(priceAt(logit(price) + above), price - 0.02, price + 0.02);
  return middle;
}

const priceAt = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** Up and down, each time by more than a quarter of the spread: the middle never stays at the belief. */
const RESTLESS = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 0.5 : 0.53));

describe("others' middle", () => {
  it('takes nothing off a belief before it has moved', () => {
    const middle = seen([0.5, 0.5, 0.504, 0.5], 0.2);
    expect([middle.confirmed, middle.excess]).toEqual([1, 0]);
  });

  it('confirms a belief that it comes to, however late', () => {
    const middle = new Middle();
    for (let n = 0; n < 50; n++) {
      const [from, to] = [0.4 + 0.001 * n, 0.425 + 0.001 * n];
      for (let again = 0; again < 30; again++) middle.see(to, from - 0.02, from + 0.02);
      middle.see(to, to - 0.02, to + 0.02);
    }
    expect(middle.confirmed).toBeCloseTo(1, 1);
  });

  it('refutes a belief that it moves to and fro beside', () => {
    const middle = seen(RESTLESS, 0.1);
    // 199 differences of .1, with one move of the middle in sum, 20 that count as confirmed, and one standard error.
    const move = logit(0.53) - logit(0.5);
    const squares = 199 * 0.01;
    expect(middle.confirmed).toBeCloseTo((0.2 + 0.1 * move + Math.sqrt(squares) * move) / (0.2 + squares), 9);
    expect(middle.excess).toBeCloseTo((1 - middle.confirmed) * 0.1, 9);
  });

  it('is the same seen from NO', () => {
    const yes = seen(RESTLESS, 0.1);
    const no = seen(
      RESTLESS.map((price) => 1 - price),
      -0.1,
    );
    expect(no.confirmed).toBeCloseTo(yes.confirmed, 12);
    expect(no.excess).toBeCloseTo(-yes.excess, 12);
  });

  it('never takes more than the difference, nor adds to it', () => {
    const against = new Middle();
    for (let n = 0; n < 40; n++) {
      const price = 0.8 - 0.015 * n;
      against.see(priceAt(logit(price) + 0.5), price - 0.02, price + 0.02);
    }
    expect(against.confirmed).toBe(0);
    const beyond = new Middle();
    for (let n = 0; n < 40; n++) {
      const price = 0.2 + 0.015 * n;
      beyond.see(priceAt(logit(price) + 0.01), price - 0.02, price + 0.02);
    }
    expect(beyond.confirmed).toBe(1);
  });

  it('is not known where a side is empty, and what was learned stays', () => {
    const middle = seen(RESTLESS, 0.1);
    const { confirmed } = middle;
    middle.see(0.5, null, 0.6);
    expect(middle.excess).toBe(0);
    expect(middle.confirmed).toBe(confirmed);
    // The move since before the empty side is not counted.
    middle.see(0.9, 0.78, 0.82);
    expect(middle.confirmed).toBe(confirmed);
  });

  it('goes on from what was saved', () => {
    const whole = seen(RESTLESS, 0.1);
    const begun = seen(RESTLESS.slice(0, 77), 0.1);
    const resumed = new Middle();
    resumed.restore(JSON.parse(JSON.stringify(begun.save())));
    expect(resumed.excess).toBe(begun.excess);
    for (const price of RESTLESS.slice(77)) resumed.see(priceAt(logit(price) + 0.1), price - 0.02, price + 0.02);
    expect(resumed.save()).toEqual(whole.save());
  });
});
