/** Writers beside the trader leave room on the disk: a ledger that cannot be written stops the trader. */

import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Bytes that journal and recording leave free on their disk: days of ledger and log. */
export const KEPT_FREE_BYTES = 200_000_000;

/** Bytes that may still be written to this folder's disk if `keptBytes` stay free; negative below that reserve. */
export async function spareBytes(folder: string, keptBytes: number): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize - keptBytes;
}

/** Makes the error of a process that must end for lack of disk space. */
export const noRoom = (folder: string, keptBytes: number): Error =>
  new Error(`less than ${megabytes(keptBytes)} would be left free on the disk of ${folder}`);

/**
 * True when the work ended within this many ms; false when it still runs, unwatched. Throws errors of the work within
 * that time.
 */
export async function endsWithin(work: Promise<void>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const inTime = work.then(() => true);
  try {
    // A failure after the wait must not become an unhandled rejection.
    return await Promise.race([inTime, pause(limitMs, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
    inTime.catch(() => undefined);
  }
}

export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;
