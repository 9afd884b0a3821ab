/** Packs what a recorder has closed, and takes it out of the folders that it writes. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileError } from '../store/duckdb.js';
import { isStore } from '../store/folders.js';
import { MANIFEST } from '../store/layout.js';
import { packRecordings } from './pack.js';
import { listSourceDays } from './plan.js';
import { openPackedDay } from './read-day.js';
import { trimDay } from './trim.js';

export interface PackClosedOptions {
  readonly nowMs: number;
  /** Runs while nothing is written or closed. */
  readonly exclusively: (run: () => void) => Promise<void>;
  /** Files that are packed stay until the next time, for whoever may be reading them. */
  readonly isRead: boolean;
}

/** Sentences about what stays as it is. Throws as `packRecordings` does. */
export async function packClosed(folder: string, options: PackClosedOptions): Promise<readonly string[]> {
  const { nowMs, exclusively, isRead } = options;
  if (!isStore(folder)) return [];
  const { left } = await packRecordings(folder, folder, { shards: 1, remove: false, nowMs, isRecorder: true });
  try {
    for (const [date, days] of listSourceDays(folder)) {
      const target = join(folder, `date=${date}`);
      if (!existsSync(join(target, MANIFEST))) continue;
      const packed = await openPackedDay(target);
      for (const day of days) {
        await exclusively(() => trimDay(day, packed, nowMs, isRead));
        // Whoever records, or trades, in this process has the next turn.
        await nextTurn();
      }
    }
  } catch (error) {
    throw fileError('file_unreadable', `cannot remove from ${folder} what is packed`, error);
  }
  return left;
}
