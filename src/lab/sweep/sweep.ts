/**
 * A sweep: one strategy, many parameters, the same recordings. Every configuration is backtested on every fold of events
 * under every fill model, on as many threads as there are cores; what comes of it is ranked, and the ranking is judged by
 * how many were tried.
 *
 * It never shows a figure that few events cannot carry, never forgets a configuration that was tried, and gives the same
 * tables and the same database however many threads did the work. It reads no clock: its caller hands one in.
 */

import type { SweepPlan, SweepResult, SweepWatcher, Task } from './contract.js';
import { type EngineWork, NOTHING_PLAYED, type SweepEngine } from './engine.js';
import { listTasks, makeFacts, makeHeader, type SweepFacts } from './facts.js';
import { eventsIn } from './folds.js';
import { Pace } from './pace.js';
import { type PlannedSweep, planSweep } from './plan.js';
import { type EventResultsAt, Outcomes } from './results/outcomes.js';
import { computeResult } from './results/result.js';
import { openStore, type SweepStore } from './results/store.js';
import { onThreads } from './threads/threads.js';

export interface SweepOutcome {
  readonly result: SweepResult;
  /** False when it was stopped before everything was run. */
  readonly isComplete: boolean;
}

/** Throws TwinbookError for whatever keeps it from beginning; a configuration that fails is part of the result. */
export async function runSweep(
  plan: SweepPlan,
  watcher: SweepWatcher,
  engine: SweepEngine = onThreads,
): Promise<SweepOutcome> {
  // First: a folder that cannot be written is not found out after hours of reading.
  const store = openStore(plan.outDir);
  try {
    const sweep = await Sweep.prepare(plan, watcher, store);
    const isComplete = await sweep.run(engine);
    const result = sweep.result();
    if (isComplete) store.finish(result);
    return { result, isComplete };
  } finally {
    store.close();
  }
}

class Sweep {
  readonly #plan: SweepPlan;
  readonly #watcher: SweepWatcher;
  readonly #store: SweepStore;
  readonly #planned: PlannedSweep;
  readonly #facts: SweepFacts;
  readonly #outcomes: Outcomes;
  /** Recorded events by fold. */
  readonly #played: readonly number[];

  private constructor(plan: SweepPlan, watcher: SweepWatcher, store: SweepStore, planned: PlannedSweep) {
    this.#plan = plan;
    this.#watcher = watcher;
    this.#store = store;
    this.#planned = planned;
    this.#facts = makeFacts(plan, planned);
    const eventsAt: EventResultsAt = (...place) => store.eventResults(...place);
    this.#outcomes = new Outcomes(planned.folds, plan.fillModels, eventsAt);
    this.#played = Array.from({ length: planned.folds }, (_, fold) =>
      eventsIn(planned.events, fold).reduce((sum, { played }) => sum + played, 0),
    );
  }

  static async prepare(plan: SweepPlan, watcher: SweepWatcher, store: SweepStore): Promise<Sweep> {
    const planned = await planSweep(plan, (done, all) => {
      watcher.progress({ phase: 'reading', done, all, ...NOTHING_PLAYED });
    });
    if (planned.data.isStreamed)
      watcher.say('The recordings do not fit into --memory: each worker streams them itself.');
    return new Sweep(plan, watcher, store, planned);
  }

  /** False when it was stopped. */
  async run(engine: SweepEngine): Promise<boolean> {
    const [plan, planned, facts, watcher] = [this.#plan, this.#planned, this.#facts, this.#watcher];
    const stored = this.#store.begin(makeHeader(facts, plan.resume));
    for (const { task, outcome } of stored) this.#outcomes.set(task, outcome);
    if (stored.length > 0) watcher.say(`${stored.length} backtests of this sweep are done already.`);
    const { search, fillModels } = facts;
    const all = listTasks(search.candidates, planned.folds, fillModels);
    const tasks = all.filter((task) => !this.#outcomes.has(task));
    const pace = new Pace(watcher.now, all.length, this.#playedBy(tasks));
    const done: EngineWork['done'] = (task, outcome) => {
      this.#outcomes.set({ ...task, number: task.candidate.number }, outcome);
      this.#store.write(task, outcome);
      pace.addPlayed(this.#playedBy([task]));
      watcher.progress(pace.progress(this.#outcomes.count, this.#outcomes.failed));
    };
    const known: EngineWork['known'] = (task) => this.#outcomes.get(task);
    return engine({ plan, planned, facts, watcher, tasks, known, done });
  }

  #playedBy(tasks: readonly Pick<Task, 'fold'>[]): number {
    return tasks.reduce((sum, { fold }) => sum + (this.#played[fold] ?? 0), 0);
  }

  result(): SweepResult {
    return computeResult(this.#facts, this.#outcomes, this.#store.tried);
  }
}
