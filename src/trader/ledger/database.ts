/** The ledger's SQLite database. Verifies SQLite's durability settings. After a failed write, all calls fail. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { AssertionFailed, assert, TwinbookError } from '../../shared/base/errors.js';
import { makePrivate, makePrivateFile } from '../../shared/base/files.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';
import type { SqlValue } from './table.js';
import { APPLICATION_ID, LEDGER_VERSION, SCHEMA } from './tables.js';

/** An open ledger database that offers SQLite's asynchronous online backup. */
type BackupSource = Pick<Sqlite.Database, 'backup'>;

/** SQL that drops the indexes for long histories. In a backtest, they would take over half of each write's time. */
const WITHOUT_HISTORY = `
DROP INDEX intents_active;
DROP INDEX intents_market;
DROP INDEX orders_unsettled;
DROP INDEX orders_market;
DROP INDEX fills_market;
DROP INDEX balances_held;
DROP INDEX events_kind;
`;

/**
 * Error of a failed write, commit, sync or read of the ledger. The operation is never retried: after a failed sync, a
 * second sync may succeed although data is lost. After this error, the process cancels its orders and exits.
 */
export class LedgerBroken extends TwinbookError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(
      'ledger_broken',
      message,
      'Check the disk (`twinbook doctor`). If the file is damaged, list backups with `twinbook ledger backups` and restore one with `twinbook ledger restore FILE --reason TEXT`.',
      options,
    );
    this.name = 'LedgerBroken';
  }
}

/** Size of SQLite's cache in a backtest, KiB; enough for the orders of some hours. */
const VIRTUAL_CACHE_KIB = 16_384;

/**
 * Number of written rows after which an idle trader checkpoints the write-ahead log; a busy trader waits for 8 times as
 * many. 400 rows fill about a thousand pages, SQLite's default. A checkpoint takes as long as several commits.
 */
const CHECKPOINT_AFTER_WRITES = 400;
const MOST_WRITES_IN_LOG = 8 * CHECKPOINT_AFTER_WRITES;
/** Size to which a reset write-ahead log is truncated, bytes. */
const LOG_KEEPS_BYTES = 4_000_000;

const OLDER_HINT = 'Use the Twinbook version that wrote the ledger, or start with a new ledger file.';

const BUSY_MS = 1000;

/** The ledger's SQLite file with its prepared statements and transactions. A failed write makes the object unusable. */
export class Database {
  readonly path: string;
  readonly #sqlite: Sqlite.Database;
  readonly #statements = new Map<string, Sqlite.Statement<SqlValue[], unknown>>();
  #broken: LedgerBroken | null = null;
  /** State of the ledger's transaction. `open`: no row was written yet. `begun`: a row was written or cached. */
  #transaction: 'none' | 'open' | 'begun' = 'none';
  #writesInLog = 0;
  /** True in a backtest: one SQLite transaction spans the whole run, so a failed step cannot be rolled back. */
  isVirtual = false;
  /** Called after a rollback or a failed operation, when rows cached by the ledger may be wrong. */
  onUndone: () => void = () => undefined;

  private constructor(path: string, sqlite: Sqlite.Database) {
    this.path = path;
    this.#sqlite = sqlite;
  }

  /** Opens a ledger for writing, and creates it if needed. Throws ledger_newer, ledger_broken or file_unreadable. */
  static open(path: string): Database {
    return Database.#open(path, false, (database) => {
      // `auto_vacuum` must be set before the first page exists. Afterwards, only a VACUUM could change it.
      database.#prove('auto_vacuum', 2, 'auto_vacuum = INCREMENTAL');
      database.#prove('journal_mode', 'wal', 'journal_mode = WAL');
      // With better-sqlite3's default for WAL, NORMAL, a power loss could undo a commit.
      database.#prove('synchronous', 2, 'synchronous = FULL');
      // Automatic checkpoints are off, because a commit reports success even if its automatic checkpoint fails.
      database.#prove('wal_autocheckpoint', 0, 'wal_autocheckpoint = 0');
      database.#prove('journal_size_limit', LOG_KEEPS_BYTES, `journal_size_limit = ${LOG_KEEPS_BYTES}`);
      database.#prove('foreign_keys', 1, 'foreign_keys = ON');
      // On macOS, a sync without `fullfsync` reaches only the drive's cache. Other systems ignore `fullfsync`.
      database.#sqlite.pragma('fullfsync = ON');
      database.#create();
      // If a sync of an earlier process failed, part of its log may be in the system's cache only. Later syncs do not
      // report the failure, and a power loss would lose later commits too. So a checkpoint empties the log.
      database.#sqlite.pragma('wal_checkpoint(TRUNCATE)');
      database.#sqlite.pragma(`user_version = ${LEDGER_VERSION}`);
    });
  }

  /**
   * Opens a temporary ledger for a backtest or replay; it is deleted when the process ends. Pages that exceed the cache
   * are in a temporary file, because months of history exceed memory.
   *
   * @param content bytes of a closed ledger's file, or of SQLite's copy of a ledger, with which the new ledger begins
   */
  static inMemory(content: Uint8Array | null = null): Database {
    // SQLite keeps a nameless database in memory, and moves pages that exceed the cache to a private temporary file.
    return Database.#open(content === null ? '' : withoutWal(content), false, (database) => {
      database.#prove('foreign_keys', 1, 'foreign_keys = ON');
      database.#prove('cache_size', -VIRTUAL_CACHE_KIB, `cache_size = -${VIRTUAL_CACHE_KIB}`);
      database.#prove('journal_mode', 'memory', 'journal_mode = MEMORY');
      database.#create();
      database.#sqlite.exec(WITHOUT_HISTORY);
      // A backtest is one SQLite transaction: no other process reads the ledger, and a commit takes as long as two
      // writes. A replay (with `content`) commits each step, because it must be able to roll a step back.
      if (content !== null) return;
      database.#sqlite.exec('BEGIN');
      database.isVirtual = true;
    });
  }

  static openReadOnly(path: string): Database {
    refuseLostLedger(path);
    const hint = 'The first `twinbook start` creates it. After a start, check its path and the access to its folder.';
    if (!existsSync(path)) throw new TwinbookError('file_unreadable', `there is no ledger at ${path}`, hint);
    return Database.#open(path, true, (database) => {
      if (database.#isNew()) throw new LedgerBroken(`the ledger file ${path} is empty`);
    });
  }

  static #open(source: string | Buffer, readonly: boolean, prepare: (database: Database) => void): Database {
    const path = typeof source === 'string' && source !== '' ? source : ':memory:';
    let sqlite: Sqlite.Database | null = null;
    try {
      sqlite = new SqliteDriver(source, { readonly, fileMustExist: readonly, timeout: BUSY_MS });
      const database = new Database(path, sqlite);
      database.#isNew();
      prepare(database);
      return database;
    } catch (error) {
      sqlite?.close();
      if (error instanceof SqliteDriver.SqliteError) {
        const text = `the ledger ${path} cannot be opened: ${error.message} (${error.code})`;
        throw new LedgerBroken(text, { cause: error });
      }
      throw error;
    }
  }

  get<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    // The caller states the row type. STRICT tables and a test of each query ensure that the type is correct.
    return this.#attempt(() => this.#statement(sql).get(...values) as Row | undefined);
  }

  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[] {
    return this.#attempt(() => this.#statement(sql).all(...values) as Row[]);
  }

  /** Executes a write and returns the number of changed rows. Call `run` only inside `transaction`. */
  run(sql: string, ...values: readonly SqlValue[]): number {
    return this.#write(sql, values).changes;
  }

  /** Inserts one row of a table with an automatic key, and returns the key. Call `insert` only inside `transaction`. */
  insert(sql: string, ...values: readonly SqlValue[]): number {
    return Number(this.#write(sql, values).lastInsertRowid);
  }

  /** Removes up to `pages` unused pages from the file. `isDone`: none is left. Call `shrink` inside `transaction`. */
  shrink(pages: number): { readonly bytes: number; readonly isDone: boolean } {
    if (this.#pragma('freelist_count') === 0) return { bytes: 0, isDone: true };
    const before = this.#pragma('page_count');
    this.#begin();
    // `exec` is needed, because a prepared statement would remove only one page.
    this.#attempt(() => this.#sqlite.exec(`PRAGMA incremental_vacuum(${pages})`));
    this.#writesInLog += pages;
    const bytes = (before - this.#pragma('page_count')) * this.#pragma('page_size');
    return { bytes, isDone: this.#pragma('freelist_count') === 0 };
  }

  /** Records that a row was cached instead of written. After that, an error in the transaction breaks the ledger. */
  postpone(): void {
    assert(this.isVirtual && this.#transaction !== 'none', 'ledger rows are cached only inside a backtest transaction');
    this.#transaction = 'begun';
  }

  /** Runs `work` in a transaction. SQLite's BEGIN is sent at the first write. An error rolls back and is rethrown. */
  transaction<T>(work: () => T): T {
    assert(this.#transaction === 'none', 'ledger transactions do not nest');
    if (this.#broken !== null) throw this.#broken;
    this.#transaction = 'open';
    try {
      const result = work();
      // The cast is needed, because the compiler does not know that `work` may change the state.
      if ((this.#transaction as string) === 'begun' && !this.isVirtual) this.#commit();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#transaction = 'none';
    }
  }

  /** Checkpoints the log if it has at least `writes` rows; returns true then. Call `rest` only while no order waits. */
  rest(writes = CHECKPOINT_AFTER_WRITES): boolean {
    if (this.isVirtual || this.#writesInLog < writes) return false;
    this.#checkpoint();
    return true;
  }

  get isWriting(): boolean {
    return this.#transaction !== 'none';
  }

  get source(): BackupSource {
    return this.#sqlite;
  }

  close(): void {
    this.#sqlite.close();
  }

  #write(sql: string, values: readonly SqlValue[]): Sqlite.RunResult {
    this.#begin();
    this.#writesInLog += 1;
    return this.#attempt(() => this.#statement(sql).run(...values));
  }

  /** Begins SQLite's transaction at the first write. Earlier reads remain valid, because there is only one writer. */
  #begin(): void {
    assert(this.#transaction !== 'none', 'the ledger was written outside of a transaction');
    if (this.#transaction === 'open' && !this.isVirtual) this.#control('BEGIN IMMEDIATE');
    this.#transaction = 'begun';
  }

  #pragma(name: 'page_count' | 'page_size' | 'freelist_count'): number {
    return this.get<Record<string, number>>(`PRAGMA ${name}`)?.[name] ?? 0;
  }

  #commit(): void {
    this.#control('COMMIT');
    if (this.#writesInLog >= MOST_WRITES_IN_LOG) this.#checkpoint();
  }

  #checkpoint(): void {
    this.get('PRAGMA wal_checkpoint(PASSIVE)');
    this.#writesInLog = 0;
  }

  #control(sql: 'BEGIN IMMEDIATE' | 'COMMIT'): void {
    this.#attempt(() => this.#statement(sql).run());
  }

  #rollBack(): void {
    this.onUndone();
    if (this.isVirtual) {
      if (this.#transaction === 'begun')
        this.#broken ??= new LedgerBroken('a step of a backtest failed and cannot be rolled back');
      return;
    }
    if (!this.#sqlite.inTransaction) return;
    try {
      this.#sqlite.exec('ROLLBACK');
    } catch (error) {
      this.#broken ??= new LedgerBroken(`the ledger ${this.path} could not roll back: ${String(error)}`);
    }
  }

  #statement(sql: string): Sqlite.Statement<SqlValue[], unknown> {
    if (this.#broken !== null) throw this.#broken;
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#attempt(() => this.#sqlite.prepare<SqlValue[]>(sql));
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Calls SQLite and converts its errors. A violated constraint is a bug; other errors make the ledger unusable. */
  #attempt<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof SqliteDriver.SqliteError)) throw error;
      // SQLite reports a violated constraint before it writes anything.
      if (error.code.startsWith('SQLITE_CONSTRAINT')) throw new AssertionFailed(`ledger: ${error.message}`);
      const text = `the ledger ${this.path} failed: ${error.message} (${error.code})`;
      this.#broken = new LedgerBroken(text, { cause: error });
      this.onUndone();
      throw this.#broken;
    }
  }

  #prove(pragma: string, wanted: string | number, setting: string): void {
    this.#sqlite.pragma(setting);
    const found = this.#sqlite.pragma(pragma, { simple: true });
    if (found !== wanted)
      throw new LedgerBroken(`the ledger ${this.path} needs ${setting}, but SQLite reports ${String(found)}`);
  }

  /** Returns true if the file has no tables yet. Throws if another version or another program wrote the file. */
  #isNew(): boolean {
    const version = Number(this.#sqlite.pragma('user_version', { simple: true }));
    const application = Number(this.#sqlite.pragma('application_id', { simple: true }));
    const isEmpty = this.#sqlite.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
    if (application !== APPLICATION_ID) {
      if (isEmpty && version === 0) return true;
      throw new LedgerBroken(`${this.path} is a database of another program, not a ledger`);
    }
    if (version === LEDGER_VERSION) return false;
    if (version < LEDGER_VERSION) {
      const text = `the ledger ${this.path} has the older version ${version}; this program reads version ${LEDGER_VERSION}`;
      throw new TwinbookError('file_unreadable', text, OLDER_HINT);
    }
    throw new TwinbookError(
      'ledger_newer',
      `the ledger ${this.path} has version ${version}, but this program reads version ${LEDGER_VERSION}`,
      'Use the newer Twinbook that wrote it, or restore an older backup with `twinbook ledger restore FILE --reason TEXT`.',
    );
  }

  #create(): void {
    if (!this.#isNew()) return;
    this.#sqlite.exec('BEGIN IMMEDIATE');
    this.#sqlite.exec(SCHEMA);
    this.#sqlite.pragma(`application_id = ${APPLICATION_ID}`);
    this.#sqlite.pragma(`user_version = ${LEDGER_VERSION}`);
    this.#sqlite.exec('COMMIT');
  }
}

/** Throws file_unreadable if the folder is missing, or the folder or file is not readable and writable. */
export function checkFolder(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new TwinbookError('file_unreadable', `the ledger's folder ${folder} does not exist`, 'Create it.');
  for (const place of existsSync(path) ? [folder, path] : [folder]) {
    try {
      accessSync(place, constants.R_OK | constants.W_OK);
    } catch (cause) {
      const hint = 'The trader needs to read and write the ledger and its folder.';
      throw new TwinbookError('file_unreadable', `${place} is not writable for this user`, hint, { cause });
    }
  }
}

/** Throws file_unreadable for a file with several hard links. Each link has its own lock and write-ahead log. */
function refuseOtherNames(path: string): void {
  const names = statSync(path, { throwIfNoEntry: false })?.nlink ?? 1;
  if (names <= 1) return;
  const text = `the ledger ${path} has ${names} hard links, so two traders could write to it at once`;
  const hint = 'Remove the other links, or replace them by copies while no trader runs.';
  throw new TwinbookError('file_unreadable', text, hint);
}

/** Throws ledger_broken if the ledger is gone but another of its files exists: a new ledger would lack a past kill. */
function refuseLostLedger(path: string): void {
  const hasContent = (place: string) => existsSync(place) && statSync(place).size > 0;
  // Every start copies its configuration to the last of these paths.
  const left = ['-wal', '.backup', '.backups', '.config'].map((ending) => `${path}${ending}`).find(hasContent);
  if (hasContent(path) || left === undefined) return;
  const text = `the ledger ${path} is missing or empty, but ${left} of this ledger exists`;
  const hint = `Put the ledger back, or restore a backup with \`twinbook ledger restore FILE --reason TEXT\`. To begin a new ledger, move or delete all files and folders whose names begin with ${basename(path)}.`;
  throw new TwinbookError('ledger_broken', text, hint);
}

/** Positions of the bytes with write version and read version in SQLite's header: 2 means WAL, 1 means no WAL. */
const WAL_FLAGS = { from: 18, to: 20 } as const;

/** Returns a copy of a database without the WAL flag, because SQLite does not open a buffer with this flag. */
function withoutWal(content: Uint8Array): Buffer {
  const copy = Buffer.from(content);
  if (copy.length > WAL_FLAGS.to) copy.fill(1, WAL_FLAGS.from, WAL_FLAGS.to);
  return copy;
}

const SIDE_FILES = ['-wal', '-shm', '.backup'] as const;

/**
 * Opens or creates the ledger at `path` with private permissions. Throws LedgerBroken, and the errors of
 * `Database.open`, `refuseOtherNames` and `refuseLostLedger`. `checkFile` throws LedgerBroken if the ledger's file or log was removed or replaced.
 */
export function openLedgerFile(path: string): { readonly database: Database; readonly checkFile: () => void } {
  refuseOtherNames(path);
  refuseLostLedger(path);
  try {
    // SQLite creates the ledger's side files with the mode of the main file.
    makePrivateFile(path);
    for (const ending of ['', ...SIDE_FILES]) makePrivate(`${path}${ending}`);
  } catch (cause) {
    throw new LedgerBroken(`the ledger ${path} cannot be opened: ${String(cause)}`, { cause });
  }
  const checkMain = makeFileCheck([path]);
  const database = Database.open(path);
  try {
    checkMain();
    // After the first write, the write-ahead log exists and contains commits, so `checkFile` checks it too.
    return { database, checkFile: makeFileCheck([path, `${path}-wal`]) };
  } catch (error) {
    database.close();
    throw error;
  }
}

function makeFileCheck(paths: readonly string[]): () => void {
  const files = paths.map((path) => ({ path, identity: readIdentity(path) }));
  return () => {
    for (const { path, identity } of files) {
      const found = readIdentity(path);
      if (found === identity) continue;
      throw new LedgerBroken(`the ledger ${path} ${found === null ? 'is gone' : 'was replaced by another file'}`);
    }
  };
}

/** Returns the device and inode of a file, which differ after a replacement; null if there is no file. */
export function readIdentity(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
