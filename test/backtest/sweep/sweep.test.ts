/** Sweeps of real threads over real files. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SweepResult } from '../../../src/backtest/sweep/contract.js';
import { sweepHtml } from '../../../src/backtest/sweep/html/sweep-html.js';
import { runSweep } from '../../../src/backtest/sweep/sweep.js';
import { sweepTables } from '../../../src/cli/sweep-tables.js';
import { type PlanWishes, record, type SweepPlace, sweepPlace, sweepPlan, watching } from './place.js';

let place: SweepPlace;

beforeAll(async () => {
  place = sweepPlace();
  await record(place.data, { events: 9 });
});
afterAll(() => place.remove());

const TABLES = ['sweeps', 'configurations', 'events', 'results', 'event_results', 'standings'];

/** Every row of every table, in the order of its key. */
function contentOf(outDir: string): Record<string, unknown[]> {
  const db = new Sqlite(join(outDir, 'sweep.sqlite'), { readonly: true });
  const rows = TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`).all()] as const);
  db.close();
  return Object.fromEntries(rows);
}

async function sweep(out: string, wishes: PlanWishes = {}): Promise<SweepResult> {
  const outDir = join(place.folder, out);
  const { result, isComplete } = await runSweep(await sweepPlan(place, { ...wishes, outDir }), watching().watcher);
  expect(isComplete).toBe(true);
  return result;
}

describe('a sweep', { timeout: 120_000 }, () => {
  it('gives the same tables, page and database on one thread, on three, and when every thread reads the files', async () => {
    const [one, three, streamed] = await Promise.all([
      sweep('one'),
      sweep('three', { workers: 3 }),
      sweep('streamed', { workers: 2, memoryBytes: 0 }),
    ]);
    expect(one.configurations.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done']);
    expect(
      one.configurations.flatMap(({ models }) => models.map(({ fills }) => fills)).some((fills) => fills > 0),
    ).toBe(true);
    expect(sweepTables(three)).toBe(sweepTables(one));
    expect(sweepHtml(three)).toBe(sweepHtml(one));
    expect(contentOf(join(place.folder, 'three'))).toEqual(contentOf(join(place.folder, 'one')));
    expect(contentOf(join(place.folder, 'streamed'))).toEqual(contentOf(join(place.folder, 'one')));
    expect(streamed.notes.map(({ text }) => text).join()).toContain('each worker read its own from the files');
    const hash = createHash('sha256')
      .update(JSON.stringify({ one, ...contentOf(join(place.folder, 'one')) }))
      .digest('hex');
    console.log(hash, sweepTables(one));
  });
});
