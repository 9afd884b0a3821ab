/** The program of a thread that runs one fill model after the other; `threads.ts` says what it hears and tells. */

import { parentPort, workerData } from 'node:worker_threads';
import { assert, TwinbookError } from '../../../shared/base/errors.js';
import { loadConfig } from '../../../shell/config/load.js';
import { openModelRuns } from '../backtest.js';
import type { ModelOrder, ModelReport, ModelSetup } from './threads.js';

assert(parentPort !== null, 'this file is the program of a worker thread');
const port = parentPort;
// `ModelSetup` is what `threads.ts` starts this program with.
const { source, configHash, options } = workerData as ModelSetup;

port.on('message', async (order: ModelOrder) => {
  if (order === null) port.close();
  else await tryTo(async () => ({ kind: 'done', index: order.index, runs: await runs(order) }));
});
const opened = open();
await tryTo(async () => {
  await opened;
  return { kind: 'ready' };
});

async function open() {
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true });
  if (config.configHash === configHash) return openModelRuns(config, options);
  const hint = 'Leave the configuration and its strategies as they are while a backtest runs.';
  throw new TwinbookError('config_invalid', `${source.file} has changed since the backtest began`, hint);
}

const runs = async ({ index, fillModel }: Exclude<ModelOrder, null>) =>
  (await opened)(fillModel, (part) => tell({ kind: 'part', index, part }));

/** What a user can mend is told; anything else ends the thread, and with it the backtest. */
async function tryTo(act: () => Promise<ModelReport>): Promise<void> {
  try {
    tell(await act());
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    tell({ kind: 'failed', code: error.code, message: error.message, hint: error.hint });
  }
}

function tell(report: ModelReport): void {
  port.postMessage(report);
}
