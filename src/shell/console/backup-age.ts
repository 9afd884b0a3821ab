/** How old the newest backup may be, by when backups are made. */

import { findLongestPauseMs } from '../runtime/longest-pause.js';

/** A backup of a large ledger takes a while, ms. */
const GRACE_MS = 3_600_000;

/**
 * Two of the longest pauses between backups, and an hour, ms: one that was left out is not old yet.
 *
 * @param schedule a cron expression; null for none
 * @returns null where no backup is made again and again
 */
export function boundBackupAge(schedule: string | null): number | null {
  const pauseMs = schedule === null ? null : findLongestPauseMs(schedule);
  return pauseMs === null ? null : 2 * pauseMs + GRACE_MS;
}
