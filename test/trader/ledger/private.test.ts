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
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { LedgerBroken } from '../../../src/trader/ledger/database.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { findWriter } from '../../../src/trader/ledger/lock.js';
import { HOLDER, refusalOf, withLedger } from './books.js';
import { testInFolder, testWithLedger } from './ledger-tests.js';

const mode = (path: string) => statSync(path).mode & 0o777;

/** Takes an SQLite lock on the lock file, as its reader. */
function hold(lock: Sqlite.Database): void {
  lock.exec('BEGIN');
  lock.prepare('SELECT * FROM holder').all();
}

/** Creates a lock file of an earlier version, whose holder has ended. */
function writeOldLock(path: string): void {
  const sqlite = new SqliteDriver(path);
  sqlite.exec('CREATE TABLE holder (pid INTEGER, started_ms INTEGER, born TEXT) STRICT');
  sqlite.exec('INSERT INTO holder VALUES (4194305, 0, NULL)');
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

  testInFolder('are taken from others when an earlier version has left them open', (path) => {
    openLedger(path, HOLDER).close();
    writeFileSync(`${path}.backup`, '');
    for (const ending of ['', '.lock', '.backup']) chmodSync(`${path}${ending}`, 0o644);
    openLedger(path, HOLDER).close();
    for (const ending of ['', '.lock', '.backup']) expect(mode(`${path}${ending}`), ending).toBe(0o600);
  });
});

describe('the lock', () => {
  testInFolder('that others could open is replaced, and the new one locks', (path) => {
    writeOldLock(`${path}.lock`);
    const { ino } = statSync(`${path}.lock`);
    const ledger = openLedger(path, HOLDER);
    expect(statSync(`${path}.lock`).ino).not.toBe(ino);
    expect(existsSync(`${path}.lock.new`)).toBe(false);
    expect(refusalOf(() => openLedger(path, HOLDER)).code).toBe('ledger_locked');
    expect(findWriter(path)).toEqual(HOLDER);
    ledger.close();
    expect(findWriter(path)).toBeNull();
    openLedger(path, HOLDER).close();
  });

  testInFolder('cannot be held by whoever opened it while others could', (path) => {
    writeOldLock(`${path}.lock`);
    const early = new SqliteDriver(`${path}.lock`, { readonly: true });
    openLedger(path, HOLDER).close();
    hold(early);
    openLedger(path, HOLDER).close();
    early.close();
  });

  testInFolder('never names a process that is gone as the writer', (path) => {
    writeOldLock(`${path}.lock`);
    const reader = new SqliteDriver(`${path}.lock`, { readonly: true });
    hold(reader);
    const { code, message, hint } = refusalOf(() => openLedger(path, HOLDER));
    expect(code).toBe('ledger_locked');
    expect(message).not.toContain('4194305');
    expect(message).toContain('held by an unknown process');
    expect(hint).toContain('Any user who can read that file');
    reader.close();
    openLedger(path, HOLDER).close();
  });

  testInFolder('names no other process that has the number of one that is gone', (path) => {
    openLedger(path, HOLDER).close();
    const sqlite = new SqliteDriver(`${path}.lock`);
    sqlite.exec("UPDATE holder SET born = '1@an earlier boot'; BEGIN IMMEDIATE");
    const { message } = refusalOf(() => openLedger(path, HOLDER));
    sqlite.close();
    if (existsSync('/proc/self/stat')) expect(message).not.toContain(`process ${process.pid}`);
  });
});

describe('a ledger', () => {
  it.each(['', '-wal'])('whose file%s is replaced under its writer fails its check', (ending) =>
    withLedger((ledger, path) => {
      ledger.checkFile();
      const file = `${path}${ending}`;
      copyFileSync(file, `${file}.other`);
      renameSync(`${file}.other`, file);
      expect(() => ledger.checkFile()).toThrow(/was replaced by another file/);
      rmSync(file);
      expect(() => ledger.checkFile()).toThrow(LedgerBroken);
    }),
  );

  testWithLedger('that is written and read stays where it is', (ledger, path) => {
    for (let round = 0; round < 1000; round++) ledger.transaction(() => ledger.setNote('round', `${round}`));
    ledger.checkFile();
    expect(readFileSync(path).length).toBeGreaterThan(0);
  });

  testInFolder('with another name is refused under both, and opens when it has one again', (path) => {
    openLedger(path, HOLDER).close();
    linkSync(path, `${path}.hard`);
    for (const name of [path, `${path}.hard`]) {
      const { code, message, hint } = refusalOf(() => openLedger(name, HOLDER));
      expect(code).toBe('file_unreadable');
      expect(message).toContain('2 hard links');
      expect(hint).toContain('Remove the other links');
    }
    unlinkSync(`${path}.hard`);
    openLedger(path, HOLDER).close();
  });
});
