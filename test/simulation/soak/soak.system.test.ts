import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LoneTrader, type Period } from './lone-trader.js';
import { soak } from './soak.js';

test('a ledger that is archived while it is traded with adds up, keeps what is young, and a trader alone does the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-soak-'));
  const traders: LoneTrader[] = [];
  const live = (period: Period) => {
    if (traders.length === 0) traders.push(new LoneTrader(3, 'patient', period.begunMs, folder));
    return (traders[0] as LoneTrader).live(period);
  };
  const options = { seed: 3, hours: 0.2, keepHours: 0.05, pace: 'patient', newest: 10, everyHours: 0.1 } as const;
  const { violations, rows } = await soak(options, live);
  traders[0]?.close();
  rmSync(folder, { recursive: true });
  expect(violations).toEqual([]);
  expect(rows).toHaveLength(2);
  const last = rows[1];
  expect(last?.fills).toBeGreaterThan(0);
  expect(last?.archived).toBeGreaterThan(3);
  expect(last?.archiveBytes).toBeGreaterThan(0);
  expect(last?.journalBytes).toBeGreaterThan(0);
  expect(last?.records).toBeGreaterThan(rows[0]?.records ?? 0);
});
