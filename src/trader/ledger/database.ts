/**
 * SQLite as the ledger uses it: durable settings checked at open, one transaction at a time, unusable after a failed
 * write.
 */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { AssertionFailed, assert, TwinbookError } from '../../shared/base/errors.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';
import { APPLICATION_ID, LEDGER_VERSION, SCHEMA, WITHOUT_HISTORY } from './schema.js';
import type { SqlValue } from './table.js';
import type { BackupSource } from './tables.js';

/**
 * A failed write, commit, sync or read of the ledger. Never retried: after a failed sync the data may be gone from the
 * cache though a second attempt would succeed, so the process cancels its orders and exits.
 */
export class LedgerBroken extends TwinbookError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(
      'ledger_broken',
      message,
      'Check the disk (`twinbook doctor`). Is the file damaged: `twinbook ledger backups` lists what there is, `twinbook ledger restore FILE --reason TEXT` puts one back.',
      options,
    );
    this.name = 'LedgerBroken';
  }
}

/** Cache size of a ledger on virtual time, KiB: hours of orders, all that is read again. */
const VIRTUAL_CACHE_KIB = 16_384;

/**
 * Rows written until the log is carried over into the file when nobody waits: about a thousand pages, which is SQLite's own habit. It takes
 * as long as some commits, which an order would wait for; where there is never such a moment, eight times as many rows wait: some 30 MB, which a
 * start after a crash reads in less than a tenth of a second.
 */
const CHECKPOINT_AFTER_WRITES = 400;
const MOST_WRITES_IN_LOG = 8 * CHECKPOINT_AFTER_WRITES;
/**
 * Size to which the log file is cut when it begins again, bytes; a long reader or a large transaction can make it far
 * larger.
 */
const LOG_KEEPS_BYTES = 4_000_000;

const OLDER_HINT = 'No version reads ledgers of other versions: use the Twinbook that wrote it, or begin a new ledger.';

/** Longest wait for the writer's checkpoint, ms. */
const BUSY_MS = 1000;

/** The ledger's SQLite file with its statements and transactions; unusable after its first failed write. */
export class Database {
  readonly path: string;
  readonly #sqlite: Sqlite.Database;
  readonly #statements = new Map<string, Sqlite.Statement<SqlValue[], unknown>>();
  #broken: LedgerBroken | null = null;
  /** `open`: nothing was written yet, so SQLite has not begun a transaction. */
  #transaction: 'none' | 'open' | 'begun' = 'none';
  #writesInLog = 0;
  /** In a backtest a failed step ends the ledger, because it cannot be rolled back. */
  #isVirtual = false;
  /** Called when written rows become invalid: after a rollback, and when the ledger breaks. */
  onUndone: () => void = () => undefined;

  private constructor(path: string, sqlite: Sqlite.Database) {
    this.path = path;
    this.#sqlite = sqlite;
  }

  /** Opens for writing, creating as needed. Throws ledger_newer, ledger_broken or file_unreadable. */
  static open(path: string): Database {
    return Database.#open(path, false, (database) => {
      // Set before the first page: later it would need a VACUUM. `prune` gives pages back.
      database.#prove('auto_vacuum', 2, 'auto_vacuum = INCREMENTAL');
      database.#prove('journal_mode', 'wal', 'journal_mode = WAL');
      // better-sqlite3 is compiled with NORMAL for WAL: a commit could vanish in a power loss.
      database.#prove('synchronous', 2, 'synchronous = FULL');
      // SQLite's own checkpoints fail silently: the commit that triggers them succeeds.
      database.#prove('wal_autocheckpoint', 0, 'wal_autocheckpoint = 0');
      database.#prove('journal_size_limit', LOG_KEEPS_BYTES, `journal_size_limit = ${LOG_KEEPS_BYTES}`);
      database.#prove('foreign_keys', 1, 'foreign_keys = ON');
      // Without it a sync on macOS stops at the drive's cache; no effect elsewhere.
      database.#sqlite.pragma('fullfsync = ON');
      database.#create();
      database.#writeAgain();
    });
  }

  /**
   * A ledger that lives and dies with its process: for virtual time, where nothing can be lost. Months of it do not fit into
   * memory, so that what is old lies in a temporary file. `content` is the file of a ledger that was closed, or SQLite's copy
   * of one, to go on from; it is not written.
   */
  static inMemory(content: Uint8Array | null = null): Database {
    // Without a name SQLite uses a private temporary file, and only for pages that exceed its cache.
    return Database.#open(content === null ? '' : withoutWal(content), false, (database) => {
      database.#prove('foreign_keys', 1, 'foreign_keys = ON');
      database.#prove('cache_size', -VIRTUAL_CACHE_KIB, `cache_size = -${VIRTUAL_CACHE_KIB}`);
      database.#prove('journal_mode', 'memory', 'journal_mode = MEMORY');
      database.#create();
      database.#sqlite.exec(WITHOUT_HISTORY);
      // One transaction for the whole life: no other process reads it, and each commit costs as much as two writes. A
      // replay, which continues from a content, also rolls back the steps that failed in the run.
      if (content !== null) return;
      database.#sqlite.exec('BEGIN');
      database.#isVirtual = true;
    });
  }

  /** Opens an existing ledger for reading, with or without a running trader. */
  static openReadOnly(path: string): Database {
    if (!existsSync(path)) {
      throw new TwinbookError('file_unreadable', `there is no ledger at ${path}`, 'The first start creates it.');
    }
    return Database.#open(path, true, (database) => {
      if (database.#isNew()) throw new LedgerBroken(`the ledger ${path} is empty`);
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
        throw new LedgerBroken(`the ledger ${path} cannot be opened: ${error.message} (${error.code})`, {
          cause: error,
        });
      }
      throw error;
    }
  }

  get<Row>(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    const statement = this.#statement(sql);
    try {
      // SQLite cannot guarantee a row's type; the schema (STRICT tables) and the tests of each query do.
      return statement.get(...values) as Row | undefined;
    } catch (error) {
      throw this.#toFailure(error);
    }
  }

  all<Row>(sql: string, ...values: readonly SqlValue[]): Row[] {
    const statement = this.#statement(sql);
    try {
      // As in `get`.
      return statement.all(...values) as Row[];
    } catch (error) {
      throw this.#toFailure(error);
    }
  }

  /** Writes; returns the number of changed rows. Only inside `transaction`. */
  run(sql: string, ...values: readonly SqlValue[]): number {
    return this.#write(sql, values).changes;
  }

  /** As `run`, for one row of a table with an automatic key: returns the key. */
  insert(sql: string, ...values: readonly SqlValue[]): number {
    return Number(this.#write(sql, values).lastInsertRowid);
  }

  /**
   * Returns up to `pages` unused pages at the end of the file to the system. Returns the bytes. Only inside
   * `transaction`.
   */
  shrink(pages: number): number {
    const before = this.#pragma('page_count');
    this.#begin();
    try {
      // A prepared statement would stop after its first page.
      this.#sqlite.exec(`PRAGMA incremental_vacuum(${pages})`);
    } catch (error) {
      throw this.#toFailure(error);
    }
    this.#writesInLog += pages;
    return (before - this.#pragma('page_count')) * this.#pragma('page_size');
  }

  /** Unused pages of the file. */
  get unusedPages(): number {
    return this.#pragma('freelist_count');
  }

  /**
   * Counts as a write although its row is written later or never: the step cannot be rolled back. Only inside
   * `transaction`.
   */
  postpone(): void {
    assert(this.#isVirtual && this.#transaction !== 'none', 'a ledger write to be made later, outside of virtual time');
    this.#transaction = 'begun';
  }

  /**
   * BEGIN IMMEDIATE … COMMIT around the writes of `work`; nothing if it writes nothing. An error in `work` rolls back
   * and is rethrown.
   */
  transaction<T>(work: () => T): T {
    assert(this.#transaction === 'none', 'ledger transactions do not nest');
    if (this.#broken !== null) throw this.#broken;
    this.#transaction = 'open';
    try {
      const result = work();
      if (this.#begun && !this.#isVirtual) this.#commit();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#transaction = 'none';
    }
  }

  /**
   * Carries the log over into the file, if it holds at least so many writes. For a moment in which no order waits. Returns
   * whether it did. Throws as a commit does.
   */
  rest(writes = CHECKPOINT_AFTER_WRITES): boolean {
    if (this.#isVirtual || this.#writesInLog < writes) return false;
    this.#checkpoint();
    return true;
  }

  /** True inside a transaction. */
  get isWriting(): boolean {
    return this.#transaction !== 'none';
  }

  /** True for the ledger of a backtest. */
  get isVirtual(): boolean {
    return this.#isVirtual;
  }

  get source(): BackupSource {
    return this.#sqlite;
  }

  close(): void {
    this.#sqlite.close();
  }

  get #begun(): boolean {
    return this.#transaction === 'begun';
  }

  #write(sql: string, values: readonly SqlValue[]): Sqlite.RunResult {
    this.#begin();
    this.#writesInLog += 1;
    const statement = this.#statement(sql);
    try {
      return statement.run(...values);
    } catch (error) {
      throw this.#toFailure(error);
    }
  }

  /** Only at the first write: this is the only writer, so earlier reads are still valid. */
  #begin(): void {
    assert(this.#transaction !== 'none', 'a ledger write outside of a transaction');
    if (!this.#begun && !this.#isVirtual) this.#control('BEGIN IMMEDIATE');
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
    const statement = this.#statement(sql);
    try {
      statement.run();
    } catch (error) {
      throw this.#toFailure(error);
    }
  }

  #rollBack(): void {
    this.onUndone();
    if (this.#isVirtual) {
      if (this.#begun) this.#broken ??= new LedgerBroken('a step failed in a backtest, and cannot be taken back');
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
    try {
      const statement = this.#sqlite.prepare<SqlValue[]>(sql);
      this.#statements.set(sql, statement);
      return statement;
    } catch (error) {
      throw this.#toFailure(error);
    }
  }

  /** Meaning of a SQLite failure: a bug, or the end of this ledger. */
  #toFailure(error: unknown): unknown {
    if (!(error instanceof SqliteDriver.SqliteError)) return error;
    // A violated constraint is a bug here, found before anything was written.
    if (error.code.startsWith('SQLITE_CONSTRAINT')) return new AssertionFailed(`ledger: ${error.message}`);
    const text = `the ledger ${this.path} failed: ${error.message} (${error.code})`;
    this.#broken = new LedgerBroken(text, { cause: error });
    this.onUndone();
    return this.#broken;
  }

  #prove(pragma: string, wanted: string | number, setting: string): void {
    this.#sqlite.pragma(setting);
    const found = this.#sqlite.pragma(pragma, { simple: true });
    if (found !== wanted) {
      throw new LedgerBroken(`the ledger ${this.path} needs ${setting}, but reads back ${String(found)}`);
    }
  }

  /** True when it has no tables yet. Rejects files of other versions and programs. */
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
      const text = `the ledger ${this.path} is of an older program: it has version ${version}, this one reads version ${LEDGER_VERSION}`;
      throw new TwinbookError('file_unreadable', text, OLDER_HINT);
    }
    throw new TwinbookError(
      'ledger_newer',
      `the ledger ${this.path} has version ${version}, this program knows versions up to ${LEDGER_VERSION}`,
      'Use the newer Twinbook that wrote it, or put a backup back that this one made (`twinbook ledger restore FILE --reason TEXT`).',
    );
  }

  /**
   * After a failed sync the log may be complete in the cache but not on the disk, and no later sync reports it: a power
   * loss would drop everything after it. So the log of an earlier process is written to the file again, and a commit
   * makes durable that the log has begun again.
   */
  #writeAgain(): void {
    this.#sqlite.pragma('wal_checkpoint(TRUNCATE)');
    this.#sqlite.pragma(`user_version = ${LEDGER_VERSION}`);
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

/**
 * Throws file_unreadable if the ledger cannot be used at this path. SQLite only reports "unable to open database file";
 * this error names the folder or file and the cause.
 */
export function checkFolder(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new TwinbookError('file_unreadable', `the ledger's folder ${folder} does not exist`, 'Create it.');
  }
  for (const place of existsSync(path) ? [folder, path] : [folder]) {
    try {
      accessSync(place, constants.R_OK | constants.W_OK);
    } catch (cause) {
      const hint = 'The trader needs to read and write the ledger and its folder.';
      throw new TwinbookError('file_unreadable', `${place} is not writable for this user`, hint, { cause });
    }
  }
}

/**
 * Throws file_unreadable for a ledger with a second name (a hard link). Another name means another lock and another
 * log: commits left in one by a crash would be missing under the other.
 */
export function refuseOtherNames(path: string): void {
  const names = statSync(path, { throwIfNoEntry: false })?.nlink ?? 1;
  if (names <= 1) return;
  const text = `the ledger ${path} has ${names} names (hard links), and could be written under each of them at once`;
  throw new TwinbookError('file_unreadable', text, 'Remove the others, or make copies of them while no trader runs.');
}

/** Header bytes with the write and read version: 2 is WAL, 1 is not. */
const WAL_FLAGS = { from: 18, to: 20 } as const;

/** SQLite opens no in-memory content with WAL in its header. */
function withoutWal(content: Uint8Array): Buffer {
  const copy = Buffer.from(content);
  if (copy.length > WAL_FLAGS.to) copy.fill(1, WAL_FLAGS.from, WAL_FLAGS.to);
  return copy;
}
