import { expect, test } from 'vitest';
import { judgeConsole } from './bounds.js';
import { type ConsoleSoakRow, soakConsole } from './soak.js';

const MB = 1_000_000;

test('minutes of a console take seconds: it is told, keeps what it was told, and says what it takes', async () => {
  const minute = 1 / 1_440;
  const { rows, share } = await soakConsole({ days: 4 * minute, markets: 3, everyDays: 2 * minute, usualForMs: 5_000 });
  expect(rows).toHaveLength(2);
  expect(rows[1]?.storeBytes).toBeGreaterThan(50_000);
  expect(rows[1]?.processorMs).toBeGreaterThan(rows[0]?.processorMs ?? 0);
  expect(share).toBeGreaterThan(0);
});

const day = (days: number, change: Partial<ConsoleSoakRow> = {}): ConsoleSoakRow => ({
  ...{ days, storeBytes: 30 * MB, processorMs: days * 1_000 },
  ...{ residentBytes: 170 * MB, heapBytes: 20 * MB, externalBytes: 4 * MB, arrayBufferBytes: MB },
  ...change,
});

test('what a console takes too much of is over, alone', () => {
  const over = (rows: readonly ConsoleSoakRow[], share = 0.01) =>
    judgeConsole({ rows, share }).flatMap(({ name, isOver }) => (isOver ? [name.split(',')[0]] : []));
  const days = [1, 2, 3, 4].map((one) => day(one));
  expect(over(days)).toEqual([]);
  expect(over([...days, day(5, { residentBytes: 251 * MB })])).toEqual(['resident memory']);
  expect(over([...days, day(5, { externalBytes: 15 * MB })])).toEqual(['heap and what is outside of it']);
  expect(over([...days, day(5, { storeBytes: 265 * MB })])).toEqual(['store on the disk']);
  expect(over(days, 0.051)).toEqual(['of a core']);
});
