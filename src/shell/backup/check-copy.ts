/** Examines a fresh copy of a ledger, and copies its archives, in a thread of its own: nothing of a trader waits for it. */

import { startWorker } from '../../shared/base/worker-start.js';
import type { ArchiveCopying, CopiedArchives, ExaminedFile } from './examine.js';

/** What the thread is told. */
export interface CheckTask {
  readonly path: string;
  readonly archives: ArchiveCopying;
}

export interface CheckedCopy extends ExaminedFile {
  /** Nothing of them for a copy that is not whole. */
  readonly copied: CopiedArchives;
}

/** Rejects when the file cannot be read. */
export function checkCopy(path: string, archives: ArchiveCopying): Promise<CheckedCopy> {
  const task: CheckTask = { path, archives };
  const thread = startWorker({ name: 'check-thread', data: task }, import.meta.url);
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the check of the copy was broken off')));
  });
}
