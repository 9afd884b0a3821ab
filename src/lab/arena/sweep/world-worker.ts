/** The program of a worker thread of a sweep over worlds: reads the configuration, then runs one task after the other. */

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../../shared/base/errors.js';
import type { TaskOutcome } from '../../sweep/contract.js';
import { sameConfig } from '../../sweep/threads/same-config.js';
import type { Assignment, WorkerReport } from '../../sweep/threads/thread-contract.js';
import type { WorldWorkerSetup } from './world-contract.js';
import { runWorldTask } from './world-task.js';

assert(parentPort !== null, 'this file is the program of a worker thread');
const port = parentPort;
// `WorldWorkerSetup` is what `world-sweep.ts` has this program started with.
const setup = workerData as WorldWorkerSetup;
const config = await sameConfig(setup);

port.on('message', async ({ id, task }: Assignment) => {
  report({ kind: 'outcome', id, outcome: await runToOutcome(task) });
});
report({ kind: 'ready' });

function report(message: WorkerReport): void {
  port.postMessage(message);
}

async function runToOutcome(task: Assignment['task']): Promise<TaskOutcome> {
  try {
    return { kind: 'done', figures: await runWorldTask(task, config, setup) };
  } catch (error) {
    return { kind: 'failed', error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
