/** Worker thread of `beginLedgerCopy`, which copies a ledger. */

import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../shared/base/errors.js';
import { copyLedger } from '../runtime/disk.js';
import type { CopyNews, CopyOrder } from './journal-writer.js';

const parent = must(parentPort, 'parent of this thread');
// The cast is safe: only `beginLedgerCopy` starts this worker thread.
const { source, target, beginAfterMs } = workerData as CopyOrder;
const tell = (news: CopyNews) => parent.postMessage(news);
const hurried = once(parent, 'message');

const part = `${target}.part`;
await copyLedger(source, part, async () => {
  tell('begun');
  await Promise.race([pause(beginAfterMs), hurried]);
});
renameSync(part, target);
tell('done');
parent.close();
