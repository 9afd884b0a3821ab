import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { computeMean } from '../../../src/shared/statistics/moments.js';
import { backtestOverfitting, sharpePerSample } from '../../../src/shared/statistics/sharpe.js';

/** The paper's procedure, step by step: join the samples of each half, compute, sort, look up. */
function plain(trials: readonly (readonly number[])[], blocks: number, performance: 'sharpe' | 'mean'): number[] {
  const samples = trials[0]?.length ?? 0;
  const place = (block: number) => Math.floor((block * samples) / blocks);
  const half = (trial: readonly number[], chosen: readonly number[]) =>
    chosen.flatMap((block) => trial.slice(place(block), place(block + 1)));
  const judge = (values: readonly number[]) =>
    (performance === 'mean' ? computeMean(values) : sharpePerSample(values)) ?? 0;
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

test.each(['sharpe', 'mean'] as const)('by %s it is the procedure of the paper', (performance) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 6 }),
      fc.constantFrom(2, 4, 6),
      fc.integer({ min: 12, max: 31 }),
      fc.nat(1000),
      (trials, blocks, samples, seed) => {
        const rows = noise(trials, samples, seed);
        const expected = plain(rows, blocks, performance).sort((a, b) => a - b);
        const got = backtestOverfitting({ trials: rows, blocks, performance });
        expect([...(got?.logits ?? [])].sort((a, b) => a - b)).toEqual(expected);
        expect(got?.probability).toBe(expected.filter((logit) => logit <= 0).length / expected.length);
      },
    ),
    { numRuns: 40 },
  );
});

test('unless told it tries all 12,870 ways to halve 16 blocks', () => {
  expect(backtestOverfitting({ trials: noise(5, 64, 1) })?.logits.length).toBe(12_870);
});

test('a search among strategies without skill is overfitted about half of the time, one with skill never', () => {
  const searches = Array.from({ length: 40 }, (_, seed) =>
    backtestOverfitting({ trials: noise(10, 80, seed), blocks: 8 }),
  );
  expect(Math.abs((computeMean(searches.map((found) => found?.probability ?? 0)) ?? 0) - 0.5)).toBeLessThan(0.1);
  const skilled = noise(10, 80, 1).map((trial, i) => trial.map((value) => value + (i === 3 ? 3 : 0)));
  expect(backtestOverfitting({ trials: skilled, blocks: 8 })).toMatchObject({ probability: 0, lossProbability: 0 });
});

test('two strategies that are each good in one half only are overfitted for certain', () => {
  const trials = [
    [2, 1, -2, -1],
    [-1, -2, 1, 2],
  ];
  const found = backtestOverfitting({ trials, blocks: 2 });
  expect(found).toMatchObject({ probability: 1, lossProbability: 1 });
  expect(found?.medianLogit).toBeCloseTo(Math.log(1 / 2), 12);
});

describe('trials that do not vary', () => {
  test('a trial that never traded earns nothing, and is better than losing', () => {
    const losing = noise(3, 40, 2).map((trial) => trial.map((value) => value - 4));
    const trials = [...losing, Array.from({ length: 40 }, () => 0)];
    expect(backtestOverfitting({ trials, blocks: 4 })).toMatchObject({ probability: 0, lossProbability: 0 });
  });

  test('trials that all did the same tell nothing for the winner', () => {
    const trials = Array.from({ length: 4 }, () => [1, -1, 2, 0, 1, 3, -2, 1]);
    expect(backtestOverfitting({ trials, blocks: 4 })).toMatchObject({ probability: 1, medianLogit: 0 });
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
  expect(backtestOverfitting({ trials, blocks })).toBeNull();
});

test('rows of unequal length, impossible blocks and what is no number are refused', () => {
  expect(() => backtestOverfitting({ trials: [[1, 2], [1]] })).toThrow('2, got 1');
  for (const blocks of [0, 3, 22, 2.5])
    expect(() => backtestOverfitting({ trials: [], blocks })).toThrow(`got ${blocks}`);
  expect(() =>
    backtestOverfitting({
      trials: [
        [1, 2, 3, Number.NaN],
        [1, 2, 3, 4],
      ],
      blocks: 2,
    }),
  ).toThrow('got NaN');
});
