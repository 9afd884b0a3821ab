/** The usual engine: threads of this process, which share what is decoded once. */

import type { SweepPlan, SweptEvent, Task } from '../contract.js';
import { type EngineWork, NOTHING_PLAYED, type SweepEngine } from '../engine.js';
import { shareMarkets } from '../reading.js';
import type { TaskSettings } from '../task.js';
import { runTasks } from './pool.js';
import type { PlayedData, WorkerSetup } from './thread-contract.js';

export const onThreads: SweepEngine = async (work) => {
  const { plan, planned, tasks, done, watcher } = work;
  if (tasks.length === 0) return true;
  const data = await openData(work);
  const setup: Omit<WorkerSetup, 'stop'> = {
    source: plan.source,
    configHash: plan.config.configHash,
    settings: makeSettings(plan, planned.events),
    data,
  };
  const program = { name: './worker', from: import.meta.url };
  const readsFiles = data.kind === 'streamed';
  return runTasks({ workers: plan.workers, program, setup, readsFiles, tasks, done, stopAsked: watcher.stopAsked });
};

/** The data of these tasks if it fits into the memory; else workers stream. */
async function openData({ plan, planned, tasks, watcher }: EngineWork): Promise<PlayedData> {
  const streamed: PlayedData = { kind: 'streamed', paths: plan.paths };
  if (planned.data.isStreamed) return streamed;
  const ids = marketsIn(planned.events, tasks);
  const recordings = planned.recordings.filter(({ market }) => ids.has(market.conditionId));
  const markets = await shareMarkets(recordings, planned.data, plan.memoryBytes, (done) => {
    watcher.progress({ phase: 'reading', done, all: recordings.length, ...NOTHING_PLAYED });
  });
  return markets === null ? streamed : { kind: 'shared', markets };
}

/** Condition ids of what these tasks play. */
export function marketsIn(events: readonly SweptEvent[], tasks: readonly Pick<Task, 'fold'>[]): ReadonlySet<string> {
  const folds = new Set(tasks.map(({ fold }) => fold));
  return new Set(events.flatMap(({ fold, conditionIds }) => (folds.has(fold) ? conditionIds : [])));
}

export function makeSettings(plan: SweepPlan, events: readonly SweptEvent[]): TaskSettings {
  const { search, latency, seed, repeat, landingMs, fees, feeCurve = null, allMarkets, feedData } = plan;
  return {
    axes: search.axes,
    latency,
    seed,
    repeat,
    landingMs,
    fees,
    feeCurve,
    allMarkets,
    events,
    ...(feedData === undefined ? {} : { feedData }),
  };
}
