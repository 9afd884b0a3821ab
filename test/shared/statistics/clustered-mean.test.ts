import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clusteredMean } from '../../../src/shared/statistics/clustered-mean.js';
import { computeMoments } from '../../../src/shared/statistics/moments.js';
import { close, samples } from './fixtures.js';

test('groups of one observation have the standard error of a mean', () => {
  fc.assert(
    fc.property(samples({ minLength: 2 }), (values) => {
      const got = clusteredMean(values.map((sum) => ({ sum, weight: 1 })));
      const { mean, standardDeviation } = computeMoments(values);
      close(got?.mean ?? null, mean);
      close(got?.standardError ?? null, (standardDeviation ?? 0) / Math.sqrt(values.length));
    }),
  );
});

test('repeating observations within their group makes nothing more certain', () => {
  const once = clusteredMean([1, 4, 7].map((sum) => ({ sum, weight: 1 })));
  const often = clusteredMean([1, 4, 7].map((value) => ({ sum: value * 50, weight: 50 })));
  close(often?.standardError ?? null, once?.standardError ?? null);
});

test('a worked example: 3 groups of 2, 1 and 3 shares', () => {
  // Mean (1 + 2 + 0) / 6 = .5; residues 0, 1.5, -1.5; sqrt(3/2 x 4.5) / 6.
  const got = clusteredMean([
    { sum: 1, weight: 2 },
    { sum: 2, weight: 1 },
    { sum: 0, weight: 3 },
  ]);
  expect(got).toEqual({ mean: 0.5, standardError: Math.sqrt(6.75) / 6, clusters: 3 });
});

test('groups without weight do not count; one group has a mean but no error; none has neither', () => {
  expect(
    clusteredMean([
      { sum: 3, weight: 2 },
      { sum: 0, weight: 0 },
    ]),
  ).toEqual({
    mean: 1.5,
    standardError: null,
    clusters: 1,
  });
  expect(clusteredMean([])).toBeNull();
  expect(clusteredMean([{ sum: 0, weight: 0 }])).toBeNull();
});

test('negative weights and what is no number are refused', () => {
  expect(() => clusteredMean([{ sum: 1, weight: -1 }])).toThrow('got -1');
  expect(() => clusteredMean([{ sum: Number.NaN, weight: 1 }])).toThrow('got NaN');
});
