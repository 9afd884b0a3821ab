import { expect, it } from 'vitest';
import { DuplicateFilter } from '../../../src/recording/importers/kalshi.js';

const knows = (filter: DuplicateFilter, lines: readonly (readonly [sid: number, seq: number, hash: number])[]) =>
  lines.map((line) => filter.knows(...line));

it('knows a message by number and content, among the latest of its subscription', () => {
  const filter = new DuplicateFilter();
  const many = Array.from({ length: 500 }, (_, seq) => [1, seq, 7] as const);
  expect(knows(filter, many)).not.toContain(true);
  expect(
    knows(filter, [
      [1, 499, 7],
      [1, 0, 7],
      [1, 250, 8], // another content
      [2, 250, 7], // another subscription
      [1, 250, 8], // The latest with this number.
      [1, 500, 7],
    ]),
  ).toEqual([true, true, false, false, true, false]);
  knows(
    filter,
    Array.from({ length: 9000 }, (_, seq) => [1, 501 + seq, 7] as const),
  );
  expect(
    knows(filter, [
      [1, 0, 7],
      [1, 9500, 7],
    ]),
  ).toEqual([false, true]);
});

it('takes messages for different ones where all have the same number, or none', () => {
  const filter = new DuplicateFilter();
  expect(
    knows(filter, [
      [1, 7, 7],
      [1, 7, 7],
      [1, 7, 7],
    ]),
  ).toEqual([false, false, false]);
  expect(
    knows(filter, [
      [1, Number.NaN, 7],
      [1, Number.NaN, 7],
    ]),
  ).toEqual([false, false]);
});
