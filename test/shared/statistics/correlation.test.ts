import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meanCorrelation } from '../../../src/shared/statistics/correlation.js';
import { momentsOf } from '../../../src/shared/statistics/moments.js';
import { close, samples } from './fixtures.js';

function correlation(a: readonly number[], b: readonly number[]): number {
  const [one, two] = [momentsOf(a), momentsOf(b)];
  const products = a.reduce((sum, value, i) => sum + (value - (one.mean ?? 0)) * ((b[i] ?? 0) - (two.mean ?? 0)), 0);
  return products / (a.length - 1) / ((one.standardDeviation ?? 0) * (two.standardDeviation ?? 0));
}

const table = fc
  .tuple(fc.integer({ min: 3, max: 20 }), fc.integer({ min: 2, max: 8 }))
  .chain(([length, rows]) =>
    fc.array(samples({ minLength: length, maxLength: length }), { minLength: rows, maxLength: rows }),
  );

test('the mean correlation is the mean over all pairs of rows that vary', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const varied = rows.filter((row) => new Set(row).size > 1);
      const pairs = varied.flatMap((row, i) => varied.slice(i + 1).map((other) => correlation(row, other)));
      if (pairs.length === 0) return expect(meanCorrelation(rows)).toBeNull();
      close(meanCorrelation(rows), pairs.reduce((a, b) => a + b, 0) / pairs.length);
    }),
  );
});

test('rows that do the same correlate fully, opposite ones not at all on the average of a pair', () => {
  expect(
    meanCorrelation([
      [1, 2, 4],
      [10, 20, 40],
      [2, 3, 5],
    ]),
  ).toBeCloseTo(1, 12);
  expect(
    meanCorrelation([
      [1, 2, 4],
      [-1, -2, -4],
    ]),
  ).toBeCloseTo(-1, 12);
});

test('fewer than two rows that vary have none, and rows of unequal length are refused', () => {
  for (const rows of [
    [],
    [[1, 2]],
    [
      [1, 2],
      [3, 3],
    ],
    [[], []],
    [[1], [2]],
  ])
    expect(meanCorrelation(rows)).toBeNull();
  expect(() => meanCorrelation([[1, 2], [1]])).toThrow('2, got 1');
});
