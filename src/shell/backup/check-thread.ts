/** The thread of `checkCopy`. */

import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../shared/base/errors.js';
import { examineFile } from './backups.js';

// Only `checkCopy` starts it, with a path.
must(parentPort, 'parent of this thread').postMessage(examineFile(workerData as string));
