/** Reads strategies and runs their simulations on worker threads, for the arena and for sweeps over worlds. */

import { TwinbookError } from '../../shared/base/errors.js';
import { loadConfig } from '../../shell/config/load.js';
import type { Config } from '../../shell/config/config.js';
import { type Batch, type ConfigOfThreads, TaskPool } from '../backtest/threads/pool.js';
import type { Axis, Candidate, ConfigSource } from '../sweep/contract.js';
import type { Conditions } from './conditions.js';
import type { Entrant, SimulationResult } from './contract.js';

/** The strategies of this trader, one by one. */
export const listEntrants = (config: Config): readonly Entrant[] =>
  config.strategies.map((strategy) => ({ ...strategy, config }));

/** Throws `config_invalid` with all errors of the file, or for a file without a strategy. */
export async function loadEntrants(source: ConfigSource): Promise<readonly Entrant[]> {
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true, feeds: 'any' });
  if (config.strategies.length === 0)
    throw new TwinbookError('config_invalid', `${source.file} names no strategy`, 'List strategy files in it.');
  return listEntrants(config);
}

/** Consecutive seeds. */
export interface SeedRange {
  readonly first: number;
  readonly count: number;
}

/** One strategy on these seeds of one world; it ends with the first failed simulation. */
export interface SimulationTask {
  readonly world: string;
  readonly strategy: string;
  /** Values on the axes; null: the parameters of its file. */
  readonly values: Candidate['values'] | null;
  readonly seeds: SeedRange;
}

/** Start data of a thread. */
export interface SimulationSetup {
  readonly files: readonly ConfigOfThreads[];
  readonly axes: readonly Axis[];
  readonly conditions: Conditions;
}

/** False when it was stopped before every task ended. */
export async function runSimulations<T extends SimulationTask>(
  setup: SimulationSetup,
  workers: number,
  batch: Batch<T, readonly SimulationResult[]>,
): Promise<boolean> {
  const program = { name: './worker', from: import.meta.url };
  const pool = new TaskPool<T, readonly SimulationResult[]>({ workers, program, setup, readsFiles: false });
  return pool.run(batch).finally(() => pool.close());
}
