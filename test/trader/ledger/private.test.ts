/** Ledger and lock reject readers of the lock file, a replaced file, and further names of the file. */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { LedgerBroken } from '../../../src/trader/ledger/database.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { findWriter } from '../../../src/trader/ledger/lock.js';
import { HOLDER, inFolder, withLedger } from './books.js';

const mode = (path: string) => statSync(path).mode & 0o777;

function refusal(work: () => unknown): TwinbookError {
  try {
    work();
  } catch (error) {
    if (error instanceof TwinbookError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** Opens the lock file as a reader that holds an SQLite lock on it. */
function readerOf(path: string): Sqlite.Database {
  const sqlite = new SqliteDriver(path, { readonly: true });
  sqlite.exec('BEGIN');
  sqlite.prepare('SELECT * FROM holder').all();
  return sqlite;
}

/** Creates a lock file of an earlier version, whose holder has ended. */
function writeOldLock(path: string): void {
  const sqlite = new SqliteDriver(path);
  sqlite.exec('CREATE TABLE holder (pid INTEGER, started_ms INTEGER) STRICT; INSERT INTO holder VALUES (4194305, 0)');
  sqlite.close();
  chmodSync(path, 0o644);
}

describe('the files of a ledger', () => {
  it('are their owner’s alone, whatever the umask', () => {
    const before = process.umask(0);
    try {
      withLedger((_, path) => {
        for (const ending of ['', '-wal', '-shm', '.lock']) expect(mode(`${path}${ending}`), ending).toBe(0o600);
      });
    } finally {
      process.umask(before);
    }
  });

  it('are taken from others when an earlier version has left them open', () => {
    inFolder((path) => {
      openLedger(path, HOLDER).close();
      writeFileSync(`${path}.backup`, '');
      for (const ending of ['', '.lock', '.backup']) chmodSync(`${path}${ending}`, 0o644);
      openLedger(path, HOLDER).close();
      for (const ending of ['', '.lock', '.backup']) expect(mode(`${path}${ending}`), ending).toBe(0o600);
    });
  });
});

describe('the lock', () => {
  it('that others could open is another file from then on, and the new one is no less a lock', () => {
    inFolder((path) => {
      writeOldLock(`${path}.lock`);
      const { ino } = statSync(`${path}.lock`);
      const ledger = openLedger(path, HOLDER);
      expect(statSync(`${path}.lock`).ino).not.toBe(ino);
      expect(existsSync(`${path}.lock.new`)).toBe(false);
      expect(refusal(() => openLedger(path, HOLDER)).code).toBe('ledger_locked');
      expect(findWriter(path)).toEqual(HOLDER);
      ledger.close();
      expect(findWriter(path)).toBeNull();
      openLedger(path, HOLDER).close();
    });
  });

  it('cannot be held by whoever opened it while others could', () => {
    inFolder((path) => {
      writeOldLock(`${path}.lock`);
      const early = new SqliteDriver(`${path}.lock`, { readonly: true });
      openLedger(path, HOLDER).close();
      early.exec('BEGIN');
      early.prepare('SELECT * FROM holder').all();
      openLedger(path, HOLDER).close();
      early.close();
    });
  });

  it('never names a process that is gone as the writer', () => {
    inFolder((path) => {
      writeOldLock(`${path}.lock`);
      const reader = readerOf(`${path}.lock`);
      const { code, message, hint } = refusal(() => openLedger(path, HOLDER));
      expect(code).toBe('ledger_locked');
      expect(message).not.toContain('4194305');
      expect(message).toContain('held by an unknown process');
      expect(hint).toContain('Any user who can read that file');
      reader.close();
      openLedger(path, HOLDER).close();
    });
  });

  it('names no other process that has the number of one that is gone', () => {
    inFolder((path) => {
      openLedger(path, HOLDER).close();
      const sqlite = new SqliteDriver(`${path}.lock`);
      sqlite.exec("UPDATE holder SET born = '1@an earlier boot'; BEGIN IMMEDIATE");
      const { message } = refusal(() => openLedger(path, HOLDER));
      sqlite.close();
      if (existsSync('/proc/self/stat')) expect(message).not.toContain(`process ${process.pid}`);
    });
  });
});

describe('a ledger', () => {
  it('that is replaced under its writer is found out, and so is its log', () => {
    for (const ending of ['', '-wal']) {
      withLedger((ledger, path) => {
        ledger.checkFile();
        const file = `${path}${ending}`;
        copyFileSync(file, `${file}.other`);
        renameSync(`${file}.other`, file);
        expect(() => ledger.checkFile(), ending).toThrow(/was replaced by another file/);
        rmSync(file);
        expect(() => ledger.checkFile(), ending).toThrow(LedgerBroken);
      });
    }
  });

  it('that is written and read stays where it is', () => {
    withLedger((ledger, path) => {
      for (let round = 0; round < 1000; round++) ledger.transaction(() => ledger.setNote('round', `${round}`));
      ledger.checkFile();
      expect(readFileSync(path).length).toBeGreaterThan(0);
    });
  });

  it('with another name is refused under both, and taken when it has one again', () => {
    withLedger((_, path) => {
      linkSync(path, `${path}.hard`);
      const { code, message, hint } = refusal(() => openLedger(`${path}.hard`, HOLDER));
      expect(code).toBe('file_unreadable');
      expect(message).toContain('2 names (hard links)');
      expect(hint).toContain('Remove the other names');
    });
    inFolder((path) => {
      openLedger(path, HOLDER).close();
      linkSync(path, `${path}.hard`);
      expect(refusal(() => openLedger(path, HOLDER)).message).toContain('2 names');
      unlinkSync(`${path}.hard`);
      openLedger(path, HOLDER).close();
    });
  });
});
