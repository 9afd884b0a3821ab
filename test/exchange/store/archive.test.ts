import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Archive,
  type Archived,
  type ArchiveQuery,
  memoryArchive,
  type RecordKind,
} from '../../../src/exchange/core/records/archive.js';
import { createTables, Transactions } from '../../../src/exchange/store/database.js';
import { openArchive } from '../../../src/exchange/store/sqlite-archive.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';

function open(): { db: Database.Database; archive: Archive } {
  const db = new SqliteDriver(':memory:');
  createTables(db);
  return { db, archive: openArchive(db, new Transactions(db)) };
}

const STATES = ['filled', 'canceled', 'expired'] as const;
const id = fc.integer({ min: 1, max: 40 });
const state = fc.constantFrom(...STATES);
const isYes = fc.constantFrom(true, false);
const side = fc.constantFrom('buy' as const, 'sell' as const);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const row = fc
  .tuple(id, state, fc.option(isYes), fc.option(side), fc.json())
  .map(([id, state, isYes, side, record]): Archived => {
    const pubkey = id % 5 === 0 ? '' : `key ${id}`;
    return { id, account: id % 2, pubkey, market: id % 3, state, isYes, side, record: JSON.parse(record) };
  });
const query: fc.Arbitrary<ArchiveQuery> = fc.record({
  account: fc.nat(2),
  market: maybe(fc.nat(3)),
  states: maybe(fc.subarray([...STATES, 'open'])),
  isYes: maybe(isYes),
  side: maybe(side),
  from: maybe(id),
  oldestFirst: maybe(fc.boolean()),
  limit: fc.integer({ min: 1, max: 30 }),
});
type Step = (archive: Archive) => unknown;
/** A record becomes final once. */
const put = (archive: Archive, recordKind: RecordKind, row: Archived) => {
  if (archive[recordKind].byId(row.id) === null) archive[recordKind].put(row);
};
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: row.map((each) => (archive: Archive) => put(archive, 'order', each)) },
  { weight: 1, arbitrary: row.map((each) => (archive: Archive) => put(archive, 'merge', each)) },
  { weight: 4, arbitrary: query.map((asked) => (archive: Archive) => archive.order.list(asked)) },
  { weight: 1, arbitrary: query.map((asked) => (archive: Archive) => archive.merge.list(asked)) },
  { weight: 1, arbitrary: id.map((id) => (archive: Archive) => archive.order.byId(id)) },
  { weight: 1, arbitrary: id.map((id) => (archive: Archive) => archive.order.byPubkey(`key ${id}`)) },
  {
    weight: 1,
    arbitrary: fc.tuple(id, fc.array(id, { maxLength: 3 })).map(
      ([last, live]) =>
        (archive: Archive) =>
          archive.order.rewind(last, live),
    ),
  },
);

describe('the archive on disk', () => {
  it('answers what the archive in memory answers, whatever was put, written, rewound and asked', () =>
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 150 }), (steps) => {
        const { db, archive } = open();
        const plain = memoryArchive();
        for (const each of steps) expect(each(archive) || null).toEqual(each(plain) || null);
        db.close();
      }),
      { numRuns: 60 },
    ));

  it('walks an index for every filter, and never the table', () => {
    const { db } = open();
    const plans = ['account = 1 AND kind = 2', 'account = 1 AND market = 3 AND kind = 2'].flatMap((where) =>
      ['id < 9 ORDER BY id DESC', 'id > 9 ORDER BY id'].map((order) =>
        db.prepare(`EXPLAIN QUERY PLAN SELECT id FROM archived_order WHERE ${where} AND ${order} LIMIT 5`).all(),
      ),
    );
    for (const plan of plans) {
      expect(plan).toHaveLength(1);
      expect(plan[0]).toMatchObject({
        detail: expect.stringMatching(/^SEARCH .* USING COVERING INDEX .* id[<>]\?\)$/),
      });
    }
  });
});
