import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { computeMean } from '../../../src/shared/statistics/moments.js';
import { backtestOverfitting } from '../../../src/shared/statistics/sharpe.js';

/** The paper's procedure, step by step: join the samples of each half, compute, sort, look up. */
function plain(trials: readonly (readonly number[])[], blocks: number): number[] {
  const samples = trials[0]?.length ?? 0;
  const place = (block: number) => Math.floor((block * samples) / blocks);
  const half = (trial: readonly number[], chosen: readonly number[]) =>
    chosen.flatMap((block) => trial.slice(place(block), place(block + 1)));
  const judge = (values: readonly number[]) => computeMean(values) ?? 0;
  const all = Array.from({ length: blocks }, (_, block) => block);
  return subsets(all, blocks / 2).map((chosen) => {
    const rest = all.filter((block) => !chosen.includes(block));
    const seen = trials.map((trial) => judge(half(trial, chosen)));
    const unseen = trials.map((trial) => judge(half(trial, rest)));
    const best = seen.indexOf(Math.max(...seen));
    const rank = 1 + unseen.filter((value) => value < (unseen[best] ?? 0)).length;
    const share = rank / (trials.length + 1);
    return Math.log(share / (1 - share));
  });
}

function subsets(items: readonly number[], size: number): number[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, i) => subsets(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]));
}

const noise = (trials: number, samples: number, seed: number): number[][] => {
  const random = Random.fromSeed(seed, 'trials');
  return Array.from({ length: trials }, () => Array.from({ length: samples }, () => random.normal()));
};

test('it is the procedure of the paper', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 6 }),
      fc.constantFrom(2, 4, 6),
      fc.integer({ min: 12, max: 31 }),
      fc.nat(1000),
      (trials, blocks, samples, seed) => {
        const rows = noise(trials, samples, seed);
        const expected = plain(rows, blocks);
        const got = backtestOverfitting(rows, blocks);
        expect(got?.probability).toBe(expected.filter((logit) => logit <= 0).length / expected.length);
      },
    ),
    { numRuns: 40 },
  );
});

test('a search among strategies without skill is overfitted about half of the time, one with skill never', () => {
  const searches = Array.from({ length: 40 }, (_, seed) => backtestOverfitting(noise(10, 80, seed), 8));
  expect(Math.abs((computeMean(searches.map((found) => found?.probability ?? 0)) ?? 0) - 0.5)).toBeLessThan(0.1);
  const skilled = noise(10, 80, 1).map((trial, i) => trial.map((value) => value + (i === 3 ? 3 : 0)));
  expect(backtestOverfitting(skilled, 8)).toMatchObject({ probability: 0, lossProbability: 0 });
});

test('two strategies that are each good in one half only are overfitted for certain', () => {
  const trials = [
    [2, 1, -2, -1],
    [-1, -2, 1, 2],
  ];
  expect(backtestOverfitting(trials, 2)).toEqual({ probability: 1, lossProbability: 1 });
});

describe('trials that do not vary', () => {
  test('a trial that never traded earns nothing, and is better than losing', () => {
    const losing = noise(3, 40, 2).map((trial) => trial.map((value) => value - 4));
    const trials = [...losing, Array.from({ length: 40 }, () => 0)];
    expect(backtestOverfitting(trials, 4)).toMatchObject({ probability: 0, lossProbability: 0 });
  });

  test('trials that all did the same tell nothing for the winner', () => {
    const trials = Array.from({ length: 4 }, () => [1, -1, 2, 0, 1, 3, -2, 1]);
    expect(backtestOverfitting(trials, 4)).toMatchObject({ probability: 1 });
  });
});

test.each([
  ['no trial', [], 4],
  ['one trial', [[1, 2, 3, 4]], 4],
  [
    'fewer samples than blocks',
    [
      [1, 2, 3],
      [3, 2, 1],
    ],
    4,
  ],
  [
    'fewer samples than a deviation needs',
    [
      [1, 2],
      [3, 2],
    ],
    2,
  ],
])('%s tells nothing', (_name, trials, blocks) => {
  expect(backtestOverfitting(trials, blocks)).toBeNull();
});

test('rows of unequal length, impossible blocks and what is no number are refused', () => {
  expect(() => backtestOverfitting([[1, 2], [1]], 16)).toThrow('2, got 1');
  for (const blocks of [0, 3, 22, 2.5]) expect(() => backtestOverfitting([], blocks)).toThrow(`got ${blocks}`);
  expect(() =>
    backtestOverfitting(
      [
        [1, 2, 3, Number.NaN],
        [1, 2, 3, 4],
      ],
      2,
    ),
  ).toThrow('got NaN');
});
