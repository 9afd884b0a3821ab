/** Sweeps of real threads over real files. */

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sweepTables } from '../../../src/cli/lab/sweep.js';
import type { SweepResult } from '../../../src/lab/sweep/result.js';
import { runSweep } from '../../../src/lab/sweep/sweep.js';
import { sweepHtml } from '../../../src/lab/sweep/sweep-html.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { IS_LONG, times } from '../../support/effort.js';
import { optimiseThreadsLate } from '../../support/late-optimising.js';
import { type PlanWishes, readSweepTables, record, sweepPlace, sweepPlan, watching } from './place.js';

optimiseThreadsLate();

const place = sweepPlace();
afterAll(() => place.remove());
// Usually no test plays it; a plan only checks that it exists.
await record(place.data, { events: times(1, 8) });
await record(join(place.folder, 'few'), { events: 2 });

const contentOf = (out: string) => readSweepTables(join(place.folder, out));

/** All eight events, or the two that most tests need. */
async function planFor(out: string, wishes: PlanWishes = {}, data = join(place.folder, 'few')) {
  const recordings = await openRecordings([data]);
  return sweepPlan(place, { folds: 1, recordings, paths: [data], ...wishes, outDir: join(place.folder, out) });
}

async function sweep(out: string, wishes: PlanWishes = {}, data?: string): Promise<SweepResult> {
  const { result, isComplete } = await runSweep(await planFor(out, wishes, data), watching().watcher);
  expect(isComplete).toBe(true);
  return result;
}

/** Stops after this number of backtests. */
async function stopped(out: string, after: number, wishes: PlanWishes = {}, data?: string): Promise<SweepResult> {
  const told = watching((done) => {
    if (done >= after) told.stop();
  });
  const { result, isComplete } = await runSweep(await planFor(out, wishes, data), told.watcher);
  expect(isComplete).toBe(false);
  return result;
}

/**
 * Without trace hashes, which the tests of backtests pin. It changes with the trader, the exchange or a fill model:
 * update it by hand, in the commit with the reason.
 */
const PINNED = times(
  'eedd62b61d1348e3189cdd6a288b5b3df716b4a34cae9e08df4a904d96a3968e',
  'ad53aa51ebcd1d5f64df8e7088ceccd913c5ef6aaa5ef4dd9e69ae40afdd7dca',
);

/** Two of the default bracket, which differ in their fills; the pinned sweep plays them all. */
const BRACKET = ['risk-averse', 'optimistic'];
const SHARED: PlanWishes = { folds: 2, fillModels: BRACKET };
const sharedData = () => join(place.folder, times('few', 'recordings'));

/** On one thread and without a break, played once for all comparisons. */
let played: Promise<SweepResult> | null = null;
const unbroken = () => {
  played ??= sweep('unbroken', SHARED, sharedData());
  return played;
};

describe('a sweep', () => {
  it('gives what it gave before', async () => {
    // Usually the sweep of two events, used for comparisons.
    const { configurations } = IS_LONG ? await sweep('before', { folds: 2 }, place.data) : await unbroken();
    expect(configurations.map(({ status }) => status)).toEqual(['done', 'done']);
    for (const { models } of configurations) for (const { fills } of models) expect(fills).toBeGreaterThan(0);
    const { event_results: results } = contentOf(times('unbroken', 'before'));
    expect(createHash('sha256').update(JSON.stringify(results)).digest('hex')).toBe(PINNED);
  });

  it('gives the same tables, page and database on one thread and on several', async () => {
    const one = await unbroken();
    const three = await sweep('three', { ...SHARED, workers: times(2, 3) }, sharedData());
    expect(sweepTables(three)).toBe(sweepTables(one));
    expect(sweepHtml(three)).toBe(sweepHtml(one));
    expect(contentOf('three')).toEqual(contentOf('unbroken'));
  });

  it('that is stopped keeps what is done, and resumed ends as one that never was', async () => {
    const partly = await stopped('resumed', 1, SHARED, sharedData());
    expect(partly.counts.unfinished).toBeGreaterThan(0);
    expect(partly.notes[0]?.text).toMatch(/^Not finished/);
    expect(partly.walkForward).toBeNull();
    const before = contentOf('resumed')['results'] ?? [];
    expect(before.length).toBeGreaterThanOrEqual(1);

    await expect(sweep('resumed', SHARED, sharedData())).rejects.toThrow('already contains this sweep, unfinished');
    const told = watching();
    const plan = await planFor('resumed', { ...SHARED, resume: true }, sharedData());
    const { isComplete } = await runSweep(plan, told.watcher);
    expect(isComplete).toBe(true);
    expect(told.said).toContain(`${before.length} backtests of this sweep are done already.`);
    await unbroken();
    expect(contentOf('resumed')).toEqual(contentOf('unbroken'));
    // A finished sweep is not run again.
    await sweep('resumed', SHARED, sharedData());
    expect(contentOf('resumed')).toEqual(contentOf('unbroken'));
  });

  it('goes on only with what it was begun with, and says what has changed', async () => {
    await stopped('changed', 1);
    const goOn = (wishes: PlanWishes) => sweep('changed', { resume: true, ...wishes });
    const recordings = (await planFor('changed')).recordings.slice(1);
    const changes: readonly (readonly [string, PlanWishes])[] = [
      ['the seed', { seed: 2 }],
      ['the parameters', { params: ['behind_ticks=0:3:1', 'order_shares=10'] }],
      ['the fill models', { fillModels: ['optimistic'] }],
      ['the number of folds; fees, landing time', { folds: 2, landingMs: 900 }],
      ['the recordings', { recordings }],
    ];
    for (const [what, wishes] of changes) await expect(goOn(wishes)).rejects.toThrow(`changed: ${what}`);
    await expect(sweep('nothing yet', { resume: true })).rejects.toThrow('there is no sweep in');
  });

  it('counts what earlier sweeps in the same folder tried, each configuration once', async () => {
    const first = await sweep('counted', { params: ['behind_ticks=0:2:1'], fillModels: ['risk-averse'] });
    expect(first.counts.tried).toBe(3);
    const more = { params: ['behind_ticks=2:3:1', 'order_shares=10'], fillModels: ['risk-averse'] };
    expect((await sweep('counted', more)).counts).toMatchObject({ configurations: 2, tried: 4 });
  });

  it('marks a configuration that throws or ends its thread as failed, with its error, and goes on', async () => {
    const params = ['mode=throws,exits,sound'];
    const result = await sweep('failing', { params, workers: 2, fillModels: ['risk-averse'] });
    const ends = result.configurations.map(({ number, status }) => `${number} ${status}`);
    expect(ends).toEqual(['3 done', '1 failed', '2 failed']);
    expect(result.configurations[1]?.error).toMatch(/strategy maker is stopped in market .*TypeError: no such figure/);
    expect(result.configurations[2]?.error).toBe('the thread ended: exit code 7');
    expect(result.counts).toMatchObject({ done: 1, failed: 2, unfinished: 0, tried: 3 });
    expect(sweepTables(result)).toContain('failed: the thread ended: exit code 7');
    expect(sweepHtml(result)).toContain('failed: the thread ended: exit code 7');
  });

  it('outlives a thread that ends while it plays streamed recordings', async () => {
    const data = join(place.folder, 'streamed');
    await record(data, { events: 2, minutes: 3, everyMs: 200_000 });
    // Recordings of more than four million events are not kept in memory; a reader does not count them.
    const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
    for (const path of names.filter((name) => name.endsWith('manifest.json')).map((name) => join(data, name)))
      writeFileSync(path, readFileSync(path, 'utf8').replace(/"level": \d+/, '"level": 5000000'));
    const result = await sweep('streamed', { params: ['mode=exits,rejects,sound'], fillModels: ['risk-averse'] }, data);
    expect(result.configurations.map(({ status, error }) => [status, error])).toEqual([
      ['done', ''],
      ['failed', 'the thread ended: exit code 7'],
      ['failed', 'the thread ended: no handler'],
    ]);
  });
});

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

describe('a sweep that cannot begin', () => {
  it('says so when its folder cannot be written', async () => {
    writeFileSync(join(place.folder, 'a file'), '');
    await expect(sweep('a file')).rejects.toMatchObject({ code: 'file_unreadable' });
    await expect(sweep('a file/below')).rejects.toThrow('cannot write the results to');
    if (process.getuid?.() === 0) return; // root may write everywhere
    mkdirSync(join(place.folder, 'closed'));
    chmodSync(join(place.folder, 'closed'), 0o500);
    await expect(sweep('closed')).rejects.toThrow('cannot write the results to');
  });

  it('says so when another one writes to the same folder', async () => {
    const plan = await planFor('shared');
    const told = watching();
    const first = runSweep(plan, told.watcher);
    await expect(runSweep(plan, watching().watcher)).rejects.toThrow('another sweep is writing to');
    told.stop();
    await first;
  });

  it('says so when what lies there is no database of a sweep', async () => {
    mkdirSync(join(place.folder, 'foreign'));
    writeFileSync(join(place.folder, 'foreign', 'sweep.sqlite'), 'no database at all, but text '.repeat(100));
    await expect(sweep('foreign')).rejects.toMatchObject({ code: 'file_unreadable' });
    const db = new SqliteDriver(join(place.folder, 'newer.sqlite'));
    db.pragma('user_version = 99');
    db.close();
    mkdirSync(join(place.folder, 'newer'));
    renameSync(join(place.folder, 'newer.sqlite'), join(place.folder, 'newer', 'sweep.sqlite'));
    await expect(sweep('newer')).rejects.toThrow('was written by another version of Twinbook');
  });

  it('says so when the configuration changes between its reading and that of the threads', async () => {
    const plan = await planFor('moved');
    const other = { ...plan, config: { ...plan.config, configHash: 'of another day' } };
    await expect(runSweep(other, watching().watcher)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('has changed since the run began'),
    });
  });

  it('says so when there is nothing to play', async () => {
    const plan = await planFor('empty');
    const silent = plan.recordings.map(({ market }) => ({ market, warnings: [], chunks: nothing }));
    await expect(runSweep({ ...plan, recordings: silent }, watching().watcher)).rejects.toThrow(
      'these recordings contain no event',
    );
    await expect(sweep('many folds', { folds: 9 })).rejects.toThrow('cannot divide 2 events into 9 folds');
  });
});
