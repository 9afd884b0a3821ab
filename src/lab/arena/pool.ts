/** Worker threads that run simulations; one that fails ends the arena, for a figure with a gap is none. */

import type { Worker } from 'node:worker_threads';
import { AssertionFailed } from '../../shared/base/errors.js';
import { startWorker } from '../../shared/base/worker-start.js';
import type { SimulationResult } from './contract.js';
import type { ArenaReport, ArenaSetup, SimulationTask } from './thread-contract.js';

interface PoolPlan extends ArenaSetup {
  readonly workers: number;
  readonly progress: (done: number, all: number) => void;
}

/** The results in the order of the tasks. */
export async function runSimulations(
  tasks: readonly SimulationTask[],
  { source, conditions, workers, progress }: PoolPlan,
): Promise<readonly SimulationResult[]> {
  const results: SimulationResult[] = [];
  const hired: Worker[] = [];
  let next = 0;
  let done = 0;
  const assign = (worker: Worker): void => {
    const index = next++;
    const task = tasks[index];
    if (task !== undefined) worker.postMessage({ index, task });
  };
  try {
    await new Promise<void>((resolve, reject) => {
      for (let i = 0; i < Math.min(workers, tasks.length); i++) {
        const worker = startWorker(
          { name: './worker', data: { source, conditions } satisfies ArenaSetup },
          import.meta.url,
        );
        hired.push(worker);
        worker.on('error', reject);
        worker.on('exit', (code) => reject(new AssertionFailed(`a worker ended with exit code ${code}`)));
        worker.on('message', (report: ArenaReport) => {
          if (report.kind === 'failed') return reject(new AssertionFailed(report.message));
          if (report.kind === 'result') {
            results[report.index] = report.result;
            progress(++done, tasks.length);
          }
          return done === tasks.length ? resolve() : assign(worker);
        });
      }
    });
  } finally {
    await Promise.all(hired.map((worker) => worker.terminate()));
  }
  return results;
}
