/**
 * A sweep: one strategy, many parameters, the same recordings. Every configuration is backtested on every fold of events
 * under every fill model, on as many threads as there are cores; what comes of it is ranked, and the ranking is judged by
 * how many were tried.
 *
 * It never shows a figure that few events cannot carry, never forgets a configuration that was tried, and gives the same
 * tables and the same database however many threads did the work. It reads no clock: its caller hands one in.
 */

import type { SweepPlan, SweepProgress, SweepWatcher, Task } from './contract.js';
import { listNotes, type NoteFacts } from './describe.js';
import {
  eventsIn,
  foldCount,
  listTasks,
  NOTHING_PLAYED,
  planSweep,
  type SweepEngine,
  type SweepFacts,
  type TaskWork,
} from './facts.js';
import type { ConfigurationResult, SweepResult } from './result.js';
import { countConfigurations, judge, Outcomes, walkForward } from './result.js';
import { openStore, type Resume, type SweepStore } from './store.js';
import { onThreads } from './threads/threads.js';

export interface SweepOutcome {
  readonly result: SweepResult;
  /** False when it was stopped before everything was run. */
  readonly isComplete: boolean;
}

/** Throws TwinbookError when it cannot begin; a failing configuration is part of the result. */
export async function runSweep(
  plan: SweepPlan,
  watcher: SweepWatcher,
  engine: SweepEngine = onThreads,
): Promise<SweepOutcome> {
  // First: an unwritable folder must not be found after hours of reading.
  const store = openStore(plan.outDir);
  try {
    const planned = await planSweep(plan, (done, all) => {
      watcher.progress({ phase: 'reading', done, all, ...NOTHING_PLAYED });
    });
    if (planned.data.isStreamed)
      watcher.say('The recordings do not fit into --memory: each worker streams them itself.');
    const sweep = new Sweep(planned.facts, watcher, store);
    const isComplete = await sweep.run(plan.resume, (work) => engine({ ...planned, ...work, watcher }));
    const result = sweep.result();
    if (isComplete) store.finish();
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

  async run(resume: Resume, play: (work: TaskWork) => Promise<boolean>): Promise<boolean> {
    const [facts, watcher] = [this.#facts, this.#watcher];
    const stored = this.#store.begin(facts, resume);
    for (const { task, outcome } of stored) this.#outcomes.set(task, outcome);
    if (stored.length > 0) watcher.say(`${stored.length} backtests of this sweep are done already.`);
    const all = listTasks(facts.search.candidates, this.#played.length, facts.fillModels);
    const tasks = all.filter((task) => !this.#outcomes.has(task));
    const pace = makePace(watcher.now, all.length, this.#playedBy(tasks));
    const done: TaskWork['done'] = (task, outcome) => {
      this.#outcomes.set({ ...task, number: task.candidate.number }, outcome);
      this.#store.write(task, outcome);
      watcher.progress(pace(this.#playedBy([task]), this.#outcomes.count, this.#outcomes.failed));
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

/** @param allEvents recorded events for this run */
function makePace(now: () => number, all: number, allEvents: number) {
  const startMs = now();
  let events = 0;
  /** After a backtest over this many recorded events. */
  return (played: number, done: number, failed: number): SweepProgress => {
    events += played;
    const ms = now() - startMs;
    const perMs = events > 0 && ms > 0 ? events / ms : null;
    const eventsPerS = perMs === null ? null : perMs * 1000;
    const leftMs = perMs === null ? null : (allEvents - events) / perMs;
    return { phase: 'running', done, failed, all, events, eventsPerS, leftMs };
  };
}

export function computeResult(facts: Omit<SweepFacts, 'identity'>, outcomes: Outcomes, tried: number): SweepResult {
  const { search, events, fillModels } = facts;
  const { embargoMs } = facts.assumptions;
  const { candidates } = search;
  const { models, configurations, trials } = judge(candidates, events, fillModels, outcomes, tried);
  const counts = countConfigurations(configurations, tried, events.length);
  const done = configurations.filter(({ status }) => status === 'done');
  const noted: NoteFacts = {
    subject: facts.subject,
    data: facts.data,
    counts,
    best: done[0] ?? null,
    search,
    folds: foldCount(events),
  };
  return {
    format: 1,
    subject: facts.subject,
    title: facts.title,
    assumptions: facts.assumptions,
    search: { kind: search.kind, axes: search.axes, leftOut: search.leftOut },
    counts,
    events,
    models,
    configurations,
    walkForward:
      counts.unfinished > 0
        ? null
        : walkForward({ candidates: inOrder(done), events, fillModels, outcomes, trials, embargoMs }),
    fresh: null,
    notes: listNotes(noted),
  };
}

const inOrder = (done: readonly ConfigurationResult[]): readonly ConfigurationResult[] =>
  [...done].sort((a, b) => a.number - b.number);
