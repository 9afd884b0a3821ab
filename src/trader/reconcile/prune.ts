/**
 * Deletes finished intents and orders without fills that no later step needs. The exchange still lists old orders, and
 * a comparison reads its lists down to a mark: only orders below the mark are deleted, and none that is still compared.
 */

import type { Ledger } from '../ledger/contract.js';
import { LONGEST_LAG_MS } from './differences.js';
import { readCompared } from './list-cursor.js';

/** Younger rows stay, ms: limits count the orders of the last minute, and lists lag. */
const YOUNG_MS = 120_000;
/** Maximum rows and pages of one batch. */
export const MOST_PRUNED_AT_ONCE = 250;
export const FIRST_PRUNED_AT_ONCE = 100;
/**
 * Target time of a batch, ms: it grows slowly and shrinks at once. Other writes wait meanwhile, so 50 ms are too long.
 */
const WANTED_MS = 15;
/** Writes in the log from which a batch is a checkpoint: scattered pages take as long as a batch of deletes. */
const CHECKPOINT_AFTER_WRITES = 100;

/** One batch checks intents behind `after`, or gives unused pages back if that is null. It may be a checkpoint instead. */
export interface PruneBatch {
  /** Our clock, ms. */
  readonly beforeMs: number;
  /** Place of the last checked intent, 0 for none. */
  readonly after: number | null;
  /** Maximum intents or pages. */
  readonly rows: number;
}

export interface PrunedBatch {
  /** Deleted rows. */
  readonly rows: number;
  /** Returned to the file system. */
  readonly bytes: number;
  /** Of the next batch. */
  readonly after: number | null;
  readonly isDone: boolean;
  /** Later ended rows stay, ms; null when no orders were compared with the exchange yet, and all rows stay. */
  readonly untilMs: number | null;
}

/** @param isUnderWay whether a running trader still works on an ended intent */
export function pruneBatch(
  ledger: Ledger,
  { beforeMs, after, rows: asked }: PruneBatch,
  nowMs: number,
  isUnderWay: (intentId: string) => boolean = () => false,
): PrunedBatch {
  const rows = Math.max(1, Math.min(asked, MOST_PRUNED_AT_ONCE));
  // A checkpoint and a commit together could delay the next order by more than 50 ms.
  if (ledger.rest(CHECKPOINT_AFTER_WRITES)) return { rows: 0, bytes: 0, after, isDone: false, untilMs: null };
  return ledger.transaction((): PrunedBatch => {
    if (after === null) return { rows: 0, after, untilMs: null, ...ledger.givePagesBack(rows) };
    const { marks, differing } = readCompared(ledger);
    const keeps = (name: string) => differing.has(name) || isUnderWay(name);
    const limits = { beforeMs: Math.min(beforeMs, nowMs - YOUNG_MS), marked: marks, lagMs: LONGEST_LAG_MS, keeps };
    return { ...ledger.prunePage({ ...limits, after, rows }), bytes: 0, isDone: false };
  });
}

/** Rows of the next batch, after one of `rows` that took `tookMs`. */
export const adaptRows = (rows: number, tookMs: number): number =>
  Math.ceil(Math.max(10, Math.min(MOST_PRUNED_AT_ONCE, 1.25 * rows, (rows * WANTED_MS) / Math.max(1, tookMs))));

/** Rows of the batch after a checkpoint, which may take three times as long. It never raises the number. */
export const adaptToCheckpoint = (rows: number, tookMs: number): number => Math.min(rows, adaptRows(rows, tookMs / 3));
