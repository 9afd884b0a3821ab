import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import {
  computeLogOdds,
  FLOW_HALF_LIFE_MS,
  Flow,
  SIGMA_FLOOR,
  Volatility,
} from '../../../src/trader/market/estimators.js';
import { sigmoid } from '../../../src/trader/strategy/maths/log-odds.js';
import { forAll } from '../for-all.js';

/** A grid that is too fine to matter. */
const FINE = 1e-6;
const TICK = 0.01;

describe('volatility', () => {
  test.each([
    ['every 2 s', 2000, 0],
    ['every 10 s', 10_000, 0],
    ['irregularly', 1000, 15_000],
  ])('finds the sigma of a random walk that is looked at %s', (_, shortest, spread) => {
    const random = Random.fromSeed(7);
    const sigma = 0.02;
    const volatility = new Volatility();
    const estimates: number[] = [];
    let [x, nowMs] = [0, 0];
    for (let i = 0; i < 4000; i++) {
      const stepMs = shortest + random.below(spread + 1);
      nowMs += stepMs;
      x = Math.max(-2, Math.min(2, x + sigma * Math.sqrt(stepMs / 1000) * random.normal()));
      volatility.observe(sigmoid(x), nowMs, FINE);
      if (i > 500) estimates.push(volatility.sigmaPerSqrtS);
    }
    const mean = estimates.reduce((a, b) => a + b, 0) / estimates.length;
    expect(mean / sigma).toBeGreaterThan(0.85);
    expect(mean / sigma).toBeLessThan(1.1);
  });

  test('is, of a rounded price, what it was reckoned to be from the same looks', () => {
    const volatility = new Volatility();
    const looks = [
      [0, 0.5],
      [60, 0.505],
      [120, 0.51],
      [200, 0.515],
      [500, 0.515],
      [560, 0.505],
      [620, 0.5],
    ] as const;
    const read = looks.map(([second, mid]) => {
      volatility.observe(mid, second * 1000, TICK / 2);
      return volatility.sigmaPerSqrtS;
    });
    // By another program. One sample ends after 200 s; the last is open, three steps of its grid being 0.060054.
    const golden = [0.002, 0.0020206423, 0.0021414474, 0.0029468308, 0.0024617914, 0.0027178865, 0.0029927076];
    read.forEach((sigma, i) => {
      expect(sigma / (golden[i] ?? 0)).toBeCloseTo(1, 7);
    });
  });

  test.each([1, 3, 10, 30])(
    'of a calm market is not seen in the rounding of its price, looked at every %i s',
    (stepS) => {
      const sigma = 0.002;
      const found = Array.from({ length: 12 }, (_, seed) => {
        const random = Random.fromSeed(seed);
        const volatility = new Volatility();
        let x = 0;
        for (let second = 0; second < 5400; second += stepS) {
          x += sigma * Math.sqrt(stepS) * random.normal();
          volatility.observe(Math.round(sigmoid(x) / (TICK / 2)) * (TICK / 2), second * 1000, TICK / 2);
        }
        return Math.log(volatility.sigmaPerSqrtS / sigma);
      });
      const bias = Math.exp(found.reduce((a, b) => a + b, 0) / found.length);
      expect(bias).toBeGreaterThan(0.75);
      expect(bias).toBeLessThan(1.3);
    },
  );

  test('counts jumps apart from the rest', () => {
    const volatility = new Volatility();
    expect(volatility.jumpsPerS).toBeCloseTo(1 / 3600, 12);
    for (let i = 0; i <= 720; i++) volatility.observe(i === 360 ? 0.7 : 0.5, i * 5000, TICK / 2);
    // There and back.
    expect(volatility.jumpsPerS).toBeCloseTo(3 / 7200, 4);
  });

  test('begins with what was known before', () => {
    const volatility = new Volatility();
    volatility.setPrior(0.01);
    expect(volatility.sigmaPerSqrtS).toBe(0.01);
    for (let i = 0; i < 100; i++) volatility.observe(0.5, i * 60_000, TICK / 2);
    expect(volatility.sigmaPerSqrtS).toBeLessThan(0.002);
  });

  test('of a market that never moves falls to the floor and no further', () => {
    const volatility = new Volatility();
    // Within days: a price on a grid of cents may be constant for this time at the floor.
    for (let i = 0; i < 5000; i++) volatility.observe(0.4, i * 60_000, TICK / 2);
    expect(volatility.sigmaPerSqrtS).toBe(SIGMA_FLOOR);
  });

  test('counts one jump for no more than its bound, and forgets it', () => {
    const jumped = new Volatility();
    for (let i = 0; i < 100; i++) jumped.observe(0.4, i * 2000, TICK / 2);
    jumped.observe(0.99, 200_000, TICK / 2);
    const after = jumped.sigmaPerSqrtS;
    expect(after).toBeLessThan(0.006);
    for (let i = 1; i < 600; i++) jumped.observe(0.99, 200_000 + i * 5000, TICK / 2);
    expect(jumped.sigmaPerSqrtS).toBeLessThan(after / 2);
  });

  test('is finite and positive whatever is observed', () => {
    const observation = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 10 ** 9 }));
    forAll([fc.array(observation)], (observations) => {
        const volatility = new Volatility();
        let nowMs = 0;
        for (const [p, pause] of observations) {
          nowMs += pause;
          volatility.observe(p, nowMs, TICK / 2);
        }
        expect(volatility.sigmaPerSqrtS).toBeGreaterThanOrEqual(SIGMA_FLOOR);
        expect(Number.isFinite(volatility.sigmaPerSqrtS)).toBe(true);
      });
  });
});

test('log-odds are clipped at both ends', () => {
  expect([computeLogOdds(0), computeLogOdds(0.5), computeLogOdds(1)]).toEqual([-7, 0, 7]);
});

describe('trade flow', () => {
  test('weighs by size and forgets by half per half-life', () => {
    const flow = new Flow();
    flow.observe({ price: 0.4, shares: 30, bought: true }, 0);
    flow.observe({ price: 0.5, shares: 10, bought: false }, 0);
    expect(flow.at(0)).toMatchObject({ tradePrice: 0.425, tradeWeightShares: 40, flowImbalance: 0.5 });
    expect(flow.at(FLOW_HALF_LIFE_MS)).toMatchObject({ tradePrice: 0.425, tradeWeightShares: 20 });
    flow.observe({ price: 0.9, shares: 20, bought: false }, FLOW_HALF_LIFE_MS);
    expect(flow.at(FLOW_HALF_LIFE_MS).tradePrice).toBeCloseTo(0.6625, 12);
  });

  test('a late trade counts as decayed as it is', () => {
    const flow = new Flow();
    flow.observe({ price: 0.5, shares: 8, bought: true }, FLOW_HALF_LIFE_MS);
    flow.observe({ price: 0.5, shares: 8, bought: false }, 0);
    expect(flow.at(FLOW_HALF_LIFE_MS).tradeWeightShares).toBeCloseTo(12, 12);
  });

  test('measures shares per second of a steady stream', () => {
    const flow = new Flow();
    for (let i = 0; i <= 1200; i++) flow.observe({ price: 0.5, shares: 3, bought: i % 2 === 0 }, i * 1000);
    expect(flow.at(1_200_000).flowSharesPerS).toBeCloseTo(3, 1);
    expect(Math.abs(flow.at(1_200_000).flowImbalance)).toBeLessThan(0.02);
  });

  test('says nothing before the first trade', () => {
    expect(new Flow().at(5)).toEqual({ tradePrice: null, tradeWeightShares: 0, flowImbalance: 0, flowSharesPerS: 0 });
  });
});
