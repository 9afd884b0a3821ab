import { expect, test } from 'vitest';
import { judge } from './bounds.js';
import type { SoakRow } from './soak.js';

const MB = 1_000_000;

/** A run of this number of hours, a row each; all figures are normal except the changed ones. */
const run = (hours: number, change: (hour: number) => Partial<SoakRow> = () => ({})): readonly SoakRow[] =>
  Array.from({ length: hours }, (_, index) => {
    const hour = index + 1;
    return {
      hours: hour,
      // Fills in the first hours, and varies randomly later.
      heapBytes: 30 * MB - (hour < 6 ? 2 * MB : 0) + (index % 2) * 50_000,
      codeBytes: 4 * MB,
      residentBytes: 170 * MB + hour * 5 * MB,
      externalBytes: 4 * MB,
      arrayBufferBytes: MB,
      simulationHeapBytes: 60 * MB,
      ledgerBytes: MB + hour * 100 * 1_000,
      walBytes: 3 * MB,
      journalBytes: hour * 5_000 * 10,
      steps: hour * 5_000,
      orders: hour * 100,
      fills: hour * 100,
      records: hour * 200,
      violations: [],
      ...change(hour),
    };
  });

const over = (rows: readonly SoakRow[]) =>
  judge(rows)
    ?.filter(({ isOver }) => isOver)
    .map(({ name }) => name);

test('what fills up in the warm-up and then stays, or grows with what it must keep, is within its bounds', () =>
  expect(over(run(24))).toEqual([]));

test('each part that grows faster than it may is over, alone', () => {
  const cases: readonly (readonly [string, (hour: number) => Partial<SoakRow>])[] = [
    [
      "trader's heap",
      (hour) => ({ heapBytes: 30 * MB + hour * 0.1 * MB, simulationHeapBytes: 60 * MB + hour * 0.1 * MB }),
    ],
    ['outside its heap', (hour) => ({ externalBytes: 4 * MB + hour * 0.1 * MB })],
    ['of it buffers', (hour) => ({ arrayBufferBytes: MB + hour * 0.1 * MB })],
    ['ledger', (hour) => ({ ledgerBytes: hour * 100 * 9_000 })],
    ["ledger's WAL", (hour) => ({ walBytes: hour * 0.5 * MB })],
    ['journal', (hour) => ({ journalBytes: hour * 5_000 * 2_000 })],
    ['exchange and checks', (hour) => ({ simulationHeapBytes: 60 * MB + hour * 200 * 20_000 })],
  ];
  for (const [name, change] of cases) expect(over(run(24, change))).toEqual([name]);
});

test('where nothing is ordered, nothing may grow for it', () =>
  expect(over(run(24, (hour) => ({ orders: 0, ledgerBytes: hour * 0.1 * MB })))).toEqual(['ledger']));

test('a short run is not judged', () => {
  expect(judge([])).toBeNull();
  expect(judge(run(23))).toBeNull();
  expect(judge(run(24))).not.toBeNull();
});
