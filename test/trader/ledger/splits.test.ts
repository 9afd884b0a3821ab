import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Micros, micros } from '../../../src/shared/base/micros.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import type { BookedConversion } from '../../../src/trader/ledger/contract.js';
import { openLedger, openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { APPLICATION_ID, MIGRATIONS } from '../../../src/trader/ledger/schema.js';
import { HOLDER, intentOf } from './books.js';

const ONE = 1_000_000;
const m = (value: number) => value as Micros;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twinbook-splits-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const splitOf = (sets: number, yesPrice: number): BookedConversion => ({
  pubkey: `split-${sets}-${yesPrice}`,
  intentId: 'split',
  kind: 'split',
  marketConditionId: 'a',
  yesMicros: micros(-sets),
  noMicros: micros(-sets),
  cashMicros: micros(-sets),
  yesCostMicros: micros(Math.floor((sets * yesPrice) / ONE)),
  seenMs: 1,
});

const mergeOf = (sets: number): BookedConversion => ({
  ...splitOf(0, 0),
  pubkey: 'merge',
  intentId: 'merge',
  kind: 'merge',
  yesMicros: micros(sets),
  noMicros: micros(sets),
  cashMicros: micros(sets),
  yesCostMicros: null,
});

it('a split takes currency, brings both shares at the cost that its price gives them, and has no result', () => {
  const ledger = openMemoryLedger();
  ledger.transaction(() => {
    ledger.startRun({ id: 'run', version: '1', configHash: 'h', startedMs: 1 });
    ledger.setCapital(m(100 * ONE), 1);
    ledger.addIntent(intentOf({ id: 'split', kind: 'split' }));
    expect(ledger.bookConversion(splitOf(10 * ONE, 900_000))).toBe(true);
    // The answer that settled it comes again.
    expect(ledger.bookConversion(splitOf(10 * ONE, 900_000))).toBe(false);
  });
  expect(ledger.cash()).toBe(90 * ONE);
  expect(ledger.positions()).toMatchObject([
    { isYes: false, sharesMicros: 10 * ONE, costMicros: 1 * ONE },
    { isYes: true, sharesMicros: 10 * ONE, costMicros: 9 * ONE },
  ]);
  expect(ledger.pnl(new Map([['a', m(900_000)]]))).toMatchObject({ realisedMicros: 0, totalMicros: 0 });
  expect(ledger.conversions()).toEqual([splitOf(10 * ONE, 900_000)]);
  expect(ledger.verify()).toEqual([]);
});

it('a split and the merge of its sets leave everything as it was, whatever the price and the sizes', () => {
  const sets = fc.integer({ min: 1, max: 1_000 * ONE });
  fc.assert(
    fc.property(sets, fc.integer({ min: 1, max: ONE - 1 }), (amount, price) => {
      const ledger = openMemoryLedger();
      ledger.transaction(() => {
        ledger.startRun({ id: 'run', version: '1', configHash: 'h', startedMs: 1 });
        ledger.setCapital(m(1_000 * ONE), 1);
        for (const id of ['split', 'merge'] as const) ledger.addIntent(intentOf({ id, kind: id }));
        ledger.bookConversion(splitOf(amount, price));
        // Equity does not know that anything has happened: sets are worth what they cost.
        expect(ledger.cash() + amount).toBe(1_000 * ONE);
        ledger.bookConversion(mergeOf(amount));
      });
      expect([ledger.cash(), ledger.positions(), ledger.pnl(new Map()).totalMicros]).toEqual([1_000 * ONE, [], 0]);
      expect(ledger.verify()).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

/** A ledger as the version before splits left it, with something in every table that refers to another. */
function olderLedger(path: string): void {
  const sqlite = new SqliteDriver(path);
  sqlite.pragma('journal_mode = WAL');
  for (const step of MIGRATIONS.slice(0, 2)) sqlite.exec(step);
  sqlite.pragma(`application_id = ${APPLICATION_ID}`);
  sqlite.pragma('user_version = 2');
  sqlite.exec(`
    INSERT INTO runs (id, version, config_hash, started_ms) VALUES ('run', '0', 'h', 1);
    INSERT INTO intents VALUES (7, 'i', 'run', 'merge', 'a', NULL, NULL, NULL, 5, NULL, NULL, NULL, 0, '', '{}', 'live',
      'p', 'text', 9, 'sig', 1, 1, 2, 'why', 'h');
    INSERT INTO intents VALUES (9, 'o', 'run', 'place', 'a', 1, 'buy', 400000, 5, NULL, NULL, NULL, 0, 's', '{}', 'live',
      'order', 'text', 9, 'sig', 1, 1, 2, 'why', 'h');
    INSERT INTO orders (pubkey, intent_id, market, is_yes, side, price, amount, filled, status, created_ms)
      VALUES ('order', 'o', 'a', 1, 'buy', 400000, 5, 0, 'open', 1);
    INSERT INTO conversions VALUES (3, 'c', 'i', 'merge', 'a', 5, 5, 5, 4);
    INSERT INTO transactions VALUES (4, 'merge', 'c', 4);
    INSERT INTO postings VALUES (4, 'cash', 'currency', 5), (4, 'realised', 'currency', -5);
    INSERT INTO balances VALUES ('cash', 'currency', 5), ('realised', 'currency', -5);
  `);
  sqlite.close();
}

it('an older ledger is brought up to date with every row, reference and index that it had, and takes splits', () => {
  const path = join(folder, 'old.sqlite');
  olderLedger(path);
  const indexes = (file: Sqlite.Database) =>
    file
      .prepare("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1")
      .all();
  const before = new SqliteDriver(path, { readonly: true });
  const had = indexes(before);
  before.close();

  const ledger = openLedger(path, HOLDER);
  expect(ledger.intent('i')).toMatchObject({ kind: 'merge', state: 'live', signature: 'sig', draftPubkey: 'p' });
  expect(ledger.activeIntents().map(({ id }) => id)).toEqual(['i', 'o']);
  expect(ledger.order('order')).toMatchObject({ intentId: 'o', amountMicros: 5 });
  expect(ledger.conversions()).toMatchObject([{ pubkey: 'c', kind: 'merge', cashMicros: 5, yesCostMicros: null }]);
  expect(ledger.newestSeq('conversions')).toBe(3);
  ledger.transaction(() => {
    ledger.addIntent(intentOf({ id: 'split', kind: 'split' }));
    ledger.bookConversion(splitOf(2, 500_000));
    expect(() => ledger.addIntent(intentOf({ id: 'x', runId: 'nobody' }))).toThrow(/FOREIGN KEY/);
  });
  expect(ledger.verify()).toEqual([]);
  ledger.close();

  const after = new SqliteDriver(path, { readonly: true });
  expect(after.pragma('foreign_key_check')).toEqual([]);
  expect(after.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(indexes(after)).toEqual(had);
  const seqs = after.prepare('SELECT seq FROM intents ORDER BY seq').pluck().all();
  expect(seqs).toEqual([7, 9, 10]);
  after.close();
});
