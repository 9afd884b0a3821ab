/**
 * 64 configurations over a synthetic recording, on one thread and on two: events a second by wall clock and processor
 * time, and memory. A bare loop is beside it. Backtests have a compiler and a collector on other threads.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SweepWatcher } from '../../src/lab/sweep/contract.js';
import { runSweep } from '../../src/lab/sweep/sweep.js';
import { record, type SweepPlace, sweepPlace, sweepPlan } from '../lab/sweep/place.js';
import build from '../support/build.js';
import { bareLoopRate } from './bare-loop.js';
import { type Bench, type BenchRow, sized } from './bench.js';

const EVENTS = sized(4, 2);
/** Long enough that a thread is warm most of the time: its first backtests are many times slower. */
const MINUTES = sized(20, 1);
const PARAMS = sized(['behind_ticks=0:7:1', 'order_shares=10:80:10'], ['behind_ticks=0:1:1', 'order_shares=10']);
const CONFIGURATIONS = sized(64, 2);
const MEBIBYTE = 1024 * 1024;

interface Measured {
  readonly seconds: number;
  /** Processor time of all threads of this process. */
  readonly processorSeconds: number;
  readonly events: number;
  readonly peakBytes: number;
}

/** The clock starts when the first backtest has ended, to exclude the start of the thread. */
async function once(place: SweepPlace, workers: number): Promise<Measured> {
  const outDir = join(place.folder, `out-${workers}`);
  rmSync(outDir, { recursive: true, force: true });
  const plan = await sweepPlan(place, { params: PARAMS, fillModels: ['risk-averse'], folds: 1, workers, outDir });
  let [startMs, first, events, peakBytes] = [0, 0, 0, 0];
  let startedWith = process.cpuUsage();
  const watcher: SweepWatcher = {
    now: () => performance.now(),
    progress: ({ phase, events: played }) => {
      if (phase === 'reading') return;
      if (startMs === 0) [startMs, first, startedWith] = [performance.now(), played, process.cpuUsage()];
      events = played - first;
      peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
    },
    say: (text) => void process.stderr.write(`${text}\n`),
    stopAsked: new Promise(() => undefined),
  };
  const { result } = await runSweep(plan, watcher);
  const { done } = result.counts;
  if (done !== CONFIGURATIONS) throw new Error(`${CONFIGURATIONS} configurations were to be done, ${done} were`);
  const { user, system } = process.cpuUsage(startedWith);
  const processorSeconds = (user + system) / 1_000_000;
  return { seconds: (performance.now() - startMs) / 1000, processorSeconds, events, peakBytes };
}

export const bench: Bench = {
  title: 'sweep of 64 configurations',
  async run() {
    build();
    const place = sweepPlace();
    try {
      await record(place.data, { events: EVENTS, minutes: MINUTES });
      const runs: Measured[][] = [[], []];
      const bare: number[][] = [[], []];
      for (let turn = 0; turn < sized(2, 1); turn++) {
        for (const workers of [1, 2]) {
          runs[workers - 1]?.push(await once(place, workers));
          bare[workers - 1]?.push(await bareLoopRate(workers));
        }
      }
      return rows(runs, bare);
    } finally {
      place.remove();
    }
  },
};

/** The best of the runs: other load only makes a run slower. */
function rows(runs: readonly (readonly Measured[])[], bare: readonly (readonly number[])[]): readonly BenchRow[] {
  const rates = runs.map((measured) => measured.map(({ events, seconds }) => events / seconds));
  const [one = 0, two = 0] = rates.map((of) => Math.max(...of));
  const [bareOne = 0, bareTwo = 0] = bare.map((of) => Math.max(...of));
  const [ownOne = 0, ownTwo = 0] = runs.map((measured) =>
    Math.max(...measured.map(({ events, processorSeconds }) => events / processorSeconds)),
  );
  const spread = (of: readonly number[] = []) => `${Math.round(Math.min(...of)).toLocaleString('en-US')} at least`;
  const peaks = runs.map((measured) => Math.max(...measured.map(({ peakBytes }) => peakBytes)) / MEBIBYTE);
  return [
    { name: 'sweep, 64 configurations, 1 thread', figure: one, unit: 'events/s', spread: spread(rates[0]) },
    { name: 'sweep, 64 configurations, 2 threads', figure: two, unit: 'events/s', spread: spread(rates[1]) },
    { name: 'sweep, 2 threads against 1', figure: two / one, unit: 'x', spread: 'best of 2 each' },
    { name: 'bare loop, 2 threads against 1', figure: bareTwo / bareOne, unit: 'x', spread: 'best of 2 each' },
    { name: 'sweep, 1 thread: a second of processor time', figure: ownOne, unit: 'events/s', spread: 'best' },
    { name: 'sweep, 2 threads: a second of processor time', figure: ownTwo, unit: 'events/s', spread: 'best' },
    { name: 'sweep, memory with 1 thread', figure: peaks[0] ?? 0, unit: 'MiB', spread: 'whole process' },
    { name: 'sweep, memory with 2 threads', figure: peaks[1] ?? 0, unit: 'MiB', spread: 'whole process' },
  ];
}
