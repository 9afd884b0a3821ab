/** Opens the SQLite database of a data folder, for one process at a time. */

import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { messageOf, TwinbookError, unreadable } from '../../shared/base/errors.js';
import { makeFolder, makePrivateFile, PRIVATE_FILE } from '../../shared/base/files.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';

/** Runs one transaction at a time. After a failed write, all writes throw, because the file lacks the failed change. */
export class Transactions {
  readonly #db: Database.Database;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  #failure: unknown = null;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
  }

  /** Runs a write in the open transaction, or in a new one. After a failed write, every write throws. */
  write(action: () => void): void {
    this.#guard(() => {
      if (!this.#db.inTransaction) this.#begin.run();
      action();
    });
  }

  /** Runs a single statement and commits it with all earlier writes, which are on disk when the call returns. */
  store(statement: () => void): void {
    // Outside a transaction, SQLite commits a single statement automatically, which is fastest.
    this.#guard(statement);
    this.commit();
  }

  /** Commits the writes since the last commit. Committed writes are on disk when the call returns. */
  commit(): void {
    this.#guard(() => {
      if (this.#db.inTransaction) this.#commit.run();
    });
  }

  /** Throws TwinbookError `ledger_broken` after a failed write. */
  assertSound(): void {
    if (this.#failure === null) return;
    const message = `writing to the exchange's journal failed: ${messageOf(this.#failure)}`;
    const hint = 'Free space if the disk is full, then start again.';
    throw new TwinbookError('ledger_broken', message, hint, { cause: this.#failure });
  }

  #guard(action: () => void): void {
    this.assertSound();
    try {
      action();
    } catch (error) {
      // Uncommitted writes are lost when the file is closed.
      this.#failure = error;
      this.assertSound();
    }
  }
}

/** Format number of the database; other formats are refused. A change of the fill rules also needs a new number. */
const FORMAT = 4;

/** Memory of SQLite's cache, KiB: enough for the upper levels of all indexes with millions of rows. */
const CACHE_KIB = 32 * 1024;

/**
 * Opens the file, and creates the folder if missing. Throws TwinbookError `file_unreadable` if the folder cannot be
 * written, `ledger_locked` if another process uses the folder, and `ledger_newer` for another format.
 */
export function openDatabase(folder: string): Database.Database {
  prepareFolder(folder);
  const path = join(folder, 'exchange.sqlite');
  try {
    // The database file contains API secrets. SQLite gives its journal files the same mode as the database.
    makePrivateFile(path);
    const db = new SqliteDriver(path, { timeout: 0 });
    try {
      prepareFile(db, path);
      writeFileSync(join(folder, 'exchange.pid'), `${process.pid}\n`, { mode: PRIVATE_FILE });
    } catch (error) {
      db.close();
      throw error;
    }
    return db;
  } catch (error) {
    throw openingError(error, folder, path);
  }
}

function prepareFile(db: Database.Database, path: string): void {
  // The lock on the database ends with the connection, so even a killed process leaves no lock.
  db.pragma('locking_mode = EXCLUSIVE');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma(`cache_size = -${CACHE_KIB}`);
  const format = Number(db.pragma('user_version', { simple: true }));
  if (format !== 0 && format !== FORMAT) {
    const message = `${path} has format ${format}, but this version of Twinbook reads only ${FORMAT}`;
    throw new TwinbookError('ledger_newer', message, 'Use the version that wrote it, or a new folder and ledger.');
  }
  // One transaction creates all tables, so that an interrupted process leaves an empty file, not an incomplete file.
  db.transaction(() => {
    createTables(db);
    if (format !== FORMAT) db.pragma(`user_version = ${FORMAT}`);
  }).exclusive();
}

/** Creates the tables of the database, except the archive's tables. */
export function createTables(db: Database.Database): void {
  db.exec(`
    CREATE TABLE IF NOT EXISTS snapshot (id INTEGER PRIMARY KEY, state TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS journal (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, now_ms INTEGER NOT NULL, method TEXT NOT NULL, args TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS kind (
      shelf TEXT NOT NULL, number INTEGER NOT NULL, state TEXT NOT NULL, is_yes INTEGER, side TEXT,
      PRIMARY KEY (shelf, number)
    ) STRICT;
  `);
}

function prepareFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const hint = 'Give --data-dir a folder that you may write to.';
    throw unreadable(`cannot use the data folder ${folder}`, error, hint);
  }
}

function openingError(error: unknown, folder: string, path: string): TwinbookError {
  if (error instanceof TwinbookError) return error;
  const code = error instanceof SqliteDriver.SqliteError ? error.code : '';
  if (code.startsWith('SQLITE_BUSY')) {
    const message = `another exchange${describeOwner(folder)} uses the data folder ${folder}`;
    return new TwinbookError('ledger_locked', message, 'Stop that exchange or change --data-dir.', { cause: error });
  }
  return unreadable(`cannot open ${path}`, error, 'Make the file writable, or move it to start an empty exchange.');
}

/** Names the process that last wrote the pid file, for a message; empty without the file. */
function describeOwner(folder: string): string {
  try {
    return ` (process ${readFileSync(join(folder, 'exchange.pid'), 'utf8').trim()})`;
  } catch {
    return '';
  }
}
