/** The usual engine: threads of this process, which share what is decoded once. */

import type { SweepPlan, SweptEvent, Task } from '../contract.js';
import { type EngineWork, NOTHING_PLAYED } from '../engine.js';
import { type SharedMarket, shareMarkets } from '../reading.js';
import type { TaskSettings } from '../task.js';
import { runTasks } from './pool.js';
import type { WorkerSetup } from './thread-contract.js';

export async function onThreads(work: EngineWork): Promise<boolean> {
  const { plan, planned, tasks, watcher, done } = work;
  const shared = await share(work);
  const setup: Omit<WorkerSetup, 'stop'> = {
    source: plan.source,
    configHash: plan.config.configHash,
    settings: makeSettings(plan, planned.events),
    data: shared === null ? { kind: 'streamed', paths: plan.paths } : { kind: 'shared', markets: shared },
  };
  return runTasks({
    tasks,
    workers: plan.workers,
    program: { name: './worker', from: import.meta.url },
    setup,
    readsFiles: shared === null,
    stopAsked: watcher.stopAsked,
    done,
  });
}

/** What these tasks play, as far as it fits into the memory; null where workers stream. */
async function share({ plan, planned, tasks, watcher }: EngineWork): Promise<readonly SharedMarket[] | null> {
  if (planned.data.isStreamed) return null;
  const ids = marketsIn(planned.events, tasks);
  const recordings = planned.recordings.filter(({ market }) => ids.has(market.conditionId));
  return shareMarkets(recordings, planned.data, plan.memoryBytes, (done) => {
    watcher.progress({ phase: 'reading', done, all: recordings.length, ...NOTHING_PLAYED });
  });
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
