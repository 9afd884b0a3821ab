/** The program of a worker thread: reads the strategies once, then runs one simulation after the other. */

import { parentPort, workerData } from 'node:worker_threads';
import { assert, must } from '../../shared/base/errors.js';
import { loadEntrants } from './entrants.js';
import type { ArenaAssignment, ArenaReport, ArenaSetup } from './thread-contract.js';
import { worldNamed } from './worlds.js';

assert(parentPort !== null, 'this file is the program of a worker thread');
const port = parentPort;
// `ArenaSetup` is what `pool.ts` starts this program with.
const { source, conditions } = workerData as ArenaSetup;
const entrants = await loadEntrants(source);

port.on('message', async ({ index, task }: ArenaAssignment) => report(await runTask(index, task)));
report({ kind: 'ready' });

function report(message: ArenaReport): void {
  port.postMessage(message);
}

async function runTask(index: number, { world, strategy, seed }: ArenaAssignment['task']): Promise<ArenaReport> {
  try {
    const entrant = must(
      entrants.find(({ name }) => name === strategy),
      strategy,
    );
    return { kind: 'result', index, result: await worldNamed(world).simulate(seed, entrant, conditions) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', message: `${strategy} in ${world}, seed ${seed}: ${text}` };
  }
}
