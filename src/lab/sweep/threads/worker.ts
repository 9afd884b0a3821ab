/** Program of a worker thread: reads the configuration, finds the recordings, runs backtests one by one. */

import { workerData } from 'node:worker_threads';
import { boundHeapGrowth } from '../../../shared/base/processes.js';
import { openSources } from '../../backtest/replay-driver.js';
import { sameConfig, serveTasks } from '../../backtest/threads/pool.js';
import type { Task } from '../contract.js';
import { runTask, type WorkerSetup } from './threads.js';

boundHeapGrowth();
// `WorkerSetup` is what `threads.ts` starts this program with.
const setup = workerData as WorkerSetup;
const config = await sameConfig(setup);
const { sources } = await openSources(setup.paths, { isStopped: () => Atomics.load(setup.stop, 0) !== 0 });
const byId = new Map(sources.map((source) => [source.market.conditionId, source]));
serveTasks((task: Task) => runTask(task, config, byId, setup.settings));
