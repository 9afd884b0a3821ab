/** Limits how much journal, recording and backups write to a disk. A full disk would stop ledger and trader. */

import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../shared/base/errors.js';

/** Number of bytes that journal, recording and backups leave free on their disk: enough for days of ledger and log. */
export const KEPT_FREE_BYTES = 200_000_000;

/** Number of free bytes on a folder's disk minus `keptBytes`; negative if less than `keptBytes` is free. */
export async function spareBytes(folder: string, keptBytes: number): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize - keptBytes;
}

export const noRoom = (folder: string, keptBytes: number): Error =>
  new Error(`less than ${megabytes(keptBytes)} would be left free on the disk of ${folder}`);

/** Returns whether `work` ended within `limitMs`. Rejects if `work` fails within that time. */
export async function endsWithin(work: Promise<void>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const inTime = work.then(() => true);
  try {
    // The handler below prevents an unhandled rejection if `work` fails after the wait.
    return await Promise.race([inTime, pause(limitMs, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
    inTime.catch(() => undefined);
  }
}

export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;

/** Size of a ledger, bytes. The size includes the write-ahead log, which has the newest commits. */
export const measureLedger = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);

/** Database pages per copy step, and pause after each step, ms: at most 100 MB/s, so the ledger can still write. */
const COPY = { pages: 500, restMs: 20 } as const;

/** Copies the ledger as it is when `begin` is called; `begin` may wait. The copy's pauses block this thread. */
export async function copyLedger(source: string, target: string, begin?: () => Promise<void>): Promise<void> {
  const resting = new Int32Array(new SharedArrayBuffer(4));
  const progress = () => {
    Atomics.wait(resting, 0, 0, COPY.restMs);
    return COPY.pages;
  };
  try {
    // The binding is loaded on demand, because a recorder without a ledger uses this module too.
    const { SqliteDriver } = await import('../../shared/base/sqlite-driver.js');
    const ledger = new SqliteDriver(source, { readonly: true, fileMustExist: true });
    // The first read begins the transaction that fixes the copied state.
    ledger.exec('BEGIN');
    ledger.prepare('SELECT count(*) FROM sqlite_schema').get();
    await begin?.();
    await ledger.backup(target, { progress });
    ledger.close();
  } catch (error) {
    // A SqliteError would lose its message on the way to another thread.
    throw new Error(messageOf(error));
  }
}
