/**
 * One writer per ledger, by a lock that the operating system drops with the process, however it dies: a small SQLite
 * file beside the ledger in which the holder keeps a write transaction open. Its last committed row names the holder,
 * and stays readable while the lock is held.
 *
 * A lock that needs no more than reading keeps a writer out too, so nobody else may be able to open the file. One that
 * others could open, of an earlier version or opened up by hand, is replaced by the next holder, for whoever opened it
 * before would keep it open. It is not replaced under a holder: that may be a trader of whose process nothing can be seen
 * here, in another container for instance.
 */

import { existsSync, realpathSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { TwinbookError } from '../../shared/base/errors.js';
import { isPrivate, makePrivateFile } from '../../shared/base/private.js';
import { isGone, readMark } from '../../shared/base/process-mark.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';

/** The calling process, named to the next one. */
export interface LockHolder {
  readonly pid: number;
  /** Our clock, ms. */
  readonly startedMs: number;
}

/** The right to write a ledger, held until it is released or its process ends. */
export interface WriterLock {
  release(): void;
}

/** A free lock may be read right now (`findWriter`); a held one stays held. */
const LOOKED_AT_MS = 100;

/** Takes the lock or throws ledger_locked with the holding process, if it lives. */
export function lockWriter(ledgerPath: string, holder: LockHolder): WriterLock {
  const path = lockPath(ledgerPath);
  const held = [lockFile(path, ledgerPath, holder)];
  const release = () => {
    for (const sqlite of held) sqlite.close();
  };
  try {
    if (!isPrivate(path)) held.push(replace(path, ledgerPath, holder));
    return { release };
  } catch (cause) {
    release();
    throw cause instanceof TwinbookError ? cause : unusable(path, cause);
  }
}

/** Replaces a locked lock file by a private one; both stay locked until the end. */
function replace(path: string, ledgerPath: string, holder: LockHolder): Sqlite.Database {
  const fresh = `${path}.new`;
  const sqlite = lockFile(fresh, ledgerPath, holder);
  renameSync(fresh, path);
  return sqlite;
}

function lockFile(path: string, ledgerPath: string, holder: LockHolder): Sqlite.Database {
  const { sqlite, inode } = open(path);
  try {
    sqlite.exec('BEGIN IMMEDIATE; DROP TABLE IF EXISTS holder');
    sqlite.exec('CREATE TABLE holder (pid INTEGER, started_ms INTEGER, born TEXT) STRICT');
    const row = sqlite.prepare('INSERT INTO holder VALUES (?, ?, ?)');
    row.run(holder.pid, holder.startedMs, readMark(holder.pid).born);
    sqlite.exec('COMMIT');
    // Another process may slip in between: then this BEGIN fails, and the lock is its.
    sqlite.exec('BEGIN IMMEDIATE');
    // While we waited for the opened file, another holder may have replaced it and left.
    if (statSync(path).ino !== inode) throw explainLock(ledgerPath, path, undefined, undefined);
    return sqlite;
  } catch (cause) {
    // Otherwise our own uncommitted row would be read.
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    const error = isBusy(cause) ? explainLock(ledgerPath, path, holderRow(sqlite), cause) : cause;
    sqlite.close();
    throw error instanceof TwinbookError ? error : unusable(path, cause);
  }
}

function open(path: string): { readonly sqlite: Sqlite.Database; readonly inode: number } {
  try {
    makePrivateFile(path);
    const inode = statSync(path).ino;
    return { sqlite: new SqliteDriver(path, { timeout: LOOKED_AT_MS }), inode };
  } catch (cause) {
    throw unusable(path, cause);
  }
}

/**
 * Current writer of this ledger, responsive or not; null without one. Throws file_unreadable when that is unknown: the
 * lock cannot be opened, or its named process is gone while it is held.
 */
export function findWriter(ledgerPath: string): LockHolder | null {
  if (!existsSync(dirname(ledgerPath))) return null;
  const path = lockPath(ledgerPath);
  if (!existsSync(path)) return null;
  let sqlite: Sqlite.Database | null = null;
  try {
    sqlite = new SqliteDriver(path, { timeout: 0 });
    sqlite.exec('BEGIN IMMEDIATE; ROLLBACK');
    return null;
  } catch (cause) {
    if (sqlite === null || !isBusy(cause)) throw unusable(path, cause);
    const row = holderRow(sqlite);
    if (row === undefined || isDead(row)) throw explainLock(ledgerPath, path, row, cause);
    return { pid: row.pid, startedMs: row.started_ms };
  } finally {
    sqlite?.close();
  }
}

/** Two names of one file or folder must share one lock. */
function lockPath(ledgerPath: string): string {
  const folder = realpathSync(dirname(ledgerPath));
  return `${existsSync(ledgerPath) ? realpathSync(ledgerPath) : join(folder, basename(ledgerPath))}.lock`;
}

const isBusy = (cause: unknown): boolean =>
  cause instanceof SqliteDriver.SqliteError && cause.code.startsWith('SQLITE_BUSY');

interface HolderRow {
  readonly pid: number;
  readonly started_ms: number;
  /** Missing in a file of an earlier version. */
  readonly born?: string | null;
}

const isDead = ({ pid, born = null }: HolderRow): boolean => isGone({ pid, born });

function explainLock(ledgerPath: string, path: string, row: HolderRow | undefined, cause: unknown): TwinbookError {
  const makeError = (text: string, hint: string) => new TwinbookError('ledger_locked', text, hint, { cause });
  if (row === undefined || !isDead(row)) {
    const since = row === undefined ? '' : `, started ${new Date(row.started_ms).toISOString()}`;
    const who = row === undefined ? 'another process' : `process ${row.pid}${since}`;
    const hint = 'Stop that trader first (`twinbook stop`), or give this one a ledger of its own.';
    return makeError(`the ledger ${ledgerPath} is written by ${who}`, hint);
  }
  const text = `the lock ${path} of the ledger is held by a process that it does not name, and the last that it named is gone`;
  const hint = isPrivate(path)
    ? 'It may be a trader that is just starting, or one of another container: look for it, and try again.'
    : `Others can read that file, which is enough to hold it; \`fuser ${path}\` tells who does. If no trader runs, delete it. \`twinbook cancel-all --verify\` cancels without the ledger.`;
  return makeError(text, hint);
}

function holderRow(sqlite: Sqlite.Database): HolderRow | undefined {
  try {
    return sqlite.prepare<[], HolderRow>('SELECT * FROM holder').get();
  } catch {
    return undefined; // Being written right now: the holder has no name yet.
  }
}

function unusable(path: string, cause: unknown): TwinbookError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const isFull = cause instanceof Error && 'code' in cause && (cause.code === 'SQLITE_FULL' || cause.code === 'ENOSPC');
  const hint = isFull
    ? 'Make room on its disk: journals, recordings, logs and old backups may go, the ledger with its -wal must not. `twinbook cancel-all --verify` cancels without the ledger.'
    : 'The trader needs to write this file; delete it if no trader runs and it is damaged.';
  return new TwinbookError('file_unreadable', `the lock file ${path} cannot be used: ${why}`, hint, { cause });
}
