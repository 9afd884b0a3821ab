/** Runs chunks on threads of this machine, with its own copy of configuration, strategies and recordings. */

import type { Recording } from '../../../recording/contract.js';
import { openRecordings } from '../../../recording/recording.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { loadConfig } from '../../../shell/config/load.js';
import type { ConfigSource, Task, TaskOutcome } from '../contract.js';
import { type PlannedData, planData, type SharedMarket, shareMarkets } from '../reading.js';
import { type Batch, TaskPool } from '../threads/pool.js';
import type { PlayedData, WorkerSetup } from '../threads/thread-contract.js';
import { marketsIn } from '../threads/threads.js';
import { type Chunk, tasksIn } from './chunk.js';
import type { ChunkOutcome } from './outcomes-file.js';
import { requireSameData, type SweepSheet } from './sheet.js';

/** What this machine has for it. */
export interface RunnerPlace {
  readonly source: ConfigSource;
  /** Recordings; they may hold more markets than the sweep. */
  readonly paths: readonly string[];
  readonly workers: number;
  /** Decoded recordings of a fold beyond it are streamed by each thread, bytes. */
  readonly memoryBytes: number;
}

export class ChunkRunner {
  readonly #sheet: SweepSheet;
  readonly #place: RunnerPlace;
  readonly #recordings: readonly Recording[];
  readonly #data: PlannedData;
  /** Threads that stay for the next chunk, with the data of the fold that was run last. */
  #warm: { readonly fold: number; readonly pool: TaskPool } | null = null;

  private constructor(sheet: SweepSheet, place: RunnerPlace, recordings: readonly Recording[], data: PlannedData) {
    this.#sheet = sheet;
    this.#place = place;
    this.#recordings = recordings;
    this.#data = data;
  }

  /** Throws TwinbookError `config_invalid` or `recording_invalid` where this machine has others than the sheet was made of. */
  static async open(sheet: SweepSheet, place: RunnerPlace): Promise<ChunkRunner> {
    await requireSameConfig(sheet, place.source);
    const byId = new Map(
      (await openRecordings(place.paths)).map((recording) => [recording.market.conditionId, recording]),
    );
    // In the order of the sheet: whoever has more than the sweep plays the same.
    const recordings = sheet.markets.flatMap(({ conditionId }) => byId.get(conditionId) ?? []);
    if (recordings.length === 0) requireSameData(sheet, []);
    const data = await planData(recordings, place.memoryBytes, () => undefined);
    requireSameData(sheet, data.markets);
    return new ChunkRunner(sheet, place, recordings, data);
  }

  /**
   * The outcomes in the order of the chunk's tasks; null when it was asked to stop before. A backtest that throws is an
   * outcome; recordings that cannot be read, or have changed, are a TwinbookError.
   */
  async run(chunk: Chunk, stopAsked: Promise<void>): Promise<readonly ChunkOutcome[] | null> {
    const tasks = tasksIn(chunk, this.#sheet.fillModels);
    const found = new Map<string, TaskOutcome>();
    const done = ({ candidate, fillModel }: Task, outcome: TaskOutcome) =>
      void found.set(`${candidate.number} ${fillModel}`, outcome);
    if (!(await this.runTasks(chunk.fold, { tasks, done, stopAsked }))) return null;
    return tasks.flatMap((task) => {
      const outcome = found.get(`${task.candidate.number} ${task.fillModel}`);
      return outcome === undefined ? [] : [{ task, outcome }];
    });
  }

  /** Tasks of one fold, told as they end; false when it was asked to stop before. Throws as `run` does. */
  async runTasks(fold: number, batch: Batch): Promise<boolean> {
    let isComplete = false;
    try {
      const pool = await this.#poolOf(fold);
      isComplete = await pool.run(batch);
    } finally {
      if (!isComplete) await this.close();
    }
    return isComplete;
  }

  /** Ends its threads. */
  async close(): Promise<void> {
    const pool = this.#warm?.pool;
    this.#warm = null;
    await pool?.close();
  }

  async #poolOf(fold: number): Promise<TaskPool> {
    if (this.#warm?.fold === fold) return this.#warm.pool;
    // What was played goes before what comes next takes memory.
    this.#warm?.pool.replaceData({ kind: 'shared', markets: [] });
    const data = await this.#open(fold);
    const pool = this.#warm?.pool ?? this.#startPool(data);
    if (this.#warm !== null) pool.replaceData(data);
    this.#warm = { fold, pool };
    return pool;
  }

  #startPool(data: PlayedData): TaskPool {
    const { configHash, settings } = this.#sheet;
    const { source, workers } = this.#place;
    const setup: Omit<WorkerSetup, 'stop'> = { source, configHash, settings, data };
    const program = { name: '../threads/worker', from: import.meta.url };
    return new TaskPool({ workers, program, setup, readsFiles: data.kind === 'streamed' });
  }

  async #open(fold: number): Promise<PlayedData> {
    const markets = await this.#decode(fold);
    return markets === null ? { kind: 'streamed', paths: this.#place.paths } : { kind: 'shared', markets };
  }

  /** Null where they do not fit into the memory. */
  async #decode(fold: number): Promise<readonly SharedMarket[] | null> {
    const ids = marketsIn(this.#sheet.settings.events, [{ fold }]);
    const recordings = this.#recordings.filter(({ market }) => ids.has(market.conditionId));
    const markets = await shareMarkets(recordings, this.#data, this.#place.memoryBytes, () => undefined);
    if (markets === null) await readThrough(recordings);
    return markets;
  }
}

async function requireSameConfig({ configHash }: SweepSheet, source: ConfigSource): Promise<void> {
  const loaded = await loadConfig(source.file, { ...source, strategyFileToo: true });
  if (loaded.configHash === configHash) return;
  const text = `${source.file} is not the configuration that the sweep was planned with`;
  const hint =
    'Copy the file, its strategies and their code anew, set the same TWINBOOK__ variables, and run the same build: a shipped strategy changes with it.';
  throw new TwinbookError('config_invalid', text, hint);
}

/** A file that is damaged here is no failure of a configuration: it is found out before threads meet it. */
async function readThrough(recordings: readonly Recording[]): Promise<void> {
  for (const recording of recordings) {
    const chunks = recording.chunks()[Symbol.asyncIterator]();
    for (let read = await chunks.next(); read.done !== true; ) read = await chunks.next();
  }
}
