/** What runs the backtests of a sweep: threads of this process, or workers behind a queue. */

import type { SweepPlan, SweepWatcher, Task, TaskOutcome } from './contract.js';
import type { SweepFacts } from './facts.js';
import type { PlannedSweep } from './plan.js';

export interface EngineWork {
  readonly plan: SweepPlan;
  readonly planned: PlannedSweep;
  readonly facts: SweepFacts;
  readonly watcher: SweepWatcher;
  /** Backtests that are not done yet, in the order of `listTasks`. */
  readonly tasks: readonly Task[];
  /** The stored outcome of a task; undefined if there is none. */
  readonly known: (task: Task) => TaskOutcome | undefined;
  /** Stores an outcome, once for each task. An error of it ends the sweep. */
  readonly done: (task: Task, outcome: TaskOutcome) => void;
}

/** Resolves with true when every task has ended, with false when it was asked to stop before. */
export type SweepEngine = (work: EngineWork) => Promise<boolean>;

export const NOTHING_PLAYED = { failed: 0, events: 0, eventsPerS: null, leftMs: null } as const;
