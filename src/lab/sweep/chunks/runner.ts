/** Runs chunks on threads of this machine, with its own copy of configuration, strategies and recordings. */

import { openRecordings } from '../../../recording/recording.js';
import { must, TwinbookError } from '../../../shared/base/errors.js';
import { loadConfig } from '../../../shell/config/load.js';
import type { TaskOutcome } from '../contract.js';
import { planData } from '../reading.js';
import { type ThreadPlace, ThreadRunner } from '../threads/threads.js';
import { type Chunk, tasksIn } from './chunk.js';
import type { ChunkOutcome } from './outcomes.js';
import { requireSameData, type SweepSheet } from './sheet.js';

/** The recordings may hold more markets than the sweep. */
export type RunnerPlace = Pick<ThreadPlace, 'source' | 'paths' | 'workers' | 'memoryBytes'>;

export class ChunkRunner {
  readonly #sheet: SweepSheet;
  readonly #threads: ThreadRunner;

  private constructor(sheet: SweepSheet, place: ThreadPlace) {
    this.#sheet = sheet;
    this.#threads = new ThreadRunner(place, sheet.configHash, sheet.settings);
  }

  /** Throws TwinbookError `config_invalid` or `recording_invalid` where this machine has others than the sheet was made of. */
  static async open(sheet: SweepSheet, place: RunnerPlace): Promise<ChunkRunner> {
    const { source, paths, memoryBytes } = place;
    const { configHash } = await loadConfig(source.file, { ...source, strategyFileToo: true });
    if (configHash !== sheet.configHash) {
      const hint =
        'Copy the file, its strategies and their code anew, set the same TWINBOOK__ variables, and run the same build.';
      const text = `${source.file} is not the configuration that the sweep was planned with`;
      throw new TwinbookError('config_invalid', text, hint);
    }
    const byId = new Map((await openRecordings(paths)).map((one) => [one.market.conditionId, one]));
    // The order of the sheet: machines with more recordings play the same.
    const recordings = sheet.markets.flatMap(({ conditionId }) => byId.get(conditionId) ?? []);
    if (recordings.length === 0) requireSameData(sheet, []);
    const data = await planData(recordings, memoryBytes, () => undefined);
    requireSameData(sheet, data.markets);
    return new ChunkRunner(sheet, { ...place, recordings, data, readsThrough: true });
  }

  /** In the order of the chunk's tasks; null when it was stopped. A backtest that throws is an outcome. */
  async run(chunk: Chunk, stopAsked: Promise<void>): Promise<readonly ChunkOutcome[] | null> {
    const tasks = tasksIn(chunk, this.#sheet);
    const found = new Map<unknown, TaskOutcome>();
    const done = (task: unknown, outcome: TaskOutcome) => void found.set(task, outcome);
    if (!(await this.#threads.run({ tasks, done, stopAsked }))) return null;
    return tasks.map((task) => ({ task, outcome: must(found.get(task), 'every task has ended') }));
  }

  /** Ends its threads. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
