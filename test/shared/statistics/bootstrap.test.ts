import { expect, test } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { bootstrapByEvent } from '../../../src/shared/statistics/bootstrap.js';
import { computeMean, computeMoments } from '../../../src/shared/statistics/moments.js';

const normals = (count: number, stream: string): number[] => {
  const random = Random.fromSeed(11, stream);
  return Array.from({ length: count }, () => random.normal());
};

test('the standard error of a mean is the deviation over the root of the number of events', () => {
  const events = normals(100, 'error');
  const { mean, standardDeviation } = computeMoments(events);
  const interval = bootstrapByEvent({ events, statistic: computeMean, seed: 1 });
  expect(interval?.estimate).toBe(mean);
  const expected = (standardDeviation ?? 0) / 10;
  expect(Math.abs((interval?.standardError ?? 0) / expected - 1)).toBeLessThan(0.06);
  // For a mean of 100 the interval is nearly the normal one.
  expect(Math.abs((interval?.low ?? 0) - ((mean ?? 0) - 1.96 * expected))).toBeLessThan(0.25 * expected);
  expect(Math.abs((interval?.high ?? 0) - ((mean ?? 0) + 1.96 * expected))).toBeLessThan(0.25 * expected);
});

test('an interval of 90 % holds the truth about nine times of ten', () => {
  const covered = Array.from({ length: 300 }, (_, seed) => {
    const events = normals(40, `coverage ${seed}`);
    const interval = bootstrapByEvent({ events, statistic: computeMean, seed, resamples: 400, confidence: 0.9 });
    return interval !== null && interval.low <= 0 && interval.high >= 0 ? 1 : 0;
  });
  // The standard error of the share is 1.7 %; a percentile interval is known to be slightly short.
  expect(Math.abs((computeMean(covered) ?? 0) - 0.89)).toBeLessThan(0.07);
});

test('fills of one event are drawn together: an event of a thousand equal fills is one piece of evidence', () => {
  const events = [
    { sum: 1000, fills: 1000 },
    { sum: -1, fills: 1 },
    { sum: -1, fills: 1 },
  ];
  const perFill = (sample: readonly { sum: number; fills: number }[]) =>
    sample.reduce((total, event) => total + event.sum, 0) / sample.reduce((total, event) => total + event.fills, 0);
  const interval = bootstrapByEvent({ events, statistic: perFill, seed: 5 });
  expect(interval?.estimate).toBeGreaterThan(0.99);
  expect(interval?.low).toBe(-1);
});

test('the same seed gives the same interval, another one another', () => {
  const plan = { events: normals(20, 'seed'), statistic: computeMean, seed: 4, resamples: 200 };
  expect(bootstrapByEvent(plan)).toEqual(bootstrapByEvent(plan));
  expect(bootstrapByEvent({ ...plan, seed: 5 })?.low).not.toBe(bootstrapByEvent(plan)?.low);
});

test('the events that were given are not changed', () => {
  const events = [3, 1, 2];
  bootstrapByEvent({ events, statistic: computeMean, seed: 1, resamples: 10 });
  expect(events).toEqual([3, 1, 2]);
});

test('samples without the figure are counted and left out; when they are most, there is no interval', () => {
  const ratio = (sample: readonly number[]) => {
    const traded = sample.filter((value) => value !== 0).length;
    return traded === 0 ? null : sample.reduce((a, b) => a + b, 0) / traded;
  };
  const interval = bootstrapByEvent({ events: [0, 0, 0, 2], statistic: ratio, seed: 1 });
  // All four draws miss the only event that traded with probability (3/4)^4 = .316.
  expect(Math.abs((interval?.undefinedCount ?? 0) / 2000 - 0.316)).toBeLessThan(0.05);
  expect(bootstrapByEvent({ events: [0, 0], statistic: ratio, seed: 1 })).toBeNull();
  const overflows = () => Number.NaN;
  expect(bootstrapByEvent({ events: [1, 2], statistic: overflows, seed: 1 })).toBeNull();
  const rare = (sample: readonly number[]) => (sample[0] === 1 && sample[1] === 2 ? 1 : null);
  expect(bootstrapByEvent({ events: [1, 2, 3], statistic: rare, seed: 1 })).toBeNull();
});

test('fewer than two events have no interval', () => {
  for (const events of [[], [1]]) expect(bootstrapByEvent({ events, statistic: computeMean, seed: 1 })).toBeNull();
});

test('a confidence or a number of resamples that cannot be is refused', () => {
  const plan = { events: [1, 2], statistic: computeMean, seed: 1 };
  for (const confidence of [0, 1, Number.NaN]) {
    expect(() => bootstrapByEvent({ ...plan, confidence })).toThrow(`got ${confidence}`);
  }
  for (const resamples of [1, 2.5]) expect(() => bootstrapByEvent({ ...plan, resamples })).toThrow(`got ${resamples}`);
});
