/** The thread of `beginLedgerCopy`. */

import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../shared/base/errors.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';
import type { CopyNews, CopyOrder } from './journal-writer.js';

/** Pages per copy step, and the pause after each, ms: at most 100 MB a second, which leaves the disk to the ledger. */
const PAGES = 500;
const REST_MS = 20;

const parent = must(parentPort, 'parent of this thread');
// Nobody else starts it.
const { source, target, beginAfterMs } = workerData as CopyOrder;
const tell = (news: CopyNews) => parent.postMessage(news);
const hurried = once(parent, 'message');

const ledger = new SqliteDriver(source, { readonly: true, fileMustExist: true });
// The first read begins a view of the ledger for the whole transaction.
ledger.exec('BEGIN');
ledger.prepare('SELECT count(*) FROM sqlite_schema').get();
tell('begun');
await Promise.race([pause(beginAfterMs), hurried]);
const resting = new Int32Array(new SharedArrayBuffer(4));
const part = `${target}.part`;
await ledger.backup(part, {
  progress: () => {
    Atomics.wait(resting, 0, 0, REST_MS);
    return PAGES;
  },
});
ledger.close();
renameSync(part, target);
tell('done');
parent.close();
