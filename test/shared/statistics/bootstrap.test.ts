import { expect, test } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { bootstrapSum } from '../../../src/shared/statistics/bootstrap.js';
import { computeMean, computeMoments } from '../../../src/shared/statistics/moments.js';

const normals = (count: number, stream: string): number[] => {
  const random = Random.fromSeed(11, stream);
  return Array.from({ length: count }, () => random.normal());
};

test('for many events the interval is nearly the normal one', () => {
  const events = normals(100, 'error');
  const { mean, standardDeviation } = computeMoments(events);
  const interval = bootstrapSum(events, 1);
  const expected = (standardDeviation ?? 0) * 10;
  expect(Math.abs((interval?.low ?? 0) - ((mean ?? 0) * 100 - 1.96 * expected))).toBeLessThan(0.25 * expected);
  expect(Math.abs((interval?.high ?? 0) - ((mean ?? 0) * 100 + 1.96 * expected))).toBeLessThan(0.25 * expected);
});

test('an interval of 95 % holds the truth about nineteen times of twenty', () => {
  const covered = Array.from({ length: 300 }, (_, seed) => {
    const interval = bootstrapSum(normals(40, `coverage ${seed}`), seed);
    return interval !== null && interval.low <= 0 && interval.high >= 0 ? 1 : 0;
  });
  // The standard error of the share is 1.3 %; a percentile interval is known to be slightly short.
  expect(Math.abs((computeMean(covered) ?? 0) - 0.94)).toBeLessThan(0.05);
});

test('the same seed gives the same interval, another one another, and the events stay as they are', () => {
  const events = normals(20, 'seed');
  const before = [...events];
  expect(bootstrapSum(events, 4)).toEqual(bootstrapSum(events, 4));
  expect(bootstrapSum(events, 5)?.low).not.toBe(bootstrapSum(events, 4)?.low);
  expect(events).toEqual(before);
});

test('fewer than two events have no interval', () => {
  for (const events of [[], [1]]) expect(bootstrapSum(events, 1)).toBeNull();
});
