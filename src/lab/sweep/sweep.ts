/**
 * A sweep: one strategy, many parameters, the same recordings. Every configuration is backtested on every fold of events
 * under every fill model, on as many threads as there are cores; what comes of it is ranked, and the ranking is judged by
 * how many were tried.
 *
 * It never shows a figure that few events cannot carry, never forgets a configuration that was tried, and gives the same
 * tables and the same database however many threads did the work. It reads no clock: its caller hands one in.
 */

import type { ConfigurationResult, SweepPlan, SweepProgress, SweepResult, SweepWatcher, Task } from './contract.js';
import { listTasks, NOTHING_PLAYED, planSweep, type SweepEngine, type SweepFacts, type TaskWork } from './facts.js';
import { eventsIn, foldCount } from './folds.js';
import { judge, walkForward } from './judge.js';
import { listNotes, type NoteFacts } from './notes.js';
import { Outcomes } from './results/outcomes.js';
import { openStore, type Resume, type SweepStore } from './results/store.js';
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
    const pace = new Pace(watcher.now, all.length, this.#playedBy(tasks));
    const done: TaskWork['done'] = (task, outcome) => {
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

class Pace {
  readonly #now: () => number;
  readonly #startMs: number;
  readonly #all: number;
  /** Recorded events for this run. */
  readonly #allEvents: number;
  #events = 0;

  constructor(now: () => number, all: number, allEvents: number) {
    this.#now = now;
    this.#startMs = now();
    this.#all = all;
    this.#allEvents = allEvents;
  }

  /** A backtest over this many recorded events has ended. */
  addPlayed(events: number): void {
    this.#events += events;
  }

  progress(done: number, failed: number): SweepProgress {
    const ms = this.#now() - this.#startMs;
    const perMs = this.#events > 0 && ms > 0 ? this.#events / ms : null;
    return {
      phase: 'running',
      done,
      failed,
      all: this.#all,
      events: this.#events,
      eventsPerS: perMs === null ? null : perMs * 1000,
      leftMs: perMs === null ? null : (this.#allEvents - this.#events) / perMs,
    };
  }
}

export function computeResult(facts: Omit<SweepFacts, 'identity'>, outcomes: Outcomes, tried: number): SweepResult {
  const { search, events, fillModels } = facts;
  const { embargoMs } = facts.assumptions;
  const { candidates } = search;
  const { models, configurations, trials } = judge(candidates, events, fillModels, outcomes, tried);
  const done = configurations.filter(({ status }) => status === 'done');
  const count = (wanted: ConfigurationResult['status']) =>
    configurations.filter(({ status }) => status === wanted).length;
  const counts = {
    configurations: configurations.length,
    done: done.length,
    failed: count('failed'),
    unfinished: count('unfinished'),
    tried,
    flipping: done.filter(({ signFlips }) => signFlips).length,
    events: events.length,
  };
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
