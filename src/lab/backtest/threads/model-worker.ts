import { workerData } from 'node:worker_threads';
import { openModelRuns } from '../backtest.js';
import { type ModelSetup, sameConfig, serveTasks } from './pool.js';

// `pool.ts` starts this program with a `ModelSetup`.
const setup = workerData as ModelSetup;
serveTasks(await openModelRuns(await sameConfig(setup), setup.options));
