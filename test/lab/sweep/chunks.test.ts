/** Chunks of a sweep as files, with invented results: stored, rejected and missing ones. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  chunkAt,
  collectChunks,
  listOfChunks,
  makeChunks,
  makeSheet,
  playSeconds,
  readChunk,
  readPlan,
  readSheet,
  requireSameData,
  resultPath,
  sheetHash,
  tasksIn,
  writeChunk,
  writePlan,
} from '../../../src/lab/sweep/chunks.js';
import type { TaskFigures } from '../../../src/lab/sweep/contract.js';
import { planSweep } from '../../../src/lab/sweep/facts.js';
import { newFolder } from '../../support/folders.js';
import { figuresOf } from './made-up.js';
import { querySweep, record, sweepPlace, sweepPlan } from './place.js';

const PLAY_COST = { msASecond: 0.27, microsecondsAnEvent: 0.3 };

type FolderPlan = Parameters<typeof writeChunk>[1];
type Outcomes = Parameters<typeof writeChunk>[3];

const place = sweepPlace();
afterAll(() => place.remove());
await record(place.data, { events: 2 });
const asked = await sweepPlan(place, { params: ['behind_ticks=0:2:1'], folds: 2 });
const known = await planSweep(asked);
const chunks = [0, 1].flatMap((fold) => [
  { fold, first: 1, last: 2 },
  { fold, first: 3, last: 3 },
]);
const planned: FolderPlan = { sheet: makeSheet(known), facts: known.facts, chunks, outDir: '' };
let plan: FolderPlan;
let dir: string;

beforeEach(() => {
  dir = newFolder();
  plan = { ...planned, outDir: join(dir, 'out') };
  writePlan(dir, plan);
});

const outcomes = (index: number, micros = 1_000_000): Outcomes =>
  tasksIn(chunkAt(plan, index), plan.sheet).map((task) => ({
    task,
    outcome: { kind: 'done', figures: figuresOf([micros * task.candidate.number]) },
  }));

const put = (...indexes: readonly number[]) => {
  for (const index of indexes) writeChunk(dir, plan, index, outcomes(index));
};
const collect = () => collectChunks(dir, readPlan(dir), plan.outDir);
const rowsOf = (sql: string) => querySweep(plan.outDir, sql);

describe('a plan of chunks', () => {
  it('has every backtest once, and chunks of the size that is wanted', () => {
    const { facts } = plan;
    const aSecond = { fromMs: 0, toMs: 0, played: 1_000_000 / PLAY_COST.microsecondsAnEvent };
    const busy = { ...facts, events: facts.events.map((event) => ({ ...event, ...aSecond })) };
    const sizes = (seconds: number) =>
      makeChunks(busy, seconds).map(({ fold, first, last }) => `${last - first + 1} of fold ${fold}`);
    // A configuration takes two seconds: two fill models.
    expect(sizes(4)).toEqual(['2 of fold 0', '1 of fold 0', '2 of fold 1', '1 of fold 1']);
    expect(sizes(1)).toEqual([...Array(3).fill('1 of fold 0'), ...Array(3).fill('1 of fold 1')]);
    expect(sizes(600)).toEqual(['3 of fold 0', '3 of fold 1']);
    const tasks = makeChunks(busy, 4).flatMap((chunk) => tasksIn(chunk, plan.sheet));
    expect(new Set(tasks.map((task) => JSON.stringify(task))).size).toBe(12);
  });

  it('is read as it was written, and refused when it is cut, changed, of another version or another Node', () => {
    expect(readPlan(dir)).toEqual(JSON.parse(JSON.stringify(plan)));
    expect(() => writePlan(dir, plan)).toThrow('already has a plan');
    const text = readFileSync(join(dir, 'plan.json'), 'utf8');
    expect(text).toContain('"landingMs":400');
    for (const broken of [text.replace('"landingMs":400', '"landingMs":900'), text.slice(0, 500)]) {
      writeFileSync(join(dir, 'plan.json'), broken);
      expect(() => readPlan(dir)).toThrow('plan.json is incomplete or was changed');
    }
    const as = (parts: Partial<FolderPlan['sheet']>) => {
      const sheet = { ...plan.sheet, ...parts };
      return () => readSheet(JSON.stringify(sheet), sheetHash(sheet));
    };
    expect(as({ version: '9.9.9' })).toThrow('planned by Twinbook 9.9.9 on Node');
    expect(as({ node: 99 })).toThrow('on Node 99, this machine runs');
    expect(() => readSheet(JSON.stringify(plan.sheet), 'other')).toThrow('plan is not other');
    expect(() => readPlan(place.folder)).toThrow('has no plan of a sweep');
    expect(() => chunkAt(plan, 4)).toThrow('there is no chunk 4');
  });

  it('refuses other recordings and names what differs', () => {
    const { markets } = plan.facts.data;
    const other = markets.map((market, at) => (at === 0 ? { ...market, hash: 'other' } : market));
    const lacking = (event: number) =>
      `1 of 2 markets are missing or have different content (first: “Will event ${event} happen?”)`;
    expect(() => requireSameData(plan.sheet, [...markets].reverse())).not.toThrow();
    expect(() => requireSameData(plan.sheet, markets.slice(0, 1))).toThrow(lacking(1));
    expect(() => requireSameData(plan.sheet, other)).toThrow(lacking(0));
  });
});

describe('collecting', () => {
  it('stores what is there, names what is missing, and ends when nothing is, stored once however often it is asked', async () => {
    put(0, 3);
    const first = await collect();
    expect([first.missing, first.stored]).toEqual([[1, 2], 6]);
    expect(first.result.counts).toMatchObject({ configurations: 3, done: 0, unfinished: 3 });
    expect((await collect()).stored).toBe(0);
    expect(rowsOf('SELECT finished FROM sweeps')).toEqual([{ finished: 0 }]);
    put(1, 2);
    const second = await collect();
    expect(second).toMatchObject({ stored: 6, missing: [] });
    expect(second.result.configurations.map(({ number }) => number)).toEqual([3, 2, 1]);
    // The same chunk again, run elsewhere.
    put(1);
    expect((await collect()).stored).toBe(0);
    expect(rowsOf('SELECT count(*) AS rows FROM results')).toEqual([{ rows: 12 }]);
    expect(rowsOf('SELECT finished FROM sweeps')).toEqual([{ finished: 1 }]);
  });

  it('takes a chunk that is cut, changed or of another plan for a missing one', async () => {
    put(0, 1, 2, 3);
    const path = resultPath(dir, 1);
    const text = readFileSync(path, 'utf8');
    const others = ['', text.slice(0, -20), text.replace('"fills":40', '"fills":41'), readFileSync(resultPath(dir, 0))];
    for (const broken of others) {
      writeFileSync(path, broken);
      expect((await collect()).missing).toEqual([1]);
    }
    const foreign = { ...plan, sheet: { ...plan.sheet, configHash: 'of other parameters' } };
    writeChunk(dir, foreign, 1, outcomes(1));
    expect((await collect()).missing).toEqual([1]);
    expect(readChunk(dir, foreign, 1)).not.toBeNull();
    put(1);
    expect((await collect()).missing).toEqual([]);
  });

  it('takes no result that is none: a task too few, an event too few, a figure that is not whole', async () => {
    const bad = (change: (all: Outcomes) => Outcomes) => {
      writeChunk(dir, plan, 0, change(outcomes(0)));
      return readChunk(dir, plan, 0);
    };
    const withFigures = (changes: Partial<TaskFigures>) => (all: Outcomes) =>
      all.map(({ task }): Outcomes[number] => ({ task, outcome: { kind: 'done', figures: figuresOf([7], changes) } }));
    expect(bad((all) => all)?.outcomes).toHaveLength(4);
    expect([bad((all) => all.slice(1)), bad(withFigures({ eventResults: [1, 2] }))]).toEqual([null, null]);
    expect(bad(withFigures({ eventResults: [0.5] }))).toBeNull();
    expect(bad(withFigures({ resultMicros: Number.NaN }))).toBeNull();
  });

  it('raises an alarm when a backtest that was stored comes back with another trace', async () => {
    put(0, 1, 2, 3);
    await collect();
    writeChunk(dir, plan, 0, outcomes(0, 2_000_000));
    await expect(collect()).rejects.toThrow('configuration 1, fold 1, risk-averse gave another result than before');
    const kept = rowsOf('SELECT DISTINCT result_micros AS micros FROM results WHERE configuration = 1');
    expect(kept).toEqual([{ micros: 1_000_000 }]);
  });

  it('lists chunks as array jobs are submitted', async () =>
    expect([listOfChunks([]), listOfChunks([3, 17, 18, 19, 21])]).toEqual(['', '3,17-19,21']));
});

it('the effort of a backtest costs nothing between events, and plays overlapping ones once', () => {
  const second = 1000;
  const event = (fromS: number, toS: number, played = 0) => ({ fromMs: fromS * second, toMs: toS * second, played });
  const whole = playSeconds([event(0, 100)]);
  expect(whole).toBeCloseTo((100 * PLAY_COST.msASecond) / 1000, 12);
  expect(playSeconds([event(0, 60), event(1_000, 1_040)])).toBeCloseTo(whole, 12);
  expect(playSeconds([event(0, 100), event(10, 20), event(50, 80)])).toBeCloseTo(whole, 12);
  expect(playSeconds([event(0, 100, 1_000_000)]) - whole).toBeCloseTo(PLAY_COST.microsecondsAnEvent, 12);
});
