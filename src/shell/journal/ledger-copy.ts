/**
 * A copy of a large ledger, made beside the trader by a thread of its own: what it holds is the ledger as it was when the
 * copy was begun, whatever is written meanwhile. Copying hundreds of megabytes takes a second or more, and syncing them
 * longer: neither may keep a trader from agreeing with the exchange, or its loop from running.
 */

import { startWorker } from '../../shared/base/worker-start.js';

/** By then a trader has agreed with the exchange and quotes; the copy must not compete with that for the disk, ms. */
const BEGIN_AFTER_MS = 3_000;

/** What the thread is told. */
export interface CopyOrder {
  readonly source: string;
  /** Takes its name when it is whole. */
  readonly target: string;
  readonly beginAfterMs: number;
}

/** What the thread tells. */
export type CopyNews = 'begun' | 'done';

export interface LedgerCopy {
  /** Resolves when the copy is whole; rejects with why it will not be. */
  readonly done: Promise<void>;
  /** The process is about to end: what has waited so far begins at once. */
  hurry(): void;
}

/** Resolves when whatever is written from now on will not be in the copy. Throws when there will be none. */
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
  // Whoever awaits it hears of it all the same; until then it is nobody's unhandled failure.
  done.catch(() => undefined);
  await awaitNews('begun');
  return { done, hurry: () => thread.postMessage('now') };
}
