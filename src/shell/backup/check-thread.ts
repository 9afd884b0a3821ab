/** The thread of `check-copy.ts`. */

import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../shared/base/errors.js';
import type { CheckedCopy, CheckTask } from './check-copy.js';
import { copyBeside, examineFile } from './examine.js';

const parent = must(parentPort, 'parent of this thread');
// Nobody else starts it.
const { path, archives } = workerData as CheckTask;
const examined = examineFile(path);
const copied = examined.problems.length > 0 ? { archives: [], problems: [] } : copyBeside(path, archives);
parent.postMessage({ ...examined, copied } satisfies CheckedCopy);
