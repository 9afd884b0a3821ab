/** Whether a file is a whole ledger: SQLite's own check of its pages, and every sum of the ledger again from its rows. */

import { startWorker } from '../runtime/worker-start.js';

export interface CheckedCopy {
  /** Of the file, hexadecimal. */
  readonly sha256: string;
  /** What is wrong with it, one sentence each; empty for a whole ledger. */
  readonly problems: readonly string[];
}

/** In a thread of its own: nothing of a trader waits for it. Rejects when the file cannot be read. */
export function checkCopy(path: string): Promise<CheckedCopy> {
  const thread = startWorker({ name: 'check-thread', data: { path } }, import.meta.url);
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the check of the copy was broken off')));
  });
}
