import { workerData } from 'node:worker_threads';
import { boundHeapGrowth } from '../../../shared/base/processes.js';
import { openSources, waitForReads } from '../../backtest/replay-driver.js';
import { sameConfig, serveTasks } from '../../backtest/threads/pool.js';
import type { Task } from '../contract.js';
import { runTask, type WorkerSetup } from './threads.js';

boundHeapGrowth();
// `threads.ts` starts this program with a `WorkerSetup`.
const setup = workerData as WorkerSetup;
const config = await sameConfig(setup);
const { sources } = await openSources(setup.paths, { isStopped: () => Atomics.load(setup.stop, 0) !== 0 });
// All recordings are read before the backtests: if a strategy ended a thread during a read, the process would crash.
try {
  for (const source of sources) {
    if (!setup.ids.has(source.market.conditionId)) continue;
    const stream = source.open();
    await stream.next();
    stream.close();
  }
} finally {
  await waitForReads();
}
const byId = new Map(sources.map((source) => [source.market.conditionId, source]));
serveTasks((task: Task) => runTask(task, config, byId, setup.settings));
