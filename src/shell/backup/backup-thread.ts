/** Worker thread of `makeBackup`. The thread copies and checks a ledger, so that the trader's event loop stays free. */

import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../shared/base/errors.js';
import { makePrivate } from '../../shared/base/files.js';
import { copyLedger } from '../runtime/disk.js';
import { type BackupOrder, examineFile } from './backups.js';

// Only `makeBackup` starts this worker thread.
const { source, target } = workerData as BackupOrder;
await copyLedger(source, target);
makePrivate(target);
must(parentPort, 'parent of this thread').postMessage(examineFile(target));
