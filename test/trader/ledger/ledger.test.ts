import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { AssertionFailed } from '../../../src/shared/base/errors.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { LedgerBroken } from '../../../src/trader/ledger/database.js';
import { openLedger, openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { findWriter } from '../../../src/trader/ledger/lock.js';
import { ACTIVE_INTENTS, BOOKINGS_AFTER, UNSETTLED_ORDERS } from '../../../src/trader/ledger/reads.js';
import { newFolder } from '../../support/folders.js';
import { fillOf, HOLDER, inFolder, intentOf, m, marketOf, ONE, orderOf, refusalOf } from './books.js';
import { testInFolder, testWithLedger } from './ledger-tests.js';

describe('opening a ledger', () => {
  testInFolder('keeps what was committed, and nothing of what was thrown out', (path) => {
    const ledger = openLedger(path, HOLDER);
    ledger.transaction(() => {
      ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
      ledger.addIntent(intentOf());
    });
    expect(() =>
      ledger.transaction(() => {
        ledger.addIntent(intentOf({ id: 'run-a-2' }));
        throw new Error('the step failed');
      }),
    ).toThrow('the step failed');
    ledger.close();
    const again = openLedger(path, HOLDER);
    expect([again.intents().map(({ id }) => id), again.intent('run-a-1')]).toEqual([['run-a-1'], intentOf()]);
    again.close();
  });

  it.each(['-wal', '.backup', '.backups', '.config'])('begins no new ledger beside a %s of a lost one', (ending) =>
    inFolder((path) => {
      const left = `${path}${ending}`;
      if (ending.endsWith('s') || ending === '.config') mkdirSync(join(left, 'one'), { recursive: true });
      else writeFileSync(left, 'left');
      const refused = { code: 'ledger_broken', message: expect.stringContaining(`${left} of this ledger exists`) };
      for (const open of [() => openLedger(path, HOLDER), () => openReadOnly(path)])
        expect(refusalOf(open)).toMatchObject(refused);
      expect([existsSync(path), existsSync(left)]).toEqual([false, true]);
      writeFileSync(path, '');
      expect(refusalOf(() => openLedger(path, HOLDER))).toMatchObject(refused);
      rmSync(left, { recursive: true });
      openLedger(path, HOLDER).close();
    }),
  );

  it.each([
    ['newer', 99, 'ledger_newer', /version 99/],
    ['older', 8, 'file_unreadable', / has the older version 8; this program reads version 9$/],
  ])('refuses a ledger of a %s version, for writing and for reading', (_age, version, code, words) =>
    inFolder((path) => {
      openLedger(path, HOLDER).close();
      const sqlite = new SqliteDriver(path);
      sqlite.pragma(`user_version = ${version}`);
      sqlite.close();
      const refusal = { code, message: expect.stringMatching(words) };
      expect(refusalOf(() => openReadOnly(path))).toMatchObject(refusal);
      expect(refusalOf(() => openLedger(path, HOLDER))).toMatchObject(refusal);
    }),
  );

  it('refuses a file that is not a ledger', () => {
    inFolder((path) => {
      writeFileSync(path, 'this is not a database, but it is long enough to be looked at as one. '.repeat(20));
      expect(refusalOf(() => openLedger(path, HOLDER)).code).toBe('ledger_broken');
    });
    inFolder((path) => {
      const other = new SqliteDriver(path);
      other.exec('CREATE TABLE recipes (name TEXT)');
      other.close();
      expect(refusalOf(() => openLedger(path, HOLDER)).message).toContain('another program');
    });
  });

  testInFolder('names the folder that is missing', (path) => {
    const missing = join(dirname(path), 'no', 'ledger.sqlite');
    expect(refusalOf(() => openLedger(missing, HOLDER))).toMatchObject({ code: 'file_unreadable' });
    expect(refusalOf(() => openReadOnly(missing)).message).toContain('there is no ledger');
  });

  it.skipIf(process.getuid?.() === 0)('names the folder that cannot be written', () => {
    inFolder((path) => {
      const folder = join(dirname(path), 'closed');
      mkdirSync(folder);
      chmodSync(folder, 0o500);
      expect(refusalOf(() => openLedger(join(folder, 'ledger.sqlite'), HOLDER)).message).toContain('not writable');
    });
  });

  testWithLedger('reads beside the writer, and without one', (ledger, path) => {
    const reader = openReadOnly(path);
    ledger.transaction(() => ledger.addIntent(intentOf()));
    expect(reader.intents()).toHaveLength(1);
    reader.close();
    ledger.close();
    const alone = openReadOnly(path);
    expect(alone.runs()).toMatchObject([{ id: 'run', stoppedMs: null }]);
    alone.close();
  });

  testWithLedger('reads what a killed trader left behind', (ledger, path) => {
    ledger.transaction(() => ledger.addIntent(intentOf()));
    // The files are copied while the writer is open, so the write-ahead log is not checkpointed.
    const left = `${path}.left`;
    copyFileSync(path, left);
    copyFileSync(`${path}-wal`, `${left}-wal`);
    const reader = openReadOnly(left);
    expect(reader.intents()).toHaveLength(1);
    reader.close();
  });

  testWithLedger('is durable: WAL with synchronous FULL, whatever the library was compiled with', (ledger) => {
    // The backup source is SQLite's connection, so the test can read its settings.
    const sqlite = ledger.backupSource as Sqlite.Database;
    expect(sqlite.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(sqlite.pragma('synchronous', { simple: true })).toBe(2);
    expect(sqlite.pragma('foreign_keys', { simple: true })).toBe(1);
  });
});

describe('the writer lock', () => {
  testWithLedger('refuses a second writer under any name of the file, and names the first', (_ledger, path) => {
    symlinkSync(path, `${path}.alias`);
    for (const name of [path, `${path}.alias`]) {
      const error = refusalOf(() => openLedger(name, { pid: 1, startedMs: 0 }));
      expect(error.code).toBe('ledger_locked');
      expect(error.message).toContain(`process ${process.pid}, started 2023-11-14T22:13:20.000Z`);
    }
  });

  testInFolder('tells who writes, and leaves a free one free', (path) => {
    expect([findWriter(join(path, 'no', 'such.sqlite')), findWriter(path)]).toEqual([null, null]);
    const ledger = openLedger(path, HOLDER);
    symlinkSync(path, `${path}.alias`);
    expect(findWriter(`${path}.alias`)).toEqual(HOLDER);
    ledger.close();
    expect(findWriter(path)).toBeNull();
    openLedger(path, HOLDER).close();
    symlinkSync(`${path}.loop.lock`, `${path}.loop.lock`);
    expect(refusalOf(() => findWriter(`${path}.loop`)).message).toMatch(/the lock file .* cannot be used: ELOOP/);
  });
});

describe('a ledger write', () => {
  testWithLedger('outside of a transaction, or inside a nested one, is an assertion', (ledger) => {
    expect(() => ledger.setNote('kill', 'yes')).toThrow(AssertionFailed);
    expect(() => ledger.transaction(() => ledger.transaction(() => undefined))).toThrow(AssertionFailed);
    ledger.transaction(() => ledger.setNote('kill', 'yes'));
    expect(ledger.note('kill')).toBe('yes');
  });

  testWithLedger('with an id that was used before is an assertion, and writes nothing', (ledger) => {
    ledger.transaction(() => ledger.addIntent(intentOf()));
    expect(() => ledger.transaction(() => ledger.addIntent(intentOf()))).toThrow(AssertionFailed);
    expect(ledger.intents()).toHaveLength(1);
  });

  testWithLedger('that fails breaks the ledger for good: nothing is retried', (ledger) => {
    const sqlite = ledger.backupSource as Sqlite.Database;
    // The file must not grow, so the next write fails as on a full disk.
    sqlite.pragma(`max_page_count = ${String(sqlite.pragma('page_count', { simple: true }))}`);
    const write = () => ledger.transaction(() => ledger.setNote('big', 'x'.repeat(100_000)));
    expect(write).toThrow(LedgerBroken);
    sqlite.pragma('max_page_count = 100000');
    expect(write).toThrow(LedgerBroken);
    expect(() => ledger.cash()).toThrow(LedgerBroken);
  });
});

describe('reading a ledger', () => {
  testWithLedger('pages newest first and filters', (ledger) => {
    ledger.transaction(() => {
      for (const [i, market] of ['a', 'b', 'a'].entries()) {
        ledger.addIntent(intentOf({ id: `i${i}`, marketConditionId: market }));
        ledger.addOrder(orderOf({ pubkey: `o${i}`, intentId: `i${i}`, marketConditionId: market }));
        ledger.bookFill(fillOf({ pubkey: `t${i}`, orderPubkey: `o${i}`, marketConditionId: market }));
      }
      ledger.changeIntent('i2', { state: 'refused', updatedMs: 2, lastReason: 'no' });
      ledger.changeOrder('o0', { status: 'canceled', filledMicros: m(0), closedMs: 3 });
    });
    expect(ledger.intents({ marketConditionId: 'a' }).map(({ id }) => id)).toEqual(['i2', 'i0']);
    expect(ledger.intents({ states: ['refused'], kind: 'place' }).map(({ id }) => id)).toEqual(['i2']);
    expect(ledger.orders({ limit: 1 }).map(({ pubkey }) => pubkey)).toEqual(['o2']);
    expect(ledger.orders({ statuses: ['canceled'] }).map(({ pubkey }) => pubkey)).toEqual(['o0']);
    expect(ledger.fills({ orderPubkey: 'o1' }).map(({ pubkey }) => pubkey)).toEqual(['t1']);
    expect(ledger.positions().map(({ marketConditionId }) => marketConditionId)).toEqual(['a', 'b']);
  });

  testWithLedger('gives the signer the intent’s own terms beside the draft', (ledger) => {
    const draft = { draftPubkey: 'd', message: 'text' };
    const redeem = { kind: 'redeem', redeemYesMicros: m(ONE), redeemNoMicros: m(0) } as const;
    ledger.transaction(() => {
      ledger.addIntent(intentOf(draft));
      ledger.addIntent(intentOf({ id: 'redeem', ...redeem, ...draft }));
      ledger.addIntent(intentOf({ id: 'young' }));
    });
    const own = { intentId: 'run-a-1', marketConditionId: 'a', ...draft };
    const terms = { isYes: true, side: 'buy', type: 'limit', price: 420_000, amount: 10 * ONE };
    expect(ledger.storedDraft('run-a-1')).toEqual({ ...own, terms: { action: 'place-order', ...terms } });
    expect(ledger.storedDraft('redeem')?.terms).toEqual({ action: 'redeem-shares', yes: ONE, no: 0 });
    expect(ledger.storedDraft('young')).toBeNull();
  });

  testWithLedger('remembers markets, events, oddities and runs', (ledger) => {
    const market = marketOf();
    ledger.transaction(() => {
      ledger.saveMarket(market);
      ledger.saveMarket({ ...market, state: 'resolved', seenMs: 2 });
      ledger.addEvent({ timeMs: 1, severity: 'loud', kind: 'kill', text: 'because' });
      ledger.addEvent({ timeMs: 2, severity: 'info', kind: 'long', text: 'x'.repeat(1e6) });
      expect(ledger.noteOddity('foreign_order', 'x', 'text', 1)).toBe(true);
      expect(ledger.noteOddity('foreign_order', 'x', 'text', 2)).toBe(false);
      ledger.stopRun('run', 9, 'stopped');
    });
    expect(ledger.market('a')).toEqual({ ...market, state: 'resolved', seenMs: 2 });
    expect(ledger.markets()).toHaveLength(1);
    expect(ledger.events(1)[0]?.text).toHaveLength(2_000);
    expect(ledger.events().slice(1)).toEqual([{ timeMs: 1, severity: 'loud', kind: 'kill', text: 'because' }]);
    expect(ledger.runs()).toEqual([
      { id: 'run', version: '0', configHash: 'hash', startedMs: 1, stoppedMs: 9, note: 'stopped' },
    ]);
  });

  testWithLedger('starts from partial indexes, so that history costs nothing', (ledger, path) => {
    const sqlite = new SqliteDriver(path, { readonly: true });
    const plan = (sql: string) => JSON.stringify(sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
    expect(plan(`SELECT * FROM intents ${ACTIVE_INTENTS}`)).toContain('intents_active');
    expect(plan(`SELECT * FROM orders ${UNSETTLED_ORDERS}`)).toContain('orders_unsettled');
    // A page of bookings is found by keys, without a scan of a table.
    expect(plan(BOOKINGS_AFTER.replaceAll('?', '1'))).not.toMatch(/SCAN (?!t\b)/);
    sqlite.close();
    ledger.transaction(() => {
      ledger.addIntent(intentOf());
      ledger.addIntent(intentOf({ id: 'over', state: 'done' }));
      ledger.addOrder(orderOf());
      ledger.addOrder(orderOf({ pubkey: 'over', intentId: 'over', closedMs: 1 }));
    });
    expect(ledger.activeIntents().map(({ id }) => id)).toEqual(['run-a-1']);
    expect(ledger.unsettledOrders().map(({ pubkey }) => pubkey)).toEqual(['order-1']);
  });

  it('is backed up whole while it is open', async () => {
    const path = join(newFolder(), 'ledger.sqlite');
    const ledger = openLedger(path, HOLDER);
    ledger.transaction(() => ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 }));
    await ledger.backupSource.backup(`${path}.copy`);
    const copy = openReadOnly(`${path}.copy`);
    expect([copy.runs().length, copy.verify()]).toEqual([1, []]);
    copy.close();
    ledger.close();
  });
});
