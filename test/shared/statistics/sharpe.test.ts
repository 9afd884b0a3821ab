import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  annualSharpe,
  annualSortino,
  changesOf,
  sharpePerSample,
  sortinoPerSample,
} from '../../../src/shared/statistics/sharpe.js';
import { close, samples } from './fixtures.js';

const CHANGES = [0.3, -1.2, 4.5, 0, 0, 2.25, -7.125, 3.5, 1, 0.5];
const DAILY = { samplesPerDay: 1, daysPerYear: 252 };

test('Sharpe and Sortino are those of NumPy for the convention of hftbacktest', () => {
  expect(sharpePerSample(CHANGES)).toBeCloseTo(0.1179781380949235, 14);
  expect(sortinoPerSample(CHANGES)).toBeCloseTo(0.16303003709148192, 14);
  expect(annualSharpe(CHANGES, DAILY)).toBeCloseTo(0.1179781380949235 * Math.sqrt(252), 12);
  expect(annualSortino(CHANGES, { samplesPerDay: 1440, daysPerYear: 365 })).toBeCloseTo(
    0.16303003709148192 * Math.sqrt(1440 * 365),
    10,
  );
});

test('the changes of equity are what lies between its samples', () => {
  expect([...changesOf([10, 12, 11.5])]).toEqual([2, -0.5]);
  expect([changesOf([10]).length, changesOf([]).length]).toEqual([0, 0]);
});

test('the ratios are what their definitions say, and know no currency', () => {
  fc.assert(
    fc.property(samples({ minLength: 2 }), fc.integer({ min: 1, max: 1000 }), (values, unit) => {
      const n = values.length;
      const mean = values.reduce((a, b) => a + b, 0) / n;
      const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
      const losses = values.reduce((sum, x) => sum + Math.min(0, x) ** 2, 0) / n;
      const other = values.map((value) => value * unit);
      if (new Set(values).size > 1) close(sharpePerSample(values), mean / Math.sqrt(variance));
      if (losses > 0) close(sortinoPerSample(values), mean / Math.sqrt(losses));
      close(sharpePerSample(other), sharpePerSample(values));
      close(sortinoPerSample(other), sortinoPerSample(values));
    }),
  );
});

describe('a ratio that is not defined is null', () => {
  test.each([
    ['no sample', [], null, null],
    ['one gain', [1], null, null],
    ['one loss', [-2], null, -1],
    ['the same gain each time', [0.1, 0.1, 0.1], null, null],
    ['nothing at all', [0, 0, 0], null, null],
    ['no loss', [1, 2, 3], 2, null],
  ])('%s', (_name, changes, sharpe, sortino) => {
    expect(sharpePerSample(changes)).toBe(sharpe);
    expect(sortinoPerSample(changes)).toBe(sortino);
    if (sharpe === null) expect(annualSharpe(changes, DAILY)).toBeNull();
  });
});

test.each([
  [0, 252],
  [1440, -1],
  [Number.NaN, 365],
])('a sampling of %d a day on %d days is refused', (samplesPerDay, daysPerYear) => {
  expect(() => annualSharpe(CHANGES, { samplesPerDay, daysPerYear })).toThrow('got');
});
