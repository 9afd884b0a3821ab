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
import {
  type Assignment,
  type DataChange,
  type PlayedData,
  toOutcome,
  type WorkerReport,
  type WorkerSetup,
} from './thread-contract.js';

assert(parentPort !== null, 'this file is the program of a worker thread');
const port = parentPort;
boundHeapGrowth();
// `WorkerSetup` is what `pool.ts` starts this program with.
const setup = workerData as WorkerSetup;
const config = await sameConfig(setup);
let sources = await openSources(setup.data);
let work = Promise.resolve();

// One after the other: a task plays what was handed over before it.
port.on('message', (message: Assignment | DataChange) => {
  work = work.then(() => handle(message));
});
report({ kind: 'ready' });

async function handle(message: Assignment | DataChange): Promise<void> {
  if (message.kind === 'task') {
    const run = () => runTask(message.task, config, sources, setup.settings);
    report({ kind: 'outcome', id: message.id, outcome: await toOutcome(run) });
  } else {
    sources = await openSources(message.data);
    report({ kind: 'ready' });
  }
}

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
