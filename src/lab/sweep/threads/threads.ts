/** Default engine of a sweep: runs backtests on threads of this process. Each thread calls `runTask`. */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { Config } from '../../../shell/config/config.js';
import type { EventSource } from '../../backtest/contract.js';
import { makeDraws } from '../../backtest/latency.js';
import { makePlan } from '../../backtest/plan.js';
import { runBacktest } from '../../backtest/run.js';
import { type Batch, type ConfigOfThreads, TaskPool } from '../../backtest/threads/pool.js';
import { splitMarket, sum } from '../../report/analysis/split.js';
import type { SessionRecord } from '../../session/contract.js';
import type { SweepPlan, SweptEvent, Task, TaskFigures } from '../contract.js';
import { eventsIn, NOTHING_PLAYED, type SweepEngine } from '../facts.js';
import { configWith } from '../search.js';

export const makeSettings = (
  { search, latency, seed, landingMs, fees, feeCurve = null, allMarkets, feedData }: SweepPlan,
  events: readonly SweptEvent[],
) => ({ axes: search.axes, latency, seed, landingMs, fees, feeCurve, allMarkets, events, feedData });

type TaskSettings = ReturnType<typeof makeSettings>;

export async function runTask(
  task: Task,
  config: Config,
  sources: ReadonlyMap<string, EventSource>,
  settings: TaskSettings,
): Promise<TaskFigures> {
  const { axes, events: all, latency, seed, ...played } = settings;
  const events = eventsIn(all, task.fold);
  const tried = configWith(config, axes, task.candidate.values);
  const own = events.flatMap(({ conditionIds }) => conditionIds.flatMap((id) => sources.get(id) ?? []));
  // Every configuration draws the same random numbers, so that luck does not change the ranking.
  const draws = makeDraws(latency, { seed, index: 0, count: 1 }, config.polling.hotIntervalMs);
  const plan = makePlan(tried, own, { fillModel: task.fillModel, ...draws, ...played });
  const { session, traceHash } = await runBacktest(plan);
  // A strategy that fails is stopped in its market, so the result would not describe the configuration.
  const broken = findBroken(session);
  const hint = '`twinbook strategies test STRATEGY` finds the errors of a strategy.';
  if (broken !== null) throw new TwinbookError('strategy_invalid', broken, hint);
  return { ...computeFigures(session, events), traceHash };
}

export const findBroken = ({ notices }: SessionRecord): string | null =>
  notices.find(({ text }) => /^strategy \S+ is stopped in (?:market|all markets of event) /.test(text))?.text ?? null;

function computeFigures({ markets, notices, fromMs, maxDrawdownMicros }: SessionRecord, events: readonly SweptEvent[]) {
  const splits = new Map(markets.map((market) => [market.conditionId, splitMarket(market).split]));
  const eventResults = events.map(({ conditionIds: ids }) => sum(ids.map((id) => splits.get(id)?.resultMicros ?? 0)));
  return {
    resultMicros: sum(eventResults),
    maxDrawdownMicros,
    fills: sum(markets.map(({ fills }) => fills.length)),
    // Notices before the first event do not count: they are about the data, and equal for all configurations.
    alarms: notices.filter(({ severity, timeMs }) => severity === 'loud' && timeMs > fromMs).length,
    eventResults,
  };
}

export interface WorkerSetup extends ConfigOfThreads, Pick<ThreadPlace, 'paths'> {
  readonly settings: TaskSettings;
  readonly ids: ReadonlySet<string>;
  /** Shared flag; a value other than 0 cancels the work. */
  readonly stop: Int32Array;
}

type SweepPool = TaskPool<Task, TaskFigures>;

export const onThreads: SweepEngine = async ({ plan, recordings, facts, tasks, done, watcher }) => {
  if (tasks.length === 0) return true;
  const settings = makeSettings(plan, facts.events);
  const runner = openThreads({ ...plan, recordings }, plan.config.configHash, settings, (read, all) =>
    watcher.progress({ phase: 'reading', done: read, all, ...NOTHING_PLAYED }),
  );
  return runner.run({ tasks, done, stopAsked: watcher.stopAsked }).finally(() => runner.close());
};

export type ThreadPlace = Pick<SweepPlan, 'source' | 'paths' | 'recordings' | 'workers'>;

/** Opens threads that run batches of tasks. Threads keep decoded events for later batches with the same folds. */
export function openThreads(
  { source, recordings, paths, workers }: ThreadPlace,
  configHash: string,
  settings: TaskSettings,
  reading: (done: number, all: number) => void = () => undefined,
) {
  let warm: { readonly folds: string; readonly pool: SweepPool } | null = null;
  const close = async (): Promise<void> => {
    const pool = warm?.pool;
    warm = null;
    await pool?.close();
  };
  /** Reads recordings completely. Throws for a damaged file, whose unreadable part a thread would silently skip. */
  const checkFiles = async (ids: ReadonlySet<string>): Promise<void> => {
    const own = recordings.filter(({ market }) => ids.has(market.conditionId));
    for (const [index, recording] of own.entries()) {
      for await (const _ of recording.chunks());
      reading(index + 1, own.length);
    }
  };
  const openPool = async (tasks: readonly Task[]): Promise<SweepPool> => {
    const numbers = new Set(tasks.map(({ fold }) => fold));
    const folds = [...numbers].join();
    if (warm?.folds === folds) return warm.pool;
    // Threads of earlier folds end first, so that the memory of those folds' events is freed.
    await close();
    const played = settings.events.filter(({ fold }) => numbers.has(fold));
    const ids = new Set(played.flatMap(({ conditionIds }) => conditionIds));
    await checkFiles(ids);
    const program = { name: './worker', from: import.meta.url };
    const setup: Omit<WorkerSetup, 'stop'> = { source, configHash, settings, paths, ids };
    const pool: SweepPool = new TaskPool({ workers, program, setup, readsFiles: true });
    warm = { folds, pool };
    return pool;
  };
  const run = async (batch: Batch<Task, TaskFigures>): Promise<boolean> => {
    let isComplete = false;
    try {
      isComplete = await (await openPool(batch.tasks)).run(batch);
    } finally {
      if (!isComplete) await close();
    }
    return isComplete;
  };
  return { run, close };
}
