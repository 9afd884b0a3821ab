import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLAY_COST, playSeconds, type SweepEstimate } from '../../../src/lab/sweep/estimate.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { run } from '../../cli/run.js';
import { folderOf } from '../../support/folders.js';

const ROOT = join(import.meta.dirname, '../../..');
const SAMPLE = join(ROOT, 'data/sample');
const MAKER = join(ROOT, 'config/strategies/crowd-maker.yaml');

const WORKERS = 2;

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
  const told = JSON.parse(await estimated('--repeat', '5', '--workers', `${WORKERS}`, '--json')) as SweepEstimate;
  const summaries = (await openRecordings([SAMPLE])).map(({ summary }) => Object.values(summary?.events ?? {}));
  const events = summaries.flat().reduce((sum, count) => sum + count, 0);
  expect(told).toMatchObject({
    configurations: 3,
    backtests: 6 * told.folds,
    played: events * 6 * 5,
    isStreamed: false,
  });
  // The three markets lie side by side in fifteen minutes, whatever happens in them.
  const each = (15 * 60 * PLAY_COST.msASecond) / 1000;
  const begun = PLAY_COST.secondsToBegin * WORKERS;
  expect((told.coreHours * 3600 - begun) / 30 / each).toBeCloseTo(1, 1);
  expect(told.rows).toBeGreaterThan(8 * told.backtests);
  expect(told.bytes).toBeGreaterThan(100 * told.rows * 0.9);
});

test('in words too', async () => {
  expect(await estimated('--workers', '2')).toMatch(
    /core-hours +0\.\d\d: 0\.27 ms for a recorded second, .* for an event, .* to begin\ntime .* on 2 threads\n/,
  );
});

test('what lies between events costs nothing, and what overlaps is played once', () => {
  const second = 1000;
  const event = (fromS: number, toS: number, played = 0) => ({ fromMs: fromS * second, toMs: toS * second, played });
  const whole = playSeconds([event(0, 100)]);
  expect(whole).toBeCloseTo((100 * PLAY_COST.msASecond) / 1000, 12);
  expect(playSeconds([event(0, 60), event(1_000, 1_040)])).toBeCloseTo(whole, 12);
  expect(playSeconds([event(0, 100), event(10, 20), event(50, 80)])).toBeCloseTo(whole, 12);
  const busy = playSeconds([event(0, 100, 1_000_000)]);
  expect(busy - whole).toBeCloseTo(PLAY_COST.microsecondsAnEvent, 12);
});
