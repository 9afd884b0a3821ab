/**
 * The console's storage between two starts, one SQLite file beside the ledger. It is never evidence: an unreadable file
 * is renamed and replaced, a failed write is ignored, and the console works without it.
 */

import { existsSync, renameSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { makePrivateFile } from '../../../shared/base/files.js';
import { SqliteDriver } from '../../../shared/base/sqlite-driver.js';

/** Increased with each change of the tables: a file of another version is renamed. */
const VERSION = 3;
const TABLES = `
CREATE TABLE series (id INTEGER PRIMARY KEY, market TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE market_points (
  series INTEGER NOT NULL REFERENCES series (id),
  scale INTEGER NOT NULL,
  time_s INTEGER NOT NULL,
  best_bid INTEGER,
  best_ask INTEGER,
  fair INTEGER,
  bid INTEGER,
  ask INTEGER,
  net INTEGER NOT NULL,
  PRIMARY KEY (series, scale, time_s)
) STRICT, WITHOUT ROWID;
CREATE TABLE account_points (
  scale INTEGER NOT NULL,
  time_s INTEGER NOT NULL,
  equity INTEGER,
  result INTEGER,
  loss_day INTEGER NOT NULL,
  PRIMARY KEY (scale, time_s)
) STRICT, WITHOUT ROWID;
CREATE TABLE alert_state (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL) STRICT;
CREATE TABLE acknowledgements (
  kind TEXT NOT NULL,
  since_ms INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, since_ms)
) STRICT, WITHOUT ROWID;
CREATE TABLE taken_updates (channel TEXT PRIMARY KEY, id INTEGER NOT NULL, time_ms INTEGER NOT NULL) STRICT;
PRAGMA user_version = ${VERSION};
`;

/** 'TWBC'. */
const APPLICATION_ID = 0x54574243;
const BUSY_MS = 200;
/** Wait after a failure, ms. */
const AGAIN_MS = 60_000;
const SIDE_FILES = ['', '-wal', '-shm'] as const;
const DAMAGED: readonly string[] = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];

/** Path of the console's storage for this ledger. */
export const locateStore = (ledgerPath: string): string => `${ledgerPath}.console`;

export interface StoreFileOptions {
  readonly path: string;
  /** Something for the log. */
  readonly note: (text: string) => void;
  /** Unix ms, for the name of a renamed file. */
  readonly nowMs: () => number;
  /** A clock that never steps, ms. */
  readonly steadyMs: () => number;
}

/** Opened at the first use. No call throws because of a fault of the file or its disk. */
export class StoreFile {
  readonly #options: StoreFileOptions;
  #sqlite: Sqlite.Database | null = null;
  #failedMs: number | null = null;

  constructor(options: StoreFileOptions) {
    this.#options = options;
  }

  /** Result of `work` in one transaction; `otherwise` when the file cannot be used now. */
  attempt<T>(work: (sqlite: Sqlite.Database) => T, otherwise: T): T {
    const { steadyMs } = this.#options;
    if (this.#failedMs !== null && steadyMs() - this.#failedMs < AGAIN_MS) return otherwise;
    try {
      const sqlite = this.#open();
      const result = sqlite.transaction(() => work(sqlite)).immediate();
      this.#noteRecovery();
      return result;
    } catch (error) {
      if (error instanceof SqliteDriver.SqliteError || isOfDisk(error)) this.#fail(error);
      else throw error;
      return otherwise;
    }
  }

  close(): void {
    this.#sqlite?.close();
    this.#sqlite = null;
  }

  #open(): Sqlite.Database {
    if (this.#sqlite !== null) return this.#sqlite;
    const { path } = this.#options;
    makePrivateFile(path);
    const sqlite = new SqliteDriver(path, { timeout: BUSY_MS });
    this.#sqlite = sqlite;
    sqlite.pragma('journal_mode = WAL');
    // A power loss may take the newest seconds of a chart.
    sqlite.pragma('synchronous = NORMAL');
    sqlite.pragma('journal_size_limit = 4000000');
    const version = Number(sqlite.pragma('user_version', { simple: true }));
    const application = Number(sqlite.pragma('application_id', { simple: true }));
    if (version > 0 && (version !== VERSION || application !== APPLICATION_ID)) {
      this.#putAside('was written by another version');
      return this.#open();
    }
    if (version === 0) sqlite.exec(`BEGIN IMMEDIATE;${TABLES}PRAGMA application_id = ${APPLICATION_ID};COMMIT`);
    return sqlite;
  }

  #fail(error: unknown): void {
    const { note, path, steadyMs } = this.#options;
    const code = error instanceof SqliteDriver.SqliteError ? error.code : '';
    // Another console holds it for a moment.
    if (code.startsWith('SQLITE_BUSY')) return;
    const why = error instanceof Error ? error.message : String(error);
    if (DAMAGED.some((damaged) => code.startsWith(damaged))) {
      this.#putAside(`is damaged (${why})`);
      return;
    }
    if (this.#failedMs === null) note(`warning: ${path} cannot be used: ${why}; charts and alerts go on without it`);
    this.#failedMs = steadyMs();
    this.close();
  }

  #noteRecovery(): void {
    if (this.#failedMs === null) return;
    this.#failedMs = null;
    this.#options.note(`${this.#options.path} can be used again`);
  }

  #putAside(why: string): void {
    const { path, note, nowMs, steadyMs } = this.#options;
    this.close();
    const aside = `${path}.aside-${nowMs()}`;
    try {
      for (const ending of SIDE_FILES) {
        if (existsSync(`${path}${ending}`)) renameSync(`${path}${ending}`, `${aside}${ending}`);
      }
      note(`warning: ${path} ${why}; it is kept as ${aside}, and a new one is begun`);
    } catch (error) {
      note(`warning: ${path} ${why}, and cannot be put aside: ${String(error)}`);
      this.#failedMs = steadyMs();
    }
  }
}

const isOfDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
