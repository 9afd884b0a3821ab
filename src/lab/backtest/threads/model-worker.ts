/** Program of a thread that runs fill models one by one. */

import { workerData } from 'node:worker_threads';
import { TwinbookError } from '../../../shared/base/errors.js';
import { openModelRuns } from '../backtest.js';
import { type ModelEnd, type ModelSetup, sameConfig, serveTasks } from './pool.js';

// `pool.ts` starts this program with a `ModelSetup`.
const setup = workerData as ModelSetup;
const runModel = await openModelRuns(await sameConfig(setup), setup.options);

serveTasks(async (fillModel: string, tell): Promise<ModelEnd> => {
  try {
    return { runs: await runModel(fillModel, tell), error: null };
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    // Errors lose their class between threads.
    return { runs: null, error: { code: error.code, message: error.message, hint: error.hint } };
  }
});
