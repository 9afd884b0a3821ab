import { expect, test } from 'vitest';
import { type SoakRow, soak } from './soak.js';

test('a ledger that is archived while it is traded with adds up, and keeps what is young', () => {
  const rows: SoakRow[] = [];
  const told = (row: SoakRow) => rows.push(row);
  const { violations, last } = soak(
    { seed: 3, hours: 0.2, keepHours: 0.05, pace: 'patient', newest: 10, everyHours: 0.1 },
    told,
  );
  expect(violations).toEqual([]);
  expect(rows).toHaveLength(2);
  expect(last?.fills).toBeGreaterThan(0);
  expect(last?.archived).toBeGreaterThan(3);
  expect(last?.archiveBytes).toBeGreaterThan(0);
});
