/** The program of a worker thread: reads the strategies once, then runs one task after the other. */

import { parentPort, workerData } from 'node:worker_threads';
import { assert, must } from '../../shared/base/errors.js';
import { configWith } from '../sweep/candidates.js';
import { sameConfig } from '../sweep/threads/same-config.js';
import { type Assignment, toOutcome, type WorkerReport } from '../sweep/threads/thread-contract.js';
import type { SimulationResult } from './contract.js';
import { listEntrants } from './entrants.js';
import type { SimulationSetup, SimulationTask } from './simulations.js';
import { worldNamed } from './worlds.js';

assert(parentPort !== null, 'this file is the program of a worker thread');
const port = parentPort;
// `SimulationSetup` is what `simulations.ts` starts this program with.
const { files, axes, conditions } = workerData as SimulationSetup;
const entrants = (await Promise.all(files.map(sameConfig))).flatMap(listEntrants);

port.on('message', async ({ id, task }: Assignment<SimulationTask>) =>
  report({ kind: 'outcome', id, outcome: await toOutcome(() => simulateSeeds(task)) }),
);
report({ kind: 'ready' });

function report(message: WorkerReport<readonly SimulationResult[]>): void {
  port.postMessage(message);
}

async function simulateSeeds({ world, strategy, values, seeds }: SimulationTask): Promise<SimulationResult[]> {
  const own = must(
    entrants.find(({ name }) => name === strategy),
    strategy,
  );
  const entrant = values === null ? own : must(listEntrants(configWith(own.config, axes, values))[0], strategy);
  const results: SimulationResult[] = [];
  for (let seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
    const result = await worldNamed(world).simulate(seed, entrant, conditions);
    results.push(result);
    if (result.failure !== null) break;
  }
  return results;
}
