/** Limits how much journal and recording write to a disk. A full disk would stop the ledger and thus the trader. */

import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { SqliteDriver } from '../../shared/base/sqlite-driver.js';

/** Number of bytes that journal and recording leave free on their disk; ledger and log need less for days. */
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

/** Begins a read transaction. Until the transaction ends, all reads show the ledger as it is now. */
export function beginView(ledger: InstanceType<typeof SqliteDriver>): void {
  ledger.exec('BEGIN');
  ledger.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/** Database pages per copy step, and pause after each step, ms: at most 100 MB/s, so the ledger can still write. */
const COPY = { pages: 500, restMs: 20 } as const;

/** Copies the ledger as its read transaction shows it, then closes the ledger. The pauses block this thread. */
export async function copyView(ledger: InstanceType<typeof SqliteDriver>, target: string): Promise<void> {
  const resting = new Int32Array(new SharedArrayBuffer(4));
  await ledger.backup(target, {
    progress: () => {
      Atomics.wait(resting, 0, 0, COPY.restMs);
      return COPY.pages;
    },
  });
  ledger.close();
}
