import { expect, test } from 'vitest';
import { type SoakRow, soak } from './soak.js';

test('a ledger that is archived while it is traded with adds up, and keeps what is young', () => {
  const rows: SoakRow[] = [];
  const told = (row: SoakRow) => rows.push(row);
  const { violations, last } = soak(
    { seed: 3, hours: 0.75, keepHours: 0.25, pace: 'patient', newest: 10, everyHours: 0.25 },
    told,
  );
  expect(violations).toEqual([]);
  expect(rows).toHaveLength(3);
  expect(last?.fills).toBeGreaterThan(0);
  expect(last?.archived).toBeGreaterThan(20);
  expect(last?.archiveBytes).toBeGreaterThan(0);
});
