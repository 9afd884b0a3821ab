/**
 * A copy of a large ledger, made beside the trader by a thread of its own: what it holds is the ledger as it was when the
 * copy was begun, whatever is written meanwhile. Copying hundreds of megabytes takes a second or more, and syncing them
 * longer: neither may keep a trader from agreeing with the exchange, or its loop from running.
 */

import { startWorker } from '../../shared/base/processes.js';

/** By then the trader has agreed with the exchange and quotes; the copy must not compete with that for the disk, ms. */
const BEGIN_AFTER_MS = 3_000;

export interface CopyOrder {
  readonly source: string;
  /** Final name of the complete copy. */
  readonly target: string;
  readonly beginAfterMs: number;
}

export type CopyNews = 'begun' | 'done';

export interface LedgerCopy {
  /** Resolves when the copy is complete; rejects with the reason of a failure. */
  readonly done: Promise<void>;
  /** The process is about to end: a waiting copy begins at once. */
  hurry(): void;
}

/** Resolves when later writes will not be in the copy. Throws when there will be none. */
export async function beginLedgerCopy(
  source: string,
  target: string,
  beginAfterMs = BEGIN_AFTER_MS,
): Promise<LedgerCopy> {
  const order: CopyOrder = { source, target, beginAfterMs };
  const thread = startWorker({ name: 'ledger-copy-thread', data: order }, import.meta.url);
  const awaitNews = (wanted: CopyNews) =>
    new Promise<void>((resolve, reject) => {
      thread.on('message', (news: CopyNews) => news === wanted && resolve());
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('the copy of the ledger was broken off')));
    });
  const done = awaitNews('done');
  // A waiting caller still gets the error; this only avoids an unhandled rejection.
  done.catch(() => undefined);
  await awaitNews('begun');
  return { done, hurry: () => thread.postMessage('now') };
}
