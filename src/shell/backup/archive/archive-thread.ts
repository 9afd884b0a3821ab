/** The thread of `archiving.ts`: copies some rows of the ledger into its archives each time that it is asked. */

import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../../shared/base/errors.js';
import { ArchiveCopier, type CopiedRows } from '../../../trader/ledger/archive/copier.js';
import type { ArchiveQuestion, ArchiveTask } from './archiving.js';

const parent = must(parentPort, 'parent of this thread');
// Nobody else starts it.
const { ledgerPath, beforeMs, newest } = workerData as ArchiveTask;
const copier = new ArchiveCopier(ledgerPath, beforeMs, newest);
parent.on('message', ({ after, most }: ArchiveQuestion) => {
  const copied: CopiedRows = copier.copy(after, most);
  if (copied.next === null) copier.close();
  parent.postMessage(copied);
});
