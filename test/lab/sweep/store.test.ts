/** The stored data of a sweep, and queries over it. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SweptEvent, TaskOutcome } from '../../../src/lab/sweep/contract.js';
import { Outcomes } from '../../../src/lab/sweep/result.js';
import type { SweepIdentity } from '../../../src/lab/sweep/search.js';
import { openStore, type SweepStore } from '../../../src/lab/sweep/store.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { folderOf } from '../../support/folders.js';
import { figuresOf } from './made-up.js';

const IDENTITY: SweepIdentity = {
  version: '1',
  configHash: 'c',
  dataHash: 'd',
  search: { kind: 'grid', configurations: 1, axes: [] },
  fillModels: ['a', 'b'],
  latency: 'constant:1',
  seed: 1,
  folds: 2,
  embargoMs: 0,
  others: {},
};
const CANDIDATE = { number: 1, values: [3], hash: 'one' };
const AXIS = { name: 'x', strategy: 's', path: ['x'], choice: { kind: 'values', values: [3] } } as const;
const SEARCH = { kind: 'grid', axes: [AXIS], candidates: [CANDIDATE], leftOut: [], wanted: 1 } as const;
/** Events in folds of two and three. */
const EVENTS: readonly SweptEvent[] = [0, 0, 1, 1, 1].map((fold, at) => ({
  title: `event ${at}`,
  conditionIds: [`market ${at}`],
  fromMs: at * 1000,
  toMs: at * 1000 + 500,
  played: 10,
  fold,
}));
/** With the limits of exact doubles, and signs. */
const RESULTS: readonly (readonly number[])[] = [
  [-1, 0],
  [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1_234_567],
];

const begin = (store: SweepStore, resume = false) =>
  store.begin({ identity: IDENTITY, title: 't', search: SEARCH, events: EVENTS }, resume);

const done = (eventResults: readonly number[]): TaskOutcome => ({ kind: 'done', figures: figuresOf(eventResults) });

function written(): string {
  const folder = folderOf({});
  const store = openStore(folder);
  begin(store);
  for (const [fold, results] of RESULTS.entries())
    for (const fillModel of ['a', 'b']) store.write({ candidate: CANDIDATE, fold, fillModel }, done(results));
  store.close();
  return folder;
}

const rowsIn = (folder: string): unknown[] => {
  const db = new SqliteDriver(join(folder, 'sweep.sqlite'), { readonly: true });
  try {
    const sql = `SELECT event, result_micros FROM event_results WHERE fill_model = 'b' ORDER BY event`;
    return db.prepare(sql).safeIntegers(true).raw(true).all();
  } finally {
    db.close();
  }
};

const EXPECTED = RESULTS.flat().map((result, event) => [BigInt(event), BigInt(result)]);

describe('results by event', () => {
  it('are rows for every query, with any content', () => expect(rowsIn(written())).toEqual(EXPECTED));

  it('come back as they were written', () => {
    const store = openStore(written());
    const stored = begin(store, true);
    expect(stored.map(({ outcome }) => outcome)).toEqual(RESULTS.flatMap((results) => [done(results), done(results)]));
    expect([store.eventResults(1, 1, 'a'), store.eventResults(2, 1, 'a')]).toEqual([RESULTS[1], []]);
    store.close();
  });

  it('are read from the store by those that do not keep them', () => {
    const store = openStore(written());
    const outcomes = new Outcomes(2, ['a', 'b'], (...place) => store.eventResults(...place));
    for (const { task, outcome } of begin(store, true)) outcomes.set(task, outcome);
    expect([...outcomes.eventResults(1, 0)]).toEqual(RESULTS.flat());
    store.close();
  });
});
