import { expect, it } from 'vitest';
import { DuplicateFilter } from '../../../src/recording/importers/kalshi.js';

/** Lines as `subscription number content`. */
const knows = (filter: DuplicateFilter, ...lines: readonly string[]) =>
  lines.map((line) => {
    const [sid = 0, seq = 0, hash = 0] = line.split(' ').map(Number);
    return filter.knows(sid, seq, hash);
  });
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `1 ${from + at} 7`);

it('knows a message by number and content, among the latest of its subscription', () => {
  const filter = new DuplicateFilter();
  expect(knows(filter, ...numbered(0, 500))).not.toContain(true);
  expect(knows(filter, '1 499 7', '1 0 7')).toEqual([true, true]);
  const [anotherContent, anotherSubscription] = ['1 250 8', '2 250 7'];
  expect(knows(filter, anotherContent, anotherSubscription)).toEqual([false, false]);
  // The latest with this number.
  expect(knows(filter, '1 250 8', '1 500 7')).toEqual([true, false]);
  knows(filter, ...numbered(501, 9501));
  expect(knows(filter, '1 0 7', '1 9500 7')).toEqual([false, true]);
});

it('takes messages for different ones where all have the same number, or none', () => {
  const filter = new DuplicateFilter();
  expect(knows(filter, '1 7 7', '1 7 7', '1 7 7')).toEqual([false, false, false]);
  expect(knows(filter, '1 NaN 7', '1 NaN 7')).toEqual([false, false]);
});
