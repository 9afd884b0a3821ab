import { expect, test } from 'vitest';
import { newFolder } from '../../support/folders.js';
import { LoneTrader, type Period } from './lone-trader.js';
import { soak } from './soak.js';

test('a trader lives for simulated minutes, its ledger adds up, and a trader alone does the same', async () => {
  const folder = newFolder();
  const traders: LoneTrader[] = [];
  const live = (period: Period) => {
    if (traders.length === 0) traders.push(new LoneTrader(3, 'patient', period.begunMs, folder));
    return (traders[0] as LoneTrader).live(period);
  };
  const options = { seed: 3, hours: 0.2, pace: 'patient', everyHours: 0.1 } as const;
  const { violations, rows } = await soak(options, live);
  traders[0]?.close();
  expect(violations).toEqual([]);
  expect(rows).toHaveLength(2);
  const last = rows[1];
  expect(last?.fills).toBeGreaterThan(0);
  expect(last?.journalBytes).toBeGreaterThan(0);
  expect(last?.records).toBeGreaterThan(rows[0]?.records ?? 0);
});
