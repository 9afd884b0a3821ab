/** The default engine: threads of this process, which share decoded data; and one backtest of a thread. */

import { createHash } from 'node:crypto';
import type { Recording } from '../../../recording/contract.js';
import { assert, TwinbookError } from '../../../shared/base/errors.js';
import { computeMean } from '../../../shared/statistics/moments.js';
import type { Config } from '../../../shell/config/config.js';
import type { EventSource } from '../../backtest/contract.js';
import { makeDraws } from '../../backtest/latency.js';
import { makePlan } from '../../backtest/plan.js';
import { runBacktest } from '../../backtest/run.js';
import { type Batch, type ConfigOfThreads, TaskPool } from '../../backtest/threads/pool.js';
import { splitMarket, sum } from '../../report/analysis/split.js';
import type { SessionRecord } from '../../session/contract.js';
import type { SweepPlan, SweptEvent, Task, TaskFigures } from '../contract.js';
import {
  eventsIn,
  NOTHING_PLAYED,
  type PlannedData,
  type SharedMarket,
  type SweepEngine,
  shareMarkets,
} from '../facts.js';
import { configWith } from '../search.js';

/** Shared by all tasks. Plain data. */
export const makeSettings = (
  { search, latency, seed, repeat, landingMs, fees, feeCurve = null, allMarkets, feedData }: SweepPlan,
  events: readonly SweptEvent[],
) => ({ axes: search.axes, latency, seed, repeat, landingMs, fees, feeCurve, allMarkets, events, feedData });

export type TaskSettings = ReturnType<typeof makeSettings>;

export async function runTask(
  task: Task,
  config: Config,
  sources: ReadonlyMap<string, EventSource>,
  settings: TaskSettings,
): Promise<TaskFigures> {
  const { axes, events: all, latency, seed, repeat: count, ...played } = settings;
  const events = eventsIn(all, task.fold);
  const tried = configWith(config, axes, task.candidate.values);
  const own = events.flatMap(({ conditionIds }) => conditionIds.flatMap((id) => sources.get(id) ?? []));
  const runs: (TaskFigures & { readonly seed: number })[] = [];
  for (let index = 0; index < count; index++) {
    // Every configuration draws the same sequences: they differ by their actions, not by luck.
    const draws = makeDraws(latency, { seed, index, count }, config.polling.hotIntervalMs);
    const plan = makePlan(tried, own, { fillModel: task.fillModel, ...draws, ...played });
    const { session, traceHash } = await runBacktest(plan);
    // A failed strategy was stopped in its market: the rest is no result of this configuration.
    const broken = findBroken(session);
    const hint = '`twinbook strategies test STRATEGY` finds the errors of a strategy.';
    if (broken !== null) throw new TwinbookError('strategy_invalid', broken, hint);
    runs.push({ ...computeFigures(session, events), traceHash, runs: [], seed: draws.seed });
  }
  return meanOfRuns(runs);
}

export const findBroken = ({ notices }: SessionRecord): string | null =>
  notices.find(({ text }) => /^strategy \S+ is stopped in (?:market|all markets of event) /.test(text))?.text ?? null;

function computeFigures({ markets, notices, fromMs, maxDrawdownMicros }: SessionRecord, events: readonly SweptEvent[]) {
  const splits = new Map(markets.map((market) => [market.conditionId, splitMarket(market).split]));
  const eventResults = events.map(({ conditionIds }) =>
    sum(conditionIds.map((id) => splits.get(id)?.resultMicros ?? 0)),
  );
  return {
    resultMicros: sum(eventResults),
    maxDrawdownMicros: maxDrawdownMicros ?? 0,
    fills: sum(markets.map(({ fills }) => fills.length)),
    // Notices at the very beginning are about the data, and equal for all.
    alarms: notices.filter(({ severity, timeMs }) => severity === 'loud' && timeMs > fromMs).length,
    eventResults,
  };
}

/**
 * Several runs of one backtest as one: means of their figures. One run is itself. Counts and currency are rounded; the
 * largest drawdown counts, and the alarms of all runs.
 */
function meanOfRuns(runs: readonly (TaskFigures & { readonly seed: number })[]): TaskFigures {
  const [first] = runs;
  assert(first !== undefined, 'a task runs once at least');
  const { seed: _, ...single } = first;
  if (runs.length === 1) return single;
  const hashes = runs.map(({ traceHash }) => traceHash);
  const mean = (figure: (run: TaskFigures) => number): number => Math.round(computeMean(runs.map(figure)) ?? 0);
  const eventResults = first.eventResults.map((_result, event) => mean((run) => run.eventResults[event] ?? 0));
  return {
    // Sum of the events, so that the parts add up to the whole.
    resultMicros: eventResults.reduce((total, result) => total + result, 0),
    maxDrawdownMicros: Math.max(...runs.map(({ maxDrawdownMicros }) => maxDrawdownMicros)),
    fills: mean(({ fills }) => fills),
    alarms: runs.reduce((total, { alarms }) => total + alarms, 0),
    traceHash: createHash('sha256').update(hashes.join(' ')).digest('hex').slice(0, 16),
    eventResults,
    runs: runs.map(({ seed, resultMicros, fills, traceHash }) => ({ seed, resultMicros, fills, traceHash })),
  };
}

export interface WorkerSetup extends ConfigOfThreads {
  readonly settings: TaskSettings;
  readonly data: PlayedData;
  /** Shared flag; non-zero cancels the work. */
  readonly stop: Int32Array;
}

export type PlayedData =
  | { readonly kind: 'shared'; readonly markets: readonly SharedMarket[] }
  | { readonly kind: 'streamed'; readonly paths: readonly string[] };

type SweepPool = TaskPool<Task, TaskFigures>;
type SweepBatch = Batch<Task, TaskFigures>;

export const onThreads: SweepEngine = async ({ plan, recordings, data, facts, tasks, done, watcher }) => {
  if (tasks.length === 0) return true;
  const settings = makeSettings(plan, facts.events);
  const runner = openThreads({ ...plan, recordings, data }, plan.config.configHash, settings, (read, all) =>
    watcher.progress({ phase: 'reading', done: read, all, ...NOTHING_PLAYED }),
  );
  return runner.run({ tasks, done, stopAsked: watcher.stopAsked }).finally(() => runner.close());
};

export interface ThreadPlace {
  readonly source: SweepPlan['source'];
  readonly recordings: readonly Recording[];
  readonly data: PlannedData;
  readonly paths: readonly string[];
  /** Larger data is streamed by each thread. */
  readonly memoryBytes: number;
  readonly workers: number;
  /** Streamed files are read completely first: a damaged file is then an error, not a failed backtest. */
  readonly readsThrough?: true;
}

/**
 * Runs batches on threads that stay warm while the same folds are played.
 *
 * @param reading called with the number of decoded recordings and of all in a batch
 */
export function openThreads(
  { source, recordings, data, paths, memoryBytes, workers, readsThrough }: ThreadPlace,
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
  const openData = async (folds: ReadonlySet<number>): Promise<PlayedData> => {
    const played = settings.events.filter(({ fold }) => folds.has(fold));
    const isAll = played.length === settings.events.length;
    const ids = new Set(played.flatMap(({ conditionIds }) => conditionIds));
    const own = recordings.filter(({ market }) => ids.has(market.conditionId));
    const read = () => shareMarkets(own, data, memoryBytes, (done) => reading(done, own.length));
    const markets = isAll && data.isStreamed ? null : await read();
    if (markets !== null) return { kind: 'shared', markets };
    if (readsThrough) for (const one of own) for await (const _ of one.chunks());
    return { kind: 'streamed', paths };
  };
  const openPool = async (tasks: SweepBatch['tasks']): Promise<SweepPool> => {
    const numbers = new Set(tasks.map(({ fold }) => fold));
    const folds = [...numbers].join();
    if (warm?.folds === folds) return warm.pool;
    // Data of the last folds is freed first.
    await close();
    const played = await openData(numbers);
    const setup: Omit<WorkerSetup, 'stop'> = { source, configHash, settings, data: played };
    const program = { name: './worker', from: import.meta.url };
    const pool: SweepPool = new TaskPool({ workers, program, setup, readsFiles: played.kind === 'streamed' });
    warm = { folds, pool };
    return pool;
  };
  /** False when it was stopped before every task ended. */
  const run = async (batch: SweepBatch): Promise<boolean> => {
    let isComplete = false;
    try {
      const pool = await openPool(batch.tasks);
      isComplete = await pool.run(batch);
    } finally {
      if (!isComplete) await close();
    }
    return isComplete;
  };
  return { run, close };
}
