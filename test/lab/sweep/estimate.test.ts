import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SweepEstimate } from '../../../src/lab/sweep/estimate.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { run } from '../../cli/run.js';
import { folderOf } from '../../support/folders.js';

const ROOT = join(import.meta.dirname, '../../..');
const SAMPLE = join(ROOT, 'data/sample');
const MAKER = join(ROOT, 'config/strategies/crowd-maker.yaml');

const estimated = async (...more: readonly string[]) => {
  const cwd = folderOf({});
  const argv = ['sweep', '-c', MAKER, '--data', SAMPLE, '--all-markets', '--param', 'half_spread_ticks=1:3:1'];
  const ran = await run([...argv, '--fill-model', 'risk-averse,power:3', '--estimate', '--out', 'out', ...more], {
    cwd,
  });
  expect(ran).toMatchObject({ code: 0, err: '' });
  // Nothing is begun: the next sweep finds no trace of it.
  expect(existsSync(join(cwd, 'out'))).toBe(false);
  return ran.out;
};

test('a sweep says what it would take, and runs nothing', async () => {
  const told = JSON.parse(await estimated('--repeat', '5', '--json')) as SweepEstimate;
  const summaries = (await openRecordings([SAMPLE])).map(({ summary }) => Object.values(summary?.events ?? {}));
  const events = summaries.flat().reduce((sum, count) => sum + count, 0);
  expect(told).toMatchObject({
    configurations: 3,
    backtests: 6 * told.folds,
    played: events * 6 * 5,
    isStreamed: false,
  });
  expect(told.coreHours).toBeCloseTo((events * 30) / 120_000 / 3600, 9);
  expect(told.rows).toBeGreaterThan(8 * told.backtests);
  expect(told.bytes).toBeGreaterThan(100 * told.rows * 0.9);
});

test('in words too', async () => {
  expect(await estimated('--workers', '2')).toMatch(
    /core-hours +0\.\d\d at 120,000 events a second and core\ntime .* on 2 threads\n/,
  );
});
