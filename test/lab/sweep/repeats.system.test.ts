/** A sweep whose backtests are repeated. */

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sweepTables } from '../../../src/cli/lab/sweep-question.js';
import { runSweep } from '../../../src/lab/sweep/sweep.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { record, sweepPlace, sweepPlan, watching } from './place.js';

it('counts the means of its repeats, keeps each of them, and shows how far they lie apart', async () => {
  const place = sweepPlace();
  onTestFinished(() => place.remove());
  await record(place.data, { events: 2 });
  const wishes = { repeat: 2, folds: 1, fillModels: ['risk-averse'], outDir: join(place.folder, 'out') };
  const { result } = await runSweep(await sweepPlan(place, wishes), watching().watcher);
  const db = new SqliteDriver(join(wishes.outDir, 'sweep.sqlite'), { readonly: true });
  onTestFinished(() => void db.close());
  const rows = db
    .prepare<[], { configuration: number; result_micros: number; seed: number }>(
      'SELECT * FROM repeats ORDER BY configuration, repeat',
    )
    .all();
  expect(rows).toHaveLength(4);
  expect(new Set(rows.map(({ seed }) => seed)).size).toBe(2);
  for (const { number, models } of result.configurations) {
    const own = rows.filter(({ configuration }) => configuration === number).map((row) => row.result_micros);
    const mean = own.reduce((sum, value) => sum + value, 0) / 2;
    // Each of two events is rounded to a whole millionth.
    expect(Math.abs((models[0]?.resultMicros ?? 0) - mean)).toBeLessThanOrEqual(1);
    expect(models[0]?.repeatDeviationMicros).toBeCloseTo(Math.abs((own[0] ?? 0) - (own[1] ?? 0)) / Math.SQRT2, 3);
  }
  expect(sweepTables(result)).toContain(' ± ');
  const again = await runSweep(await sweepPlan(place, { ...wishes, workers: 2 }), watching().watcher);
  expect(again.result.configurations).toEqual(result.configurations);
});
