/**
 * Deletes finished intents and orders without fills; no later step depends on them. The exchange goes on listing old orders; a
 * comparison reads its lists down to a mark. So only orders from below that mark go, and none that is still compared.
 */

import type { Ledger } from '../ledger/contract.js';
import { LONGEST_LAG_MS } from './differences.js';
import { readCompared } from './list-cursor.js';

/** Younger rows stay, ms: limits count the orders of the last minute, and lists lag. */
const YOUNG_MS = 120_000;
/** Rows and pages of one batch, whatever is asked for. */
export const MOST_PRUNED_AT_ONCE = 250;
export const FIRST_PRUNED_AT_ONCE = 100;
/** A batch grows slowly or shrinks at once towards this, ms; nothing else writes meanwhile, and 50 ms are too many. */
const WANTED_MS = 15;
/** Writes in the log before a batch carries them over instead: their pages lie scattered, and take as long as a batch. */
const CHECKPOINT_AFTER_WRITES = 100;

/** One batch looks at intents behind `after`, or, where that is null, gives unused pages back. It may carry the log over first, and do no more. */
export interface PruneBatch {
  /** Our clock, ms. */
  readonly beforeMs: number;
  /** Place of the last intent that was looked at, 0 for none. */
  readonly after: number | null;
  /** At most so many intents or pages. */
  readonly rows: number;
}

export interface PrunedBatch {
  /** Deleted rows. */
  readonly rows: number;
  /** Given back to the file system. */
  readonly bytes: number;
  /** Of the next batch. */
  readonly after: number | null;
  readonly isDone: boolean;
  /** What ended later stays, ms; null where no orders were compared with the exchange yet, and everything stays. */
  readonly untilMs: number | null;
}

/** @param isUnderWay whether a running trader still works on an intent, though it is over */
export function pruneBatch(
  ledger: Ledger,
  { beforeMs, after, rows: asked }: PruneBatch,
  nowMs: number,
  isUnderWay: (intentId: string) => boolean = () => false,
): PrunedBatch {
  const rows = Math.max(1, Math.min(asked, MOST_PRUNED_AT_ONCE));
  // Together with a commit it would keep the next order waiting for longer than 50 ms.
  if (ledger.rest(CHECKPOINT_AFTER_WRITES)) return { rows: 0, bytes: 0, after, isDone: false, untilMs: null };
  return ledger.transaction((): PrunedBatch => {
    if (after === null) return { rows: 0, after, untilMs: null, ...ledger.givePagesBack(rows) };
    const { marks, differing } = readCompared(ledger);
    const keeps = (name: string) => differing.has(name) || isUnderWay(name);
    const limits = { beforeMs: Math.min(beforeMs, nowMs - YOUNG_MS), marked: marks, lagMs: LONGEST_LAG_MS, keeps };
    return { ...ledger.prunePage({ ...limits, after, rows }), bytes: 0, isDone: false };
  });
}

/** So many rows in the next batch, after one of `rows` that took `tookMs`. */
export const adaptRows = (rows: number, tookMs: number): number =>
  Math.ceil(Math.max(10, Math.min(MOST_PRUNED_AT_ONCE, 1.25 * rows, (rows * WANTED_MS) / Math.max(1, tookMs))));

/** The same after a batch that was a checkpoint. It may take three times as long, and says nothing of how many more would do. */
export const adaptToCheckpoint = (rows: number, tookMs: number): number => Math.min(rows, adaptRows(rows, tookMs / 3));
