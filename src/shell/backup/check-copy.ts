/** Examines a fresh copy of a ledger in a separate thread: the trader does not wait for it. */

import { startWorker } from '../../shared/base/worker-start.js';
import type { ExaminedFile } from './examine.js';

/** Rejects when the file cannot be read. */
export function checkCopy(path: string): Promise<ExaminedFile> {
  const thread = startWorker({ name: 'check-thread', data: path }, import.meta.url);
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the check of the copy was broken off')));
  });
}
