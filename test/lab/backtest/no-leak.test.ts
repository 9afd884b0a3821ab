/** What happens after a moment changes nothing that is decided before it, in whatever format it was recorded. */

import { describe, expect, it } from 'vitest';
import { openSources } from '../../../src/lab/backtest/open-sources.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { EVENT } from '../../../src/recording/contract.js';
import { clockOf, FORMATS } from './formats.js';
import { plan } from './plans.js';
import { FIRST_MS, type Row, wanderingRows } from './recordings.js';

const MINUTES = 3;
const CUT_MS = 100_000;
/** A trade goes to the level change that it belongs to, which was up to so long before its print. */
const PRINTS_LATE_MS = 200;

const isBefore = ([timeMs]: Row) => timeMs < FIRST_MS + CUT_MS;
const lastFirst = (rows: readonly Row[], atMs: number): Row[] => [...rows, [FIRST_MS + atMs, EVENT.end, 0, 0, 0]];
const mirrored = ([timeMs, kind, side, price, shares]: Row): Row =>
  kind === EVENT.end
    ? [timeMs, kind, side, price, shares]
    : [timeMs, kind, 1 - side, Math.round((1 - price) * 100) / 100, shares];

/** Other futures of the same rows. */
const FUTURES: Readonly<Record<string, (rows: readonly Row[]) => Row[]>> = {
  cut: (rows) => lastFirst(rows.filter(isBefore), CUT_MS),
  mirrored: (rows) => rows.map((row) => (isBefore(row) ? row : mirrored(row))),
  thinned: (rows) => rows.filter((row, at) => isBefore(row) || row[1] === EVENT.end || at % 3 === 0),
};

/** Every request before this moment, with all that it asks for. */
async function decisions(path: string, untilMs: number): Promise<string[]> {
  const { sources } = await openSources([path]);
  const found: string[] = [];
  await runBacktest({
    ...plan(sources, { params: { half_spread_ticks: 1, improve_ticks: 0, order_shares: '10' } }),
    sent: ({ call: { endpoint, params, body } }, nowMs) => {
      if (nowMs < untilMs) found.push(JSON.stringify([nowMs, endpoint, params, body ?? null]));
    },
  });
  return found;
}

describe('a backtest', () => {
  const rows = wanderingRows(31, MINUTES);
  for (const [format, write] of Object.entries(FORMATS)) {
    it(`decides by nothing that comes later: ${format}`, async () => {
      const untilMs = FIRST_MS + clockOf(format) + CUT_MS - PRINTS_LATE_MS;
      const whole = await decisions(await write(rows), untilMs);
      expect(whole.filter((line) => line.includes('orders.create')).length).toBeGreaterThan(10);
      for (const [name, other] of Object.entries(FUTURES)) {
        expect(await decisions(await write(other(rows)), untilMs), name).toEqual(whole);
      }
    });
  }
});
