/** Opens the file of a data folder, for one process at a time, in this version's format. */

import { accessSync, closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/files.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';

/** Runs one transaction at a time on the exchange's file. A failed write is final: the core is ahead of the disk. */
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

  /** Runs a write in the open transaction, or begins one. After a failure every write throws. */
  write(action: () => void): void {
    this.#guard(() => {
      if (!this.#db.inTransaction) this.#begin.run();
      action();
    });
  }

  /** Runs and stores a single statement with all earlier writes; on disk at return. */
  store(statement: () => void): void {
    // A statement outside a transaction is its own transaction, which costs least.
    this.#guard(statement);
    this.commit();
  }

  /** Stores the writes since the last commit; on disk at return. */
  commit(): void {
    this.#guard(() => {
      if (this.#db.inTransaction) this.#commit.run();
    });
  }

  /** Throws TwinbookError `ledger_broken` after a failed write. */
  assertSound(): void {
    if (this.#failure !== null) {
      throw new TwinbookError('ledger_broken', "the exchange's journal failed a write", 'Restart it.', {
        cause: this.#failure,
      });
    }
  }

  #guard(action: () => void): void {
    this.assertSound();
    try {
      action();
    } catch (error) {
      // Open writes are never committed: closing the file drops them.
      this.#failure = error;
      this.assertSound();
    }
  }
}

/** Stored in the file; a file of another format is refused. Raised too when recorded events fill by other rules. */
const FORMAT = 3;

/** SQLite's own memory, KiB: the upper levels of all indexes of millions of rows. */
const CACHE_KIB = 32 * 1024;

/**
 * Creates the folder if missing. Throws TwinbookError `file_unreadable` when it cannot be written, `ledger_locked` when
 * another process uses it, `ledger_newer` for a later version.
 */
export function openDatabase(folder: string): Database.Database {
  prepareFolder(folder);
  const path = join(folder, 'exchange.sqlite');
  try {
    // The file contains API secrets; SQLite gives its side files the same mode.
    closeSync(openSync(path, 'a', 0o600));
    const db = new SqliteDriver(path, { timeout: 0 });
    try {
      prepareFile(db, path);
      writeFileSync(join(folder, 'exchange.pid'), `${process.pid}\n`, { mode: 0o600 });
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
  // Held until the connection ends in any way: a killed process leaves no lock.
  db.pragma('locking_mode = EXCLUSIVE');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma(`cache_size = -${CACHE_KIB}`);
  const format = Number(db.pragma('user_version', { simple: true }));
  // A new file has format 0.
  if (format !== 0 && format !== FORMAT) {
    throw new TwinbookError(
      'ledger_newer',
      `${path} has format ${format}, this version of Twinbook reads ${FORMAT}`,
      'Use the version that wrote it, or another data folder.',
    );
  }
  // One transaction: a process that ends meanwhile leaves an empty file, not a partial file.
  db.transaction(() => {
    createTables(db);
    if (format !== FORMAT) db.pragma(`user_version = ${FORMAT}`);
  }).exclusive();
}

/** Tables of every file of this format besides its archive. */
export function createTables(db: Database.Database): void {
  db.exec(`
    CREATE TABLE IF NOT EXISTS snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL) STRICT;
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
    throw new TwinbookError(
      'file_unreadable',
      `cannot use the data folder ${folder}: ${reason(error)}`,
      'Give --data-dir a folder that you may write to.',
      { cause: error },
    );
  }
}

function openingError(error: unknown, folder: string, path: string): TwinbookError {
  if (error instanceof TwinbookError) return error;
  const code = error instanceof SqliteDriver.SqliteError ? error.code : '';
  if (code.startsWith('SQLITE_BUSY')) {
    return new TwinbookError(
      'ledger_locked',
      `another exchange${describeOwner(folder)} uses the data folder ${folder}`,
      'Stop it, or use another --data-dir.',
      { cause: error },
    );
  }
  return new TwinbookError(
    'file_unreadable',
    `cannot open ${path}: ${reason(error)}`,
    'Make it writable, or move it away to start empty.',
    { cause: error },
  );
}

/** Last writer of the pid file: for a message only, never for a decision. */
function describeOwner(folder: string): string {
  try {
    return ` (process ${readFileSync(join(folder, 'exchange.pid'), 'utf8').trim()})`;
  } catch {
    return ''; // no pid file: the message goes without
  }
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
