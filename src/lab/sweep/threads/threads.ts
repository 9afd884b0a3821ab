/** The default engine: threads of this process, which share decoded data. */

import type { Recording } from '../../../recording/contract.js';
import { type Batch, type ConfigOfThreads, TaskPool } from '../../backtest/threads/pool.js';
import type { SweepPlan, SweptEvent, Task, TaskFigures } from '../contract.js';
import { NOTHING_PLAYED, type SweepEngine } from '../facts.js';
import { type PlannedData, type SharedMarket, shareMarkets } from '../reading.js';
import type { TaskSettings } from '../task.js';

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
  const runner = new ThreadRunner({ ...plan, recordings, data }, plan.config.configHash, settings, (read, all) =>
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

/** Runs batches on threads that stay warm while the same folds are played. */
export class ThreadRunner {
  readonly #place: ThreadPlace;
  readonly #configHash: string;
  readonly #settings: TaskSettings;
  readonly #reading: (done: number, all: number) => void;
  #warm: { readonly folds: string; readonly pool: SweepPool } | null = null;

  /** @param reading called with the number of decoded recordings and of all in a batch */
  constructor(
    place: ThreadPlace,
    configHash: string,
    settings: TaskSettings,
    reading: (done: number, all: number) => void = () => undefined,
  ) {
    this.#place = place;
    this.#configHash = configHash;
    this.#settings = settings;
    this.#reading = reading;
  }

  /** False when it was stopped before every task ended. */
  async run(batch: SweepBatch): Promise<boolean> {
    let isComplete = false;
    try {
      const pool = await this.#poolOf(batch.tasks);
      isComplete = await pool.run(batch);
    } finally {
      if (!isComplete) await this.close();
    }
    return isComplete;
  }

  async close(): Promise<void> {
    const pool = this.#warm?.pool;
    this.#warm = null;
    await pool?.close();
  }

  async #poolOf(tasks: SweepBatch['tasks']): Promise<SweepPool> {
    const numbers = new Set(tasks.map(({ fold }) => fold));
    const folds = [...numbers].join();
    if (this.#warm?.folds === folds) return this.#warm.pool;
    // Data of the last folds is freed first.
    await this.close();
    const data = await this.#open(numbers);
    const { source, workers } = this.#place;
    const [configHash, settings] = [this.#configHash, this.#settings];
    const setup: Omit<WorkerSetup, 'stop'> = { source, configHash, settings, data };
    const program = { name: './worker', from: import.meta.url };
    const pool: SweepPool = new TaskPool({ workers, program, setup, readsFiles: data.kind === 'streamed' });
    this.#warm = { folds, pool };
    return pool;
  }

  async #open(folds: ReadonlySet<number>): Promise<PlayedData> {
    const { recordings, data, paths, memoryBytes } = this.#place;
    const played = this.#settings.events.filter(({ fold }) => folds.has(fold));
    const isAll = played.length === this.#settings.events.length;
    const ids = new Set(played.flatMap(({ conditionIds }) => conditionIds));
    const own = recordings.filter(({ market }) => ids.has(market.conditionId));
    const read = () => shareMarkets(own, data, memoryBytes, (done) => this.#reading(done, own.length));
    const markets = isAll && data.isStreamed ? null : await read();
    if (markets !== null) return { kind: 'shared', markets };
    if (this.#place.readsThrough) for (const one of own) for await (const _ of one.chunks());
    return { kind: 'streamed', paths };
  }
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
