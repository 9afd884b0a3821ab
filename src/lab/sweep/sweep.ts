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
import { eventsIn, foldCount } from './folds.js';
import { Pace } from './pace.js';
import { planSweep } from './plan.js';
import { Outcomes } from './results/outcomes.js';
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
    const planned = await planSweep(plan, (done, all) => {
      watcher.progress({ phase: 'reading', done, all, ...NOTHING_PLAYED });
    });
    if (planned.data.isStreamed)
      watcher.say('The recordings do not fit into --memory: each worker streams them itself.');
    const facts = makeFacts(plan, planned);
    const sweep = new Sweep(facts, watcher, store);
    const isComplete = await sweep.run(plan.resume, (tasks) => engine({ plan, planned, facts, watcher, ...tasks }));
    const result = sweep.result();
    if (isComplete) store.finish(result);
    return { result, isComplete };
  } finally {
    store.close();
  }
}

/** A sweep over anything that facts describe: recordings, or worlds of the arena. */
export class Sweep {
  readonly #facts: SweepFacts;
  readonly #watcher: SweepWatcher;
  readonly #store: SweepStore;
  readonly #outcomes: Outcomes;
  /** Recorded events by fold. */
  readonly #played: readonly number[];

  constructor(facts: SweepFacts, watcher: SweepWatcher, store: SweepStore) {
    this.#facts = facts;
    this.#watcher = watcher;
    this.#store = store;
    const { fillModels, events } = facts;
    const folds = foldCount(events);
    this.#outcomes = new Outcomes(folds, fillModels, (...place) => store.eventResults(...place));
    this.#played = Array.from({ length: folds }, (_, fold) =>
      eventsIn(events, fold).reduce((sum, { played }) => sum + played, 0),
    );
  }

  /** False when it was stopped. */
  async run(
    resume: boolean,
    play: (work: Pick<EngineWork, 'tasks' | 'known' | 'done'>) => Promise<boolean>,
  ): Promise<boolean> {
    const [facts, watcher] = [this.#facts, this.#watcher];
    const stored = this.#store.begin(makeHeader(facts, resume));
    for (const { task, outcome } of stored) this.#outcomes.set(task, outcome);
    if (stored.length > 0) watcher.say(`${stored.length} backtests of this sweep are done already.`);
    const all = listTasks(facts.search.candidates, this.#played.length, facts.fillModels);
    const tasks = all.filter((task) => !this.#outcomes.has(task));
    const pace = new Pace(watcher.now, all.length, this.#playedBy(tasks));
    const done: EngineWork['done'] = (task, outcome) => {
      this.#outcomes.set({ ...task, number: task.candidate.number }, outcome);
      this.#store.write(task, outcome);
      pace.addPlayed(this.#playedBy([task]));
      watcher.progress(pace.progress(this.#outcomes.count, this.#outcomes.failed));
    };
    return play({ tasks, known: (task) => this.#outcomes.get(task), done });
  }

  #playedBy(tasks: readonly Pick<Task, 'fold'>[]): number {
    return tasks.reduce((sum, { fold }) => sum + (this.#played[fold] ?? 0), 0);
  }

  result(): SweepResult {
    return computeResult(this.#facts, this.#outcomes, this.#store.tried);
  }
}
