/** The published challenge, value by value: the golden values come from the original simulator, in Python. */

import { describe, expect, it, test } from 'vitest';
import { drawConfiguration, PythonRandom, startScore } from '../../../src/lab/arena/score.js';
import {
  drawRetail,
  floorToQuantum,
  type MakerSight,
  round10,
  SimulatedAccount,
  simulate,
} from '../../../src/lab/arena/simulation.js';
import { Starter } from './starter.js';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

const golden = [
  {
    seed: 0,
    random: [0.8444218515250481, 0.7579544029403025, 0.420571580830845],
    gauss: [-0.06700651572905797, 1.1947466787499987, -1.4471231264273656],
    lognormal: [1.2540714928472012, 17.603295586621005, 2.755048405610993],
    randint: [1, 3, 2, 3, 1, 1, 3, 4],
    uniform: 0.6794410370447008,
  },
  {
    seed: 2 ** 32 + 7,
    random: [0.22550888929893187, 0.35860096918797, 0.7992331241239754],
    gauss: [2.1902996297695494, -0.5571494926433979, 0.10967079921998629],
    lognormal: [10.273322686481272, 0.8433295756246347, 8.34207802008906],
    randint: [2, 4, 2, 4, 1, 1, 4, 1],
    uniform: 1.6992851533146194,
  },
];
it.each(golden)('numbers of seed $seed are those of Python', ({ seed, random, gauss, lognormal, randint, uniform }) => {
  const generator = new PythonRandom(seed);
  expect(times(3, () => generator.random())).toEqual(random);
  // The last bit of sine and cosine may differ between libraries.
  for (const value of gauss) expect(generator.gauss(0, 1)).toBeCloseTo(value, 14);
  expect(times(3, () => generator.lognormal(1, 1.2))).toEqual(lognormal);
  expect(times(8, () => generator.randint(1, 4))).toEqual(randint);
  expect(generator.uniform(-1, 2)).toBe(uniform);
});

test('rounding to ten places is half to even of the exact value; shares are rounded down to the quantum', () => {
  // 2^-11 and 3 x 2^-11 lie exactly between two decimals.
  expect([round10(1 / 2048), round10(3 / 2048), round10(-1 / 2048)]).toEqual([
    0.0004882812, 0.0014648438, -0.0004882812,
  ]);
  expect(round10(0.1 + 0.2)).toBe(0.3);
  expect(Object.is(round10(-1e-12), 0)).toBe(true);
  expect([floorToQuantum(0.3 / 0.1), floorToQuantum(1.2399), floorToQuantum(0.009)]).toEqual([3, 1.23, 0]);
});

const goldenScores = [
  [0.5166327772875721, 0.0024674996864686655, 0.368228632332338, -0.019286659976562932],
  [-0.5484536338313981, 0.002664354221261912, 0.5055098475906457, -0.019594477940846265],
  [0.684051407833874, 0.002885220471530569, 0.2226205470907235, -0.03321024038728627],
];
const goldenTakers = [
  [0.2552323948309845, 4.136636572016732, 61.62233227366909, 3],
  [0.2520961472442043, 4.301318975459177, 55.276462690692625, 2],
  [0.319428777869631, 5.360145079597262, 56.1470592691306, 3],
];
it.each([0, 1, 2])('the configuration that seed %i draws', (seed) => {
  const config = drawConfiguration(seed);
  const { initialScore, jumpIntensity, jumpSigma, jumpMean } = config;
  expect([initialScore, jumpIntensity, jumpSigma, jumpMean]).toEqual(goldenScores[seed]);
  const { retailRate, retailMeanNotional, competitorNotional, competitorSpread } = config;
  expect([retailRate, retailMeanNotional, competitorNotional, competitorSpread]).toEqual(goldenTakers[seed]);
});

test('the score and the true probability move as published', () => {
  const golden = [
    [0.516632777288, 0.639062703856, 0.535467085381, 0.644975273507],
    [-0.548453633831, 0.325432644536, -0.522689938768, 0.33191031623],
  ];
  const later = [
    [0.507535523287, 0.636315599687, 0.487208545403, 0.629976857078],
    [-0.493701026594, 0.33926946305, -0.515544490896, 0.333668576324],
  ];
  for (const seed of [0, 1]) {
    const score = startScore(drawConfiguration(seed), seed);
    const path = times(4, () => {
      const seen = [score.value, score.probability];
      score.step();
      return seen;
    });
    const wanted = [...(golden[seed] ?? []), ...(later[seed] ?? [])];
    // Published to twelve places; the cut of the jumps' tail affects the last of them.
    for (const [index, value] of path.flat().entries())
      expect(Math.abs(value - (wanted[index] ?? Number.NaN))).toBeLessThan(1e-12);
  }
});

test('uninformed orders come as published', () => {
  const firstOf = (seed: number) => {
    const [random, config] = [new PythonRandom(seed + 1), drawConfiguration(seed)];
    const steps = times(12, () => drawRetail(random, config));
    const orders = steps.flatMap((orders, step) => orders.map((order) => ({ step, ...order })));
    return orders.slice(0, 3).map(({ step, buys, notional }) => [step, buys, Number(notional.toFixed(9))]);
  };
  expect(firstOf(0)).toEqual([
    [1, true, 1.979437079],
    [3, true, 6.810465247],
    [9, true, 8.173528316],
  ]);
  expect(firstOf(1)).toEqual([
    [0, true, 28.639745286],
    [0, false, 0.768422834],
    [7, true, 0.339911979],
  ]);
});

it.each([
  [0, -1.7302268923, 0.2556150732, -1.9858419655, 52, 985.9544, 1],
  [1, -1.7225529078, 0, -1.7225529078, 40, 981.5, 1],
  [2, -2.1343347816, 0.9588870023, -3.0932217839, 119, 1010.6948, 1],
  [3, -0.061922601, 1.8129765058, -1.8748991068, 62, 1005.4957, 0],
  [4, -15.0646243275, 0, -15.0646243275, 44, 987.15, 0],
])('the beginner’s maker earns to the last digit what it earned in the original: seed %i: %d', (seed, ...golden) => {
  const { edge, uninformedEdge, informedEdge, fills, wealth, outcome, failure } = simulate(seed, new Starter());
  expect([edge, uninformedEdge, informedEdge, fills, wealth, outcome]).toEqual(golden);
  expect(failure).toBeNull();
});

describe('collateral', () => {
  it('is what a bid may cost, and for an ask YES first and then what NO may cost', () => {
    const account = new SimulatedAccount(1000);
    const bid = account.open({ kind: 'place', id: 'b', side: 'bid', tick: 40, shares: 100 });
    expect(account.freeCash).toBe(960);
    bid.remaining = 40;
    account.applyFill('b', 60);
    expect([account.cash, account.yes, account.freeCash]).toEqual([976, 60, 960]);
    const ask = account.open({ kind: 'place', id: 'a', side: 'ask', tick: 70, shares: 100 });
    // 60 shares cover it, 40 lock 0.30 each.
    expect([account.freeYes, account.freeCash]).toEqual([0, 948]);
    ask.remaining = 20;
    account.applyFill('a', 80);
    expect([account.cash, account.yes, account.no, account.freeCash]).toEqual([1012, 0, 20, 990]);
  });

  it.each([
    ['more than free cash', { tick: 50, shares: 2001 }, 'cash needed'],
    ['off the ticks', { tick: 100, shares: 1 }, 'tick 100 is not from'],
    ['below one quantum', { tick: 50, shares: 0.009 }, 'less than the minimum'],
  ])('an order for %s ends the simulation, and the edge so far counts', (_, order, message) => {
    const place = { kind: 'place', id: 'o', side: 'bid', ...order } as const;
    const result = simulate(0, { act: ({ step }: MakerSight) => (step === 9 ? [place] : []) });
    expect(result.failure).toContain(message);
    expect(result).toMatchObject({ edge: 0, wealth: 1000 });
  });

  it('knows no order that was never placed', () => {
    const result = simulate(0, { act: () => [{ kind: 'cancel', id: 'none' }] });
    expect(result.failure).toBe('there is no order none');
  });
});
