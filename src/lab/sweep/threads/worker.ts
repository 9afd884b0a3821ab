/** Program of a worker thread: reads the configuration, finds the recordings, runs backtests one by one. */

import { workerData } from 'node:worker_threads';
import { openRecordings } from '../../../recording/recording.js';
import { boundHeapGrowth } from '../../../shared/base/processes.js';
import type { EventSource } from '../../backtest/contract.js';
import { playFromMemory, streamRecording } from '../../backtest/replay-driver.js';
import { sameConfig, serveTasks } from '../../backtest/threads/pool.js';
import type { Task } from '../contract.js';
import { viewColumns } from '../facts.js';
import { type PlayedData, runTask, type WorkerSetup } from './threads.js';

boundHeapGrowth();
// `WorkerSetup` is what `threads.ts` starts this program with.
const setup = workerData as WorkerSetup;
const config = await sameConfig(setup);
const sources = await openSources(setup.data);
serveTasks((task: Task) => runTask(task, config, sources, setup.settings));

async function openSources(data: PlayedData): Promise<ReadonlyMap<string, EventSource>> {
  const found =
    data.kind === 'shared'
      ? data.markets.map(({ market, summary, slabs, gaps }) =>
          playFromMemory(market, slabs.map(viewColumns), summary, gaps),
        )
      : (await openRecordings(data.paths)).map((recording) =>
          streamRecording(recording, () => Atomics.load(setup.stop, 0) !== 0),
        );
  return new Map(found.map((source) => [source.market.conditionId, source]));
}
