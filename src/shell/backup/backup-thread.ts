/** The thread of `makeBackup`: copies a ledger and examines the copy, so that the trader's loop waits for neither. */

import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../shared/base/errors.js';
import { makePrivate } from '../../shared/base/files.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';
import { type BackupOrder, examineFile } from './backups.js';

/** Pages per copy step, and the pause after each step, ms. The limit of 100 MB/s keeps disk time for the ledger. */
const PAGES = 500;
const REST_MS = 20;

// Only `makeBackup` starts this worker thread.
const { source, target } = workerData as BackupOrder;
const ledger = new SqliteDriver(source, { readonly: true, fileMustExist: true });
// The first read begins a view of the ledger for the whole transaction.
ledger.exec('BEGIN');
ledger.prepare('SELECT count(*) FROM sqlite_schema').get();
const resting = new Int32Array(new SharedArrayBuffer(4));
await ledger.backup(target, {
  progress: () => {
    Atomics.wait(resting, 0, 0, REST_MS);
    return PAGES;
  },
});
ledger.close();
makePrivate(target);
must(parentPort, 'parent of this thread').postMessage(examineFile(target));
