/** The thread of `check-copy.ts`: reads a whole ledger, which takes seconds for a large one. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../shared/base/errors.js';
import { openReadOnly } from '../../trader/ledger/ledger.js';
import type { CheckedCopy } from './check-copy.js';

const parent = must(parentPort, 'parent of this thread');
// Nobody else starts it.
const { path } = workerData as { readonly path: string };

const hash = createHash('sha256');
await pipeline(createReadStream(path), hash);
parent.postMessage({ sha256: hash.digest('hex'), problems: findProblems() } satisfies CheckedCopy);

function findProblems(): readonly string[] {
  try {
    const ledger = openReadOnly(path);
    try {
      return [...ledger.checkPages(), ...ledger.verify()];
    } finally {
      ledger.close();
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
