/**
 * Allows one writer per ledger. The lock is a small SQLite file beside the ledger. The holder keeps a write transaction
 * in this file open, so the lock ends with its process. The file's committed row names the holder and remains readable.
 *
 * Any process that can read the file could take the lock, so only the file's owner may open it. If a lock file has
 * wider permissions, the next holder replaces it, unless another process (perhaps in another container) has the lock.
 */

import { existsSync, realpathSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { TwinbookError } from '../../shared/base/errors.js';
import { isPrivate, makePrivateFile } from '../../shared/base/files.js';
import { isGone, readMark } from '../../shared/base/processes.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';

/** Process that has the lock of a ledger. */
export interface LockHolder {
  readonly pid: number;
  /** Start of this process, our clock, ms. */
  readonly startedMs: number;
}

/** Maximum wait for the lock, ms. A wait is needed because `findWriter` takes a free lock for a moment. */
const LOOKED_AT_MS = 100;

/** Exclusive right to write a ledger, until `release` is called or the process ends. */
export type WriterLock = ReturnType<typeof lockWriter>;

/** Acquires the lock. Throws ledger_locked; the error names the process that has the lock, if known. */
export function lockWriter(ledgerPath: string, holder: LockHolder) {
  const path = lockPath(ledgerPath);
  const held = [lockFile(path, ledgerPath, holder)];
  const release = () => {
    for (const sqlite of held) sqlite.close();
  };
  try {
    if (!isPrivate(path)) {
      // A new lock file with private permissions replaces the old file. Both files stay locked.
      const fresh = `${path}.new`;
      held.push(lockFile(fresh, ledgerPath, holder));
      renameSync(fresh, path);
    }
    return { release };
  } catch (cause) {
    release();
    throw cause instanceof TwinbookError ? cause : unusable(path, cause);
  }
}

function lockFile(path: string, ledgerPath: string, holder: LockHolder): Sqlite.Database {
  let sqlite: Sqlite.Database | null = null;
  try {
    makePrivateFile(path);
    const inode = statSync(path).ino;
    sqlite = new SqliteDriver(path, { timeout: LOOKED_AT_MS });
    sqlite.exec('BEGIN IMMEDIATE; DROP TABLE IF EXISTS holder');
    sqlite.exec('CREATE TABLE holder (pid INTEGER, started_ms INTEGER, born TEXT) STRICT');
    const row = sqlite.prepare('INSERT INTO holder VALUES (?, ?, ?)');
    row.run(holder.pid, holder.startedMs, readMark(holder.pid).born);
    sqlite.exec('COMMIT');
    // The commit frees the lock for a moment. If another process takes it now, the next `BEGIN` fails.
    sqlite.exec('BEGIN IMMEDIATE');
    // While this process waited, another one may have replaced the lock file, and ended.
    if (statSync(path).ino !== inode) throw explainLock(ledgerPath, path, undefined, undefined);
    return sqlite;
  } catch (cause) {
    // Without the rollback, `readHolder` would read our own uncommitted row.
    if (sqlite?.inTransaction === true) sqlite.exec('ROLLBACK');
    const row = sqlite === null ? undefined : readHolder(sqlite);
    const error = isBusy(cause) ? explainLock(ledgerPath, path, row, cause) : cause;
    sqlite?.close();
    throw error instanceof TwinbookError ? error : unusable(path, cause);
  }
}

/** Returns the current writer of a ledger; null if there is none. Throws file_unreadable or ledger_locked. */
export function findWriter(ledgerPath: string): LockHolder | null {
  if (!existsSync(dirname(ledgerPath))) return null;
  const path = lockPath(ledgerPath);
  let sqlite: Sqlite.Database | null = null;
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
    sqlite = new SqliteDriver(path, { timeout: 0 });
    sqlite.exec('BEGIN IMMEDIATE; ROLLBACK');
    return null;
  } catch (cause) {
    if (sqlite === null || !isBusy(cause)) throw unusable(path, cause);
    const row = readHolder(sqlite);
    if (row === undefined || isGone(row)) throw explainLock(ledgerPath, path, row, cause);
    return { pid: row.pid, startedMs: row.startedMs };
  } finally {
    sqlite?.close();
  }
}

/** Returns the path of the ledger's lock file, which is the same for all symbolic links to the ledger. */
function lockPath(ledgerPath: string): string {
  const folder = realpathSync(dirname(ledgerPath));
  return `${existsSync(ledgerPath) ? realpathSync(ledgerPath) : join(folder, basename(ledgerPath))}.lock`;
}

const isBusy = (cause: unknown): boolean =>
  cause instanceof SqliteDriver.SqliteError && cause.code.startsWith('SQLITE_BUSY');

interface HolderRow extends LockHolder {
  /** Start time of the holder's process, as text from the operating system; null if unknown. */
  readonly born: string | null;
}

function explainLock(ledgerPath: string, path: string, row: HolderRow | undefined, cause: unknown): TwinbookError {
  const makeError = (text: string, hint: string) => new TwinbookError('ledger_locked', text, hint, { cause });
  if (row === undefined || !isGone(row)) {
    const since = row === undefined ? '' : `, started ${new Date(row.startedMs).toISOString()}`;
    const who = row === undefined ? 'another process' : `process ${row.pid}${since}`;
    const hint = 'Stop that trader first (`twinbook stop`), or configure another ledger for this trader.';
    return makeError(`the ledger ${ledgerPath} is written by ${who}`, hint);
  }
  const text = `the lock ${path} of the ledger is held by an unknown process; the process recorded in the lock is gone`;
  const hint = isPrivate(path)
    ? 'The holder may be a trader that is starting, or a trader in another container. Find this process, then try again.'
    : `Any user who can read that file can hold it; \`fuser ${path}\` shows the process. If no trader runs, delete the file. \`twinbook cancel-all --verify\` cancels without the ledger.`;
  return makeError(text, hint);
}

function readHolder(sqlite: Sqlite.Database): HolderRow | undefined {
  try {
    return sqlite.prepare<[], HolderRow>('SELECT pid, started_ms AS startedMs, born FROM holder').get();
  } catch {
    return undefined; // Another process is writing the row, so the holder is not known yet.
  }
}

function unusable(path: string, cause: unknown): TwinbookError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const isFull = cause instanceof Error && 'code' in cause && (cause.code === 'SQLITE_FULL' || cause.code === 'ENOSPC');
  const hint = isFull
    ? 'Free space on the disk of the lock file: delete journals, recordings, logs or old backups, never the ledger or its -wal file. `twinbook cancel-all --verify` cancels without the ledger.'
    : 'The trader must be able to write this file. If no trader runs and the file is damaged, delete it.';
  return new TwinbookError('file_unreadable', `the lock file ${path} cannot be used: ${why}`, hint, { cause });
}
