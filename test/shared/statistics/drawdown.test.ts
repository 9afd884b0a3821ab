import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxDrawdown, RunningDrawdown } from '../../../src/shared/statistics/drawdown.js';
import { samples } from './fixtures.js';

test.each([
  ['one fall', [10, 12, 9, 11], { depth: 3, peakIndex: 1, troughIndex: 2 }],
  ['the deeper of two falls', [5, 4, 6, 3, 7], { depth: 3, peakIndex: 2, troughIndex: 3 }],
  ['the first of two equal falls', [5, 3, 5, 3], { depth: 2, peakIndex: 0, troughIndex: 1 }],
  ['a fall across a rise', [10, 6, 8, 5], { depth: 5, peakIndex: 0, troughIndex: 3 }],
  ['no fall', [1, 2, 2, 3], { depth: 0, peakIndex: 0, troughIndex: 0 }],
  ['one sample', [-4], { depth: 0, peakIndex: 0, troughIndex: 0 }],
])('the drawdown of %s', (_name, equity, expected) => {
  expect(maxDrawdown(equity)).toEqual(expected);
});

test('the drawdown is the greatest difference between a sample and a later one', () => {
  fc.assert(
    fc.property(samples({ minLength: 1 }), (equity) => {
      const plain = Math.max(...equity.flatMap((peak, i) => equity.slice(i).map((trough) => peak - trough)));
      const { depth, peakIndex, troughIndex } = maxDrawdown(equity) ?? { depth: -1, peakIndex: -1, troughIndex: -1 };
      expect(depth).toBe(plain);
      expect((equity[peakIndex] ?? 0) - (equity[troughIndex] ?? 0)).toBe(depth);
      expect(peakIndex).toBeLessThanOrEqual(troughIndex);
    }),
  );
});

test('there is none without samples, and what is no number is refused', () => {
  expect(maxDrawdown([])).toBeNull();
  const running = new RunningDrawdown();
  expect([running.depth, running.drawdown()]).toEqual([null, null]);
  expect(() => running.add(Number.NaN)).toThrow('got NaN');
});
