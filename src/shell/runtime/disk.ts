/**
 * What writes beside the trader owes to the disk: it leaves room on it, and it is not waited for without end. The ledger
 * may live on the same disk, and a ledger that cannot be written stops the trader.
 */

import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Bytes that journal and recording leave free on their disk: days of ledger and log. */
export const KEPT_FREE_BYTES = 200_000_000;

/** Bytes that may still be written on the disk of this folder when `keptBytes` stay free; below 0 when fewer are. */
export async function spareBytes(folder: string, keptBytes: number): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize - keptBytes;
}

/** For the error of whoever has to end because of it. */
export const noRoom = (folder: string, keptBytes: number): Error =>
  new Error(`less than ${megabytes(keptBytes)} would be left free on the disk of ${folder}`);

/** True when the work ended within so many ms; false when it goes on, unwatched. Throws what the work throws in time. */
export async function endsWithin(work: Promise<void>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const inTime = work.then(() => true);
  try {
    // Whoever stops waiting must not be told of a failure that comes later: nobody would take it.
    return await Promise.race([inTime, pause(limitMs, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
    inTime.catch(() => undefined);
  }
}

export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;
