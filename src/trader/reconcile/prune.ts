/**
 * Deletes intents and orders that ended without a fill from the ledger. The reconciler reads the exchange's list of
 * orders back to a stored mark, so an order is deleted only if it is older than the mark and has no difference.
 */

import type { Ledger } from '../ledger/contract.js';
import { LONGEST_LAG_MS } from './differences.js';
import { readCompared } from './list-cursor.js';

/** Minimum age of a deleted row, ms. Risk limits count the last minute’s orders, and the exchange’s lists may lag. */
const YOUNG_MS = 120_000;
const MOST_PRUNED_AT_ONCE = 250;
export const FIRST_PRUNED_AT_ONCE = 100;
/** Target duration of a pruning batch, ms: other writes to the ledger must wait for the batch. */
const WANTED_MS = 15;
/** Rows in the database log at which a checkpoint replaces the next batch. Both take about equally long. */
const CHECKPOINT_AFTER_WRITES = 100;

/** Pruning batch. It checks intents after sequence number `after`, or frees database pages if `after` is null. */
export interface PruneBatch {
  /** Only rows that ended before this time are deleted, our clock, ms. */
  readonly beforeMs: number;
  /** Sequence number of the last intent that pruning has checked; 0 at the start, null if all intents are checked. */
  readonly after: number | null;
  /** Maximum number of intents that a batch checks, or of database pages that it frees. */
  readonly rows: number;
}

export interface PrunedBatch {
  /** Number of deleted rows. */
  readonly rows: number;
  /** Sequence number of the last checked intent; null if no intent is left to check. */
  readonly after: number | null;
  /** Only rows that ended before this time were deleted, our clock, ms; null if no row could be deleted. */
  readonly untilMs: number | null;
  readonly bytes: number;
  readonly isDone: boolean;
}

/** Runs one batch. @param isUnderWay returns true for an intent that the running trader still needs */
export function pruneBatch(
  ledger: Ledger,
  { beforeMs, after, rows: asked }: PruneBatch,
  nowMs: number,
  isUnderWay: (intentId: string) => boolean = () => false,
): PrunedBatch {
  const rows = Math.max(1, Math.min(asked, MOST_PRUNED_AT_ONCE));
  // A checkpoint replaces a batch, because both together could delay an order by more than 50 ms.
  if (ledger.rest(CHECKPOINT_AFTER_WRITES)) return { rows: 0, bytes: 0, after, isDone: false, untilMs: null };
  return ledger.transaction((): PrunedBatch => {
    if (after === null) return { rows: 0, after, untilMs: null, ...ledger.givePagesBack(rows) };
    const { marks, differing } = readCompared(ledger);
    const keeps = (name: string) => differing.has(name) || isUnderWay(name);
    const limits = { beforeMs: Math.min(beforeMs, nowMs - YOUNG_MS), marked: marks, lagMs: LONGEST_LAG_MS };
    return { ...ledger.prunePage(after, rows, limits, keeps), bytes: 0, isDone: false };
  });
}

/** Returns the number of rows for the next batch. The last batch of `rows` rows took `tookMs`. */
export const adaptRows = (rows: number, tookMs: number): number =>
  Math.ceil(Math.max(10, Math.min(MOST_PRUNED_AT_ONCE, 1.25 * rows, (rows * WANTED_MS) / Math.max(1, tookMs))));

/** Returns the number of rows for the batch after a checkpoint. A checkpoint may take as long as three batches. */
export const adaptToCheckpoint = (rows: number, tookMs: number): number => Math.min(rows, adaptRows(rows, tookMs / 3));
