import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Core, CoreSettings } from '../../../src/exchange/core/contract.js';
import type { Snapshot } from '../../../src/exchange/core/wiring.js';
import { PersistentCore } from '../../../src/exchange/store/persistent-core.js';
import { assert } from '../../../src/shared/base/errors.js';
import { throughJson } from '../core/drawer.js';

/** Written by the last version that kept all in the snapshot: its file, and what it answered to two accounts. */
interface Fixture {
  readonly settings: CoreSettings;
  readonly snapshot: { readonly core: Record<string, unknown> };
  readonly journal: readonly (readonly [nowMs: number, method: string, args: unknown])[];
  readonly answers: readonly { readonly funds: { readonly locked: number; readonly available: number } }[];
  readonly tape: unknown;
  readonly books: unknown;
}
const fixture: Fixture = JSON.parse(readFileSync(join(import.meta.dirname, 'format-1.json'), 'utf8'));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twinbook-format-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeFormat1(snapshot: unknown, journal: Fixture['journal']): void {
  mkdirSync(folder, { recursive: true });
  const db = new Database(join(folder, 'exchange.sqlite'));
  db.exec(`
    CREATE TABLE snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL) STRICT;
    CREATE TABLE journal (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, now_ms INTEGER NOT NULL, method TEXT NOT NULL, args TEXT NOT NULL
    ) STRICT;
    PRAGMA user_version = 1;
  `);
  db.prepare('INSERT INTO snapshot VALUES (1, ?)').run(JSON.stringify(snapshot));
  const insert = db.prepare('INSERT INTO journal (now_ms, method, args) VALUES (?, ?, ?)');
  for (const [nowMs, method, args] of journal) insert.run(nowMs, method, JSON.stringify(args));
  db.close();
}

const page = { limit: 100 };

function answersOf(core: Core): unknown {
  return [1, 2].map((account) => ({
    orders: core.orders(account, page),
    trades: core.ownTrades(account, page),
    merges: core.merges(account, page),
    splits: core.splits(account, page),
    redeems: core.redeems(account, page),
    keys: core.keys(account),
    funds: core.fundsOf(account),
    holdings: [0, 1, 2].map((market) => core.holdingOf(account, market)),
  }));
}

/** What the one draft of an order held that lives at the end, of account 2: drafts of orders lock nothing any more. */
const DRAFT_LOCK = 404_000;

function withoutDraftLock([first, second]: Fixture['answers']): unknown {
  const funds = second?.funds;
  assert(funds !== undefined, 'the fixture has answers to two accounts');
  const { locked, available } = funds;
  return [first, { ...second, funds: { ...funds, locked: locked - DRAFT_LOCK, available: available + DRAFT_LOCK } }];
}

describe('a data folder of format 1', () => {
  it('answers everything as before, once brought up and ever after', () => {
    writeFormat1(fixture.snapshot, fixture.journal);
    for (const _ of ['migrated', 'reopened']) {
      const keeper = PersistentCore.open(folder, fixture.settings);
      const { core } = keeper;
      expect(throughJson(answersOf(core))).toEqual(withoutDraftLock(fixture.answers));
      expect([0, 1, 2].map((market) => core.publicTrades(market, page))).toMatchObject(fixture.tape as object[]);
      expect([0, 1, 2].map((market) => core.bookRow(market, true, 100))).toEqual(fixture.books);
      const { orders } = core.snapshot() as Snapshot;
      expect(
        orders.records.every(({ status }) => ['open', 'partially_filled', 'waiting_to_sign'].includes(status)),
      ).toBe(true);
      expect(core.credential('key-a')).toMatchObject({ account: 1, secret: 'secret-key-a' });
      expect(core.credential('key-a2')).toBeNull();
      keeper.close();
    }
    const db = new Database(join(folder, 'exchange.sqlite'));
    expect(db.pragma('user_version', { simple: true })).toBe(2);
    db.close();
  });

  it('lets go of what its drafts of orders held, and of nothing else', () => {
    writeFormat1(fixture.snapshot, []);
    const keeper = PersistentCore.open(folder, fixture.settings);
    // Of 10.474 that the file says 0.404 were a draft's.
    expect(keeper.core.fundsOf(2).locked).toBe(10_070_000);
    expect(keeper.core.fundsOf(1).locked).toBe(4_242_000);
    keeper.close();
  });

  it('keeps the bars of its kept trades', () => {
    writeFormat1(fixture.snapshot, []);
    const keeper = PersistentCore.open(folder, fixture.settings);
    const { catalog } = keeper.core.snapshot() as Snapshot;
    expect(catalog.markets.map(({ candles }) => candles.length > 0)).toEqual([true, false, false]);
    keeper.close();
  });

  it('stays as it is when it cannot be brought up', () => {
    writeFormat1({ ...fixture.snapshot, core: { ...fixture.snapshot.core, version: 0 } }, fixture.journal);
    expect(() => PersistentCore.open(folder, fixture.settings)).toThrowError(
      expect.objectContaining({ code: 'ledger_broken' }),
    );
    const db = new Database(join(folder, 'exchange.sqlite'));
    expect(db.pragma('user_version', { simple: true })).toBe(1);
    expect(db.prepare('SELECT count(*) FROM journal').pluck().get()).toBe(fixture.journal.length);
    expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'archived%'").pluck().get()).toBe(0);
    db.close();
  });
});
