/** Runs simulations on worker threads, for the arena and for sweeps over worlds. */

import { type Batch, TaskPool } from '../backtest/threads/pool.js';
import type { Axis, Candidate, ConfigSource } from '../sweep/contract.js';
import type { Conditions } from './conditions.js';
import type { SimulationResult } from './contract.js';

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
  readonly files: readonly { readonly source: ConfigSource; readonly configHash: string | null }[];
  readonly axes: readonly Axis[];
  readonly conditions: Conditions;
}

export interface SimulationPlan<T extends SimulationTask>
  extends SimulationSetup,
    Batch<T, readonly SimulationResult[]> {
  readonly workers: number;
}

/** False when it was stopped before every task ended. */
export async function runSimulations<T extends SimulationTask>(plan: SimulationPlan<T>): Promise<boolean> {
  const { files, axes, conditions, workers, ...batch } = plan;
  const setup: SimulationSetup = { files, axes, conditions };
  const program = { name: './worker', from: import.meta.url };
  const pool = new TaskPool<T, readonly SimulationResult[]>({ workers, program, setup, readsFiles: false });
  try {
    return await pool.run(batch);
  } finally {
    await pool.close();
  }
}
