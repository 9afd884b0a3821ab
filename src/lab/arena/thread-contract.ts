/** What crosses between the arena and its worker threads. */

import type { Conditions, SimulationResult } from './contract.js';

/** The files that strategies are read from, and what they are read with. */
export interface ArenaSource {
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** What a thread is started with. */
export interface ArenaSetup {
  readonly source: ArenaSource;
  readonly conditions: Conditions;
}

export interface SimulationTask {
  readonly world: string;
  readonly strategy: string;
  readonly seed: number;
}

export interface ArenaAssignment {
  readonly index: number;
  readonly task: SimulationTask;
}

export type ArenaReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly index: number; readonly result: SimulationResult }
  | { readonly kind: 'failed'; readonly message: string };
