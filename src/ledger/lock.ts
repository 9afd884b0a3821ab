/**
 * One writer per ledger, by a lock that the operating system drops with the process, however it dies: a small SQLite
 * file beside the ledger in which the holder keeps a write transaction open. Its last committed row names the holder,
 * and stays readable while the lock is held.
 */

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { TwinbookError } from '../base/errors.js';

/** Who is asking: told to the next one who comes. */
export interface LockHolder {
  readonly pid: number;
  /** Our clock, ms. */
  readonly startedMs: number;
}

export interface WriterLock {
  release(): void;
}

/** A lock that is free may be looked at this very moment (`writerOf`); one that is held stays held. */
const LOOKED_AT_MS = 100;

/** Takes the lock or throws ledger_locked, naming the process that has it. */
export function lockWriter(ledgerPath: string, holder: LockHolder): WriterLock {
  const path = lockPath(ledgerPath);
  const sqlite = new Sqlite(path, { timeout: LOOKED_AT_MS });
  try {
    sqlite.exec('BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS holder (pid INTEGER, started_ms INTEGER) STRICT;');
    sqlite.exec('DELETE FROM holder');
    sqlite.prepare('INSERT INTO holder VALUES (?, ?)').run(holder.pid, holder.startedMs);
    sqlite.exec('COMMIT');
    // Between the two another process can slip in; then this BEGIN fails and it has the lock, by right.
    sqlite.exec('BEGIN IMMEDIATE');
  } catch (cause) {
    const error = isBusy(cause) ? locked(ledgerPath, sqlite, cause) : unusable(path, cause);
    sqlite.close();
    throw error;
  }
  return { release: () => sqlite.close() };
}

/** Who writes this ledger now, whether it answers or not; null when nobody does. Throws file_unreadable. */
export function writerOf(ledgerPath: string): LockHolder | null {
  if (!existsSync(dirname(ledgerPath))) return null;
  const path = lockPath(ledgerPath);
  if (!existsSync(path)) return null;
  const sqlite = new Sqlite(path, { timeout: 0 });
  try {
    sqlite.exec('BEGIN IMMEDIATE; ROLLBACK');
    return null;
  } catch (cause) {
    if (!isBusy(cause)) throw unusable(path, cause);
    const row = holderRow(sqlite);
    return { pid: row?.pid ?? 0, startedMs: row?.started_ms ?? 0 };
  } finally {
    sqlite.close();
  }
}

/** Two names of one file or folder must meet in one lock. */
function lockPath(ledgerPath: string): string {
  const folder = realpathSync(dirname(ledgerPath));
  return `${existsSync(ledgerPath) ? realpathSync(ledgerPath) : join(folder, basename(ledgerPath))}.lock`;
}

const isBusy = (cause: unknown): boolean => cause instanceof Sqlite.SqliteError && cause.code.startsWith('SQLITE_BUSY');

function locked(ledgerPath: string, sqlite: Sqlite.Database, cause: unknown): TwinbookError {
  const row = holderRow(sqlite);
  const since = row === undefined ? '' : `, started ${new Date(row.started_ms).toISOString()}`;
  const who = row === undefined ? 'another process' : `process ${row.pid}${since}`;
  const hint = 'Stop that trader first (`twinbook stop`), or give this one a ledger of its own.';
  return new TwinbookError('ledger_locked', `the ledger ${ledgerPath} is written by ${who}`, hint, { cause });
}

function holderRow(sqlite: Sqlite.Database): { pid: number; started_ms: number } | undefined {
  try {
    return sqlite.prepare<[], { pid: number; started_ms: number }>('SELECT pid, started_ms FROM holder').get();
  } catch {
    return undefined; // it is being written this moment: the holder is too young to have a name
  }
}

function unusable(path: string, cause: unknown): TwinbookError {
  const hint = 'The trader needs to write this file; delete it if no trader runs and it is damaged.';
  return new TwinbookError('file_unreadable', `the lock file ${path} cannot be used: ${String(cause)}`, hint, {
    cause,
  });
}
