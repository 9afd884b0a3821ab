import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { AssertionFailed, TwinbookError } from '../../../src/shared/base/errors.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { LedgerBroken } from '../../../src/trader/ledger/database.js';
import { openLedger, openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { findWriter } from '../../../src/trader/ledger/lock.js';
import { ACTIVE_INTENTS, BOOKINGS_AFTER, UNSETTLED_ORDERS } from '../../../src/trader/ledger/reads.js';
import { fillOf, HOLDER, inFolder, intentOf, m, newLedgerPath, ONE, orderOf, withLedger } from './books.js';

function refusal(work: () => unknown): TwinbookError {
  try {
    work();
  } catch (error) {
    if (error instanceof TwinbookError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('opening a ledger', () => {
  it('keeps what was committed, and nothing of what was thrown out', () => {
    inFolder((path) => {
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
      expect(again.intents().map(({ id }) => id)).toEqual(['run-a-1']);
      expect(again.intent('run-a-1')).toEqual(intentOf());
      again.close();
    });
  });

  it('refuses a ledger of a newer version, for writing and for reading', () => {
    withFileOf(
      (sqlite) => sqlite.pragma('user_version = 99'),
      (path) => {
        expect(refusal(() => openLedger(path, HOLDER))).toMatchObject({ code: 'ledger_newer' });
        expect(refusal(() => openReadOnly(path)).message).toContain('version 99');
      },
    );
  });

  it('refuses a ledger of an older version, for writing and for reading', () => {
    withFileOf(
      (sqlite) => sqlite.pragma('user_version = 8'),
      (path) => {
        const older = {
          code: 'file_unreadable',
          message: expect.stringMatching(/ has the older version 8; this program reads version 9$/),
        };
        expect(refusal(() => openReadOnly(path))).toMatchObject(older);
        expect(refusal(() => openLedger(path, HOLDER))).toMatchObject(older);
      },
    );
  });

  it('refuses a file that is not a ledger', () => {
    inFolder((path) => {
      writeFileSync(path, 'this is not a database, but it is long enough to be looked at as one. '.repeat(20));
      expect(refusal(() => openLedger(path, HOLDER)).code).toBe('ledger_broken');
    });
    inFolder((path) => {
      const other = new SqliteDriver(path);
      other.exec('CREATE TABLE recipes (name TEXT)');
      other.close();
      expect(refusal(() => openLedger(path, HOLDER)).message).toContain('another program');
    });
  });

  it('names the folder that is missing', () => {
    inFolder((path) => {
      const missing = join(dirname(path), 'no', 'ledger.sqlite');
      expect(refusal(() => openLedger(missing, HOLDER))).toMatchObject({ code: 'file_unreadable' });
      expect(refusal(() => openReadOnly(missing)).message).toContain('there is no ledger');
    });
  });

  it.skipIf(process.getuid?.() === 0)('names the folder that cannot be written', () => {
    inFolder((path) => {
      const folder = join(dirname(path), 'closed');
      mkdirSync(folder);
      chmodSync(folder, 0o500);
      expect(refusal(() => openLedger(join(folder, 'ledger.sqlite'), HOLDER)).message).toContain('not writable');
    });
  });

  it('reads beside the writer, and without one', () => {
    withLedger((ledger, path) => {
      const reader = openReadOnly(path);
      ledger.transaction(() => ledger.addIntent(intentOf()));
      expect(reader.intents()).toHaveLength(1);
      reader.close();
      ledger.close();
      const alone = openReadOnly(path);
      expect(alone.runs()).toMatchObject([{ id: 'run', stoppedMs: null }]);
      alone.close();
    });
  });

  it('reads what a killed trader left behind', () => {
    withLedger((ledger, path) => {
      ledger.transaction(() => ledger.addIntent(intentOf()));
      // The files are copied while the writer is open, so the write-ahead log is not checkpointed.
      const left = `${path}.left`;
      copyFileSync(path, left);
      copyFileSync(`${path}-wal`, `${left}-wal`);
      const reader = openReadOnly(left);
      expect(reader.intents()).toHaveLength(1);
      reader.close();
    });
  });

  it('is durable: WAL with synchronous FULL, whatever the library was compiled with', () => {
    withLedger((ledger) => {
      // The backup source is SQLite's connection, so the test can read its settings.
      const sqlite = ledger.backupSource as Sqlite.Database;
      expect(sqlite.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(sqlite.pragma('synchronous', { simple: true })).toBe(2);
      expect(sqlite.pragma('foreign_keys', { simple: true })).toBe(1);
    });
  });
});

describe('the writer lock', () => {
  it('refuses a second writer and names the first', () => {
    withLedger((_ledger, path) => {
      const error = refusal(() => openLedger(path, { pid: 1, startedMs: 0 }));
      expect(error.code).toBe('ledger_locked');
      expect(error.message).toContain(`process ${process.pid}, started 2023-11-14T22:13:20.000Z`);
    });
  });

  it('tells who writes, and leaves a free one free', () => {
    inFolder((path) => {
      expect(findWriter(join(path, 'no', 'such.sqlite'))).toBeNull();
      expect(findWriter(path)).toBeNull();
      const ledger = openLedger(path, HOLDER);
      symlinkSync(path, `${path}.alias`);
      expect(findWriter(`${path}.alias`)).toEqual(HOLDER);
      ledger.close();
      expect(findWriter(path)).toBeNull();
      openLedger(path, HOLDER).close();
    });
  });

  it('is one lock for two names of a ledger', () => {
    withLedger((_ledger, path) => {
      symlinkSync(path, `${path}.alias`);
      expect(refusal(() => openLedger(`${path}.alias`, HOLDER)).code).toBe('ledger_locked');
    });
  });

  it('is free again after the writer closed', () => {
    inFolder((path) => {
      openLedger(path, HOLDER).close();
      openLedger(path, HOLDER).close();
      expect(openReadOnly(path).verify()).toEqual([]);
    });
  });
});

describe('a ledger write', () => {
  it('outside of a transaction, or inside a nested one, is an assertion', () => {
    withLedger((ledger) => {
      expect(() => ledger.setNote('kill', 'yes')).toThrow(AssertionFailed);
      expect(() => ledger.transaction(() => ledger.transaction(() => undefined))).toThrow(AssertionFailed);
      ledger.transaction(() => ledger.setNote('kill', 'yes'));
      expect(ledger.note('kill')).toBe('yes');
    });
  });

  it('with an id that was used before is an assertion, and writes nothing', () => {
    withLedger((ledger) => {
      ledger.transaction(() => ledger.addIntent(intentOf()));
      expect(() => ledger.transaction(() => ledger.addIntent(intentOf()))).toThrow(AssertionFailed);
      expect(ledger.intents()).toHaveLength(1);
    });
  });

  it('that fails breaks the ledger for good: nothing is retried', () => {
    withLedger((ledger) => {
      const sqlite = ledger.backupSource as Sqlite.Database;
      // The file must not grow, so the next write fails as on a full disk.
      const pages = sqlite.pragma('page_count', { simple: true });
      sqlite.pragma(`max_page_count = ${String(pages)}`);
      const write = () => ledger.transaction(() => ledger.setNote('big', 'x'.repeat(100_000)));
      expect(write).toThrow(LedgerBroken);
      sqlite.pragma('max_page_count = 100000');
      expect(write).toThrow(LedgerBroken);
      expect(() => ledger.cash()).toThrow(LedgerBroken);
    });
  });
});

describe('reading a ledger', () => {
  it('pages newest first and filters', () => {
    withLedger((ledger) => {
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
  });

  it('gives the signer the intent’s own terms beside the draft', () => {
    withLedger((ledger) => {
      ledger.transaction(() => {
        ledger.addIntent(intentOf({ draftPubkey: 'd', message: 'text' }));
        ledger.addIntent(
          intentOf({
            id: 'redeem',
            kind: 'redeem',
            redeemYesMicros: m(ONE),
            redeemNoMicros: m(0),
            draftPubkey: 'r',
            message: 'text',
          }),
        );
        ledger.addIntent(intentOf({ id: 'young' }));
      });
      const terms = {
        action: 'place-order',
        isYes: true,
        side: 'buy',
        type: 'limit',
        price: 420_000,
        amount: 10 * ONE,
      };
      expect(ledger.storedDraft('run-a-1')).toEqual({
        intentId: 'run-a-1',
        marketConditionId: 'a',
        draftPubkey: 'd',
        message: 'text',
        terms,
      });
      expect(ledger.storedDraft('redeem')?.terms).toEqual({ action: 'redeem-shares', yes: ONE, no: 0 });
      expect(ledger.storedDraft('young')).toBeNull();
    });
  });

  it('remembers markets, events, oddities and runs', () => {
    withLedger((ledger) => {
      const market = {
        conditionId: 'a',
        title: 'Will it?',
        state: 'open' as const,
        eventConditionId: null,
        yesLabel: 'Yes',
        noLabel: null,
        makerFeeRateMicros: m(0),
        takerFeeRateMicros: m(10_000),
        resolutionS: null,
        seenMs: 1,
      };
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
  });

  it('starts from partial indexes, so that history costs nothing', () => {
    withLedger((ledger, path) => {
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
  });

  it('is backed up whole while it is open', async () => {
    const { path, remove } = newLedgerPath();
    const ledger = openLedger(path, HOLDER);
    ledger.transaction(() => {
      ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
      ledger.addIntent(intentOf());
    });
    await ledger.backupSource.backup(`${path}.copy`);
    const copy = openReadOnly(`${path}.copy`);
    expect(copy.intents()).toHaveLength(1);
    expect(copy.verify()).toEqual([]);
    copy.close();
    ledger.close();
    remove();
  });
});

function withFileOf(spoil: (sqlite: Sqlite.Database) => void, work: (path: string) => void): void {
  inFolder((path) => {
    openLedger(path, HOLDER).close();
    const sqlite = new SqliteDriver(path);
    spoil(sqlite);
    sqlite.close();
    work(path);
  });
}
