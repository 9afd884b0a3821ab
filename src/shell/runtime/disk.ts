/** Limits what other writers put on a disk, because the trader stops if its ledger finds the disk full. */

import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { SqliteDriver } from '../../shared/base/sqlite-driver.js';

/** Number of bytes that journal and recording leave free on their disk, enough for days of ledger and log. */
export const KEPT_FREE_BYTES = 200_000_000;

/** Number of bytes that may be written to a folder's disk if `keptBytes` stay free; negative below that reserve. */
export async function spareBytes(folder: string, keptBytes: number): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize - keptBytes;
}

/** Makes the error of a process that must end for lack of disk space. */
export const noRoom = (folder: string, keptBytes: number): Error =>
  new Error(`less than ${megabytes(keptBytes)} would be left free on the disk of ${folder}`);

/**
 * Returns true if the work ended within `limitMs`, and false if it still runs in the background. Throws the errors of
 * the work within that time.
 */
export async function endsWithin(work: Promise<void>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const inTime = work.then(() => true);
  try {
    // If the work fails after the wait, its error must not become an unhandled rejection.
    return await Promise.race([inTime, pause(limitMs, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
    inTime.catch(() => undefined);
  }
}

export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;

/** Begins a read transaction: until its end, all reads see the ledger as it is now. */
export function beginView(ledger: InstanceType<typeof SqliteDriver>): void {
  ledger.exec('BEGIN');
  ledger.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/** Database pages per copy step, and pause after a step, ms: at most 100 MB/s, which leaves the ledger disk time. */
const COPY = { pages: 500, restMs: 20 } as const;

/** Copies the ledger as its read transaction sees it, and closes it. Pauses of the copy block this thread. */
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
