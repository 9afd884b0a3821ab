/** Later events do not change earlier decisions, in any recorded format. */

import { describe, expect, it } from 'vitest';
import { EVENT } from '../../../src/recording/contract.js';
import { times } from '../../support/effort.js';
import { decisionsBefore, ordersIn, PRINTS_LATE_MS } from './decisions.js';
import { clockOf, FORMATS } from './formats.js';
import { FIRST_MS, type Row, wanderingRows } from './recordings.js';

const [MINUTES, CUT_MS] = times([2, 70_000], [3, 100_000]);

const isBefore = ([timeMs]: Row) => timeMs < FIRST_MS + CUT_MS;
const lastFirst = (rows: readonly Row[], atMs: number): Row[] => [...rows, [FIRST_MS + atMs, EVENT.end, 0, 0, 0]];
const mirrored = ([timeMs, kind, side, price, shares]: Row): Row =>
  kind === EVENT.end
    ? [timeMs, kind, side, price, shares]
    : [timeMs, kind, 1 - side, Math.round((1 - price) * 100) / 100, shares];

/** Other futures of the same rows; the usual run plays all in one format and the most different one in the others. */
const FUTURES: Readonly<Record<string, (rows: readonly Row[]) => Row[]>> = {
  cut: (rows) => lastFirst(rows.filter(isBefore), CUT_MS),
  mirrored: (rows) => rows.map((row) => (isBefore(row) ? row : mirrored(row))),
  thinned: (rows) => rows.filter((row, at) => isBefore(row) || row[1] === EVENT.end || at % 3 === 0),
};

describe('a backtest', () => {
  const rows = wanderingRows(31, MINUTES);
  for (const [at, [format, write]] of Object.entries(FORMATS).entries()) {
    const futures = times(at === 0 ? Object.keys(FUTURES) : ['mirrored'], Object.keys(FUTURES));
    it(`decides by nothing that comes later: ${format}`, async () => {
      const untilMs = FIRST_MS + clockOf(format) + CUT_MS - PRINTS_LATE_MS;
      const whole = await decisionsBefore(untilMs, await write(rows));
      expect(ordersIn(whole)).toBeGreaterThan(10);
      for (const [name, other] of Object.entries(FUTURES).filter(([name]) => futures.includes(name)))
        expect(await decisionsBefore(untilMs, await write(other(rows))), name).toEqual(whole);
    });
  }
});
