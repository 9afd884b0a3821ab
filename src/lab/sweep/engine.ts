/** What runs the backtests of a sweep: threads of this process, or workers behind a queue. */

import type { Candidate, SweepPlan, SweepWatcher, Task, TaskOutcome } from './contract.js';
import type { SweepFacts } from './facts.js';
import type { PlannedSweep } from './plan.js';

/** What an engine is handed, for all rounds. */
export interface EngineWork {
  readonly plan: SweepPlan;
  readonly planned: PlannedSweep;
  readonly facts: SweepFacts;
  readonly watcher: SweepWatcher;
  /** What is stored of a task already; undefined: nothing. */
  readonly known: (task: Task) => TaskOutcome | undefined;
  /** Stores an outcome, once for each task. An error of it ends the sweep. */
  readonly done: (task: Task, outcome: TaskOutcome) => void;
}

/** Backtests of some configurations on some folds. What the next round holds follows from what comes of this one. */
export interface Round {
  readonly candidates: readonly Candidate[];
  readonly folds: readonly number[];
  /** Those that are not done yet, in the order of `listTasks`. */
  readonly tasks: readonly Task[];
}

export interface RoundRunner {
  /** Resolves with true when every task has ended, with false when it was asked to stop before. */
  readonly run: (round: Round) => Promise<boolean>;
  /** After the last round, or whatever ended the sweep before it. */
  readonly close: () => Promise<void>;
}

export type SweepEngine = (work: EngineWork) => RoundRunner;

export const NOTHING_PLAYED = { failed: 0, events: 0, eventsPerS: null, leftMs: null } as const;
