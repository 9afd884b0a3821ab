/**
 * The exchange's state on disk: the newest snapshot of the core and every mutator call since, in one SQLite file. A call
 * is in the journal before its answer leaves, so a process that is killed at any moment has forgotten nothing that it
 * acknowledged. (A power cut may take the last moments: WAL runs `synchronous=NORMAL`, play money is not worth an fsync.)
 */

import { accessSync, closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { assert, TwinbookError } from '../../base/errors.js';
import { makeFolder } from '../../base/folder.js';
import type { Command } from '../core/contract.js';

/** Written into the file; a file of a higher format is refused. */
const FORMAT = 1;

export interface Recovered {
  /** What `save` stored last; null in a new data folder. */
  readonly snapshot: unknown;
  /** The calls since, in order. Read once, before anything is appended. */
  readonly commands: Iterable<Command>;
}

export class Journal {
  readonly #db: Database.Database;
  readonly #insert: Database.Statement<[number, string, string]>;
  #pending: [nowMs: number, method: string, args: string][] | null = null;
  #failure: unknown = null;
  #rows = 0;

  /**
   * Opens the journal of a data folder, which is created when missing. Throws TwinbookError `file_unreadable` when it
   * cannot be written, `ledger_locked` when another process uses it, `ledger_newer` for one of a later version.
   */
  static open(folder: string): Journal {
    prepareFolder(folder);
    const path = join(folder, 'exchange.sqlite');
    try {
      // It holds API secrets; SQLite gives its side files the mode of the file itself.
      closeSync(openSync(path, 'a', 0o600));
      const db = new Database(path, { timeout: 0 });
      // Held until the connection ends, by whatever means: a lock that no killed process can leave behind.
      db.pragma('locking_mode = EXCLUSIVE');
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = NORMAL');
      createTables(db, path);
      writeFileSync(join(folder, 'exchange.pid'), `${process.pid}\n`, { mode: 0o600 });
      return new Journal(db);
    } catch (error) {
      throw openingError(error, folder, path);
    }
  }

  private constructor(db: Database.Database) {
    this.#db = db;
    this.#insert = db.prepare('INSERT INTO journal (now_ms, method, args) VALUES (?, ?, ?)');
    this.#rows = Number(db.prepare('SELECT count(*) FROM journal').pluck().get());
  }

  /** Calls since the last snapshot. */
  get rows(): number {
    return this.#rows;
  }

  recover(): Recovered {
    const text = this.#db.prepare('SELECT state FROM snapshot').pluck().get();
    const rows = this.#db.prepare('SELECT now_ms, method, args FROM journal ORDER BY seq').raw();
    return {
      snapshot: typeof text === 'string' ? JSON.parse(text) : null,
      commands: {
        *[Symbol.iterator]() {
          for (const row of rows.iterate()) {
            // The columns are what `append` wrote; nobody else writes this file.
            const [nowMs, method, args] = row as [number, Command[1], string];
            yield [nowMs, method, JSON.parse(args)] as const;
          }
        },
      },
    };
  }

  /** Stores one call; on disk when this returns, or when the batch around it does. Throws for good once it failed. */
  append([nowMs, method, args]: Command): void {
    const row: [number, string, string] = [nowMs, method, JSON.stringify(args)];
    this.#rows += 1;
    if (this.#pending !== null) this.#pending.push(row);
    else this.#write(() => this.#insert.run(...row));
  }

  /** Runs `work`; what it appends is stored in one transaction at its end, also when it throws. */
  batch(work: () => void): void {
    assert(this.#pending === null, 'batches do not nest');
    const pending: [number, string, string][] = [];
    this.#pending = pending;
    try {
      work();
    } finally {
      this.#pending = null;
      if (pending.length > 0) this.#write(() => this.#insertAll(pending));
    }
  }

  /** Replaces everything stored so far by this state. */
  save(state: unknown): void {
    const text = JSON.stringify(state);
    this.#write(() =>
      this.#db.transaction(() => {
        this.#db.prepare('INSERT OR REPLACE INTO snapshot (id, state) VALUES (1, ?)').run(text);
        this.#db.prepare('DELETE FROM journal').run();
      })(),
    );
    this.#rows = 0;
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Throws when a write failed earlier: the core in memory is then ahead of the disk, and nothing of it may be shown or
   * built upon. A retry could seem to work and still have lost what came before.
   */
  assertSound(): void {
    if (this.#failure !== null) {
      throw new TwinbookError('ledger_broken', "the exchange's journal failed a write", 'Restart it.', {
        cause: this.#failure,
      });
    }
  }

  #write(action: () => void): void {
    this.assertSound();
    try {
      action();
    } catch (error) {
      this.#failure = error;
      this.assertSound();
    }
  }

  #insertAll(rows: readonly [number, string, string][]): void {
    this.#db.transaction(() => {
      for (const row of rows) this.#insert.run(...row);
    })();
  }
}

function createTables(db: Database.Database, path: string): void {
  const format = Number(db.pragma('user_version', { simple: true }));
  if (format > FORMAT) {
    throw new TwinbookError(
      'ledger_newer',
      `${path} has format ${format}, this version of Twinbook reads ${FORMAT}`,
      'Use the newer version, or another data folder.',
    );
  }
  db.exec(`
    BEGIN EXCLUSIVE;
    CREATE TABLE IF NOT EXISTS snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS journal (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, now_ms INTEGER NOT NULL, method TEXT NOT NULL, args TEXT NOT NULL
    ) STRICT;
    PRAGMA user_version = ${FORMAT};
    COMMIT;
  `);
}

function prepareFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700);
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
  const code = error instanceof Database.SqliteError ? error.code : '';
  if (code.startsWith('SQLITE_BUSY')) {
    return new TwinbookError(
      'ledger_locked',
      `another exchange${ownerOf(folder)} uses the data folder ${folder}`,
      'Stop it, or use another --data-dir.',
      { cause: error },
    );
  }
  return new TwinbookError(
    'file_unreadable',
    `cannot open ${path}: ${reason(error)}`,
    'Make it writable, or move it away to start anew.',
    { cause: error },
  );
}

/** Who wrote the pid file last: good enough for a message, never for a decision. */
function ownerOf(folder: string): string {
  try {
    return ` (process ${readFileSync(join(folder, 'exchange.pid'), 'utf8').trim()})`;
  } catch {
    return ''; // no pid file: the message goes without
  }
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
