/** The program of a worker thread: reads the configuration, finds the recordings, runs one backtest after the other. */

import { parentPort, workerData } from 'node:worker_threads';
import { openRecordings } from '../../../recording/recording.js';
import { assert } from '../../../shared/base/errors.js';
import { boundHeapGrowth } from '../../../shared/base/heap-growth.js';
import type { EventSource } from '../../backtest/contract.js';
import { playFromMemory, streamRecording } from '../../backtest/sources.js';
import { viewColumns } from '../columns.js';
import { runTask } from '../task.js';
import { sameConfig } from './same-config.js';
import { type Assignment, type PlayedData, toOutcome, type WorkerReport, type WorkerSetup } from './thread-contract.js';

assert(parentPort !== null, 'this file is the program of a worker thread');
const port = parentPort;
boundHeapGrowth();
// `WorkerSetup` is what `pool.ts` starts this program with.
const setup = workerData as WorkerSetup;
const config = await sameConfig(setup);
const sources = await openSources(setup.data);

port.on('message', async ({ id, task }: Assignment) =>
  report({ kind: 'outcome', id, outcome: await toOutcome(() => runTask(task, config, sources, setup.settings)) }),
);
report({ kind: 'ready' });

function report(message: WorkerReport): void {
  port.postMessage(message);
}

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
