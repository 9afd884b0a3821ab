/**
 * A sweep: one strategy, many parameters, the same recordings. Every configuration is backtested on every fold of events
 * under every fill model, on as many threads as there are cores; what comes of it is ranked, and the ranking is judged by
 * how many were tried.
 *
 * It never shows a figure that few events cannot carry, never forgets a configuration that was tried, and gives the same
 * tables and the same database however many threads did the work. It reads no clock: its caller hands one in.
 */

import type { SweepPlan, SweepResult, SweepWatcher, SweptEvent, Task } from './contract.js';
import { eventsIn, foldCount } from './folds.js';
import { identityOf, latencyName } from './identity.js';
import { judge } from './judge.js';
import { type NoteFacts, notesOf } from './notes.js';
import { Pace } from './pace.js';
import { type PlannedSweep, planSweep } from './plan.js';
import { runTasks } from './pool.js';
import { type SharedMarket, shareMarkets } from './reading.js';
import { type EventResultsAt, Outcomes } from './results/outcomes.js';
import { openStore, type SweepStore } from './results/store.js';
import type { WorkerSetup } from './thread-contract.js';
import { walkForward } from './walk-forward.js';

export interface SweepOutcome {
  readonly result: SweepResult;
  /** False when it was stopped before everything was run. */
  readonly isComplete: boolean;
}

/** Throws TwinbookError for whatever keeps it from beginning; a configuration that fails is part of the result. */
export async function runSweep(plan: SweepPlan, watcher: SweepWatcher): Promise<SweepOutcome> {
  // First: a folder that cannot be written is not found out after hours of reading.
  const store = openStore(plan.outDir);
  try {
    const sweep = await Sweep.prepare(plan, watcher, store);
    const isComplete = await sweep.run();
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
  readonly #outcomes: Outcomes;
  /** Recorded events by fold. */
  readonly #played: readonly number[];

  private constructor(plan: SweepPlan, watcher: SweepWatcher, store: SweepStore, planned: PlannedSweep) {
    this.#plan = plan;
    this.#watcher = watcher;
    this.#store = store;
    this.#planned = planned;
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
  async run(): Promise<boolean> {
    const plan = this.#plan;
    const events = this.#planned.events;
    const stored = this.#store.begin({
      identity: identityOf(plan, this.#planned.data.hash, this.#planned.folds),
      title: this.#planned.whole.title,
      candidates: plan.search.candidates,
      parameters: plan.search.axes.map(({ name }) => name),
      events,
      resume: plan.resume,
    });
    for (const { task, outcome } of stored) this.#outcomes.set(task, outcome);
    if (stored.length > 0) this.#watcher.say(`${stored.length} backtests of this sweep are done already.`);
    const all = tasksOf(plan, events);
    const tasks = all.filter((task) => !this.#outcomes.has(task));
    const pace = new Pace(this.#watcher.now, all.length, this.#playedBy(tasks));
    const shared = await this.#share(tasks);
    return runTasks({
      tasks,
      workers: plan.workers,
      program: { name: './worker', from: import.meta.url },
      setup: this.#setup(shared),
      readsFiles: shared === null,
      stopAsked: this.#watcher.stopAsked,
      done: (task, outcome) => {
        this.#outcomes.set({ ...task, number: task.candidate.number }, outcome);
        this.#store.write(task, outcome);
        pace.played(this.#playedBy([task]));
        this.#watcher.progress(pace.progress(this.#outcomes.count, this.#outcomes.failed));
      },
    });
  }

  #playedBy(tasks: readonly Task[]): number {
    return tasks.reduce((sum, { fold }) => sum + (this.#played[fold] ?? 0), 0);
  }

  /** What these tasks play, as far as it fits into the memory; null where workers stream. */
  async #share(tasks: readonly Task[]): Promise<readonly SharedMarket[] | null> {
    if (this.#planned.data.isStreamed) return null;
    const folds = new Set(tasks.map(({ fold }) => fold));
    const ids = new Set(
      this.#planned.events.flatMap(({ fold, conditionIds }) => (folds.has(fold) ? conditionIds : [])),
    );
    const recordings = this.#planned.recordings.filter(({ market }) => ids.has(market.conditionId));
    return shareMarkets(recordings, this.#planned.data, this.#plan.memoryBytes, (done) => {
      this.#watcher.progress({ phase: 'reading', done, all: recordings.length, ...NOTHING_PLAYED });
    });
  }

  #setup(shared: readonly SharedMarket[] | null): Omit<WorkerSetup, 'stop'> {
    const {
      source,
      config,
      paths,
      search,
      latency,
      seed,
      repeat,
      landingMs,
      fees,
      feeCurve = null,
      allMarkets,
      feedData,
    } = this.#plan;
    return {
      source,
      configHash: config.configHash,
      settings: {
        axes: search.axes,
        latency,
        seed,
        repeat,
        landingMs,
        fees,
        feeCurve,
        allMarkets,
        events: this.#planned.events,
        ...(feedData === undefined ? {} : { feedData }),
      },
      data: shared === null ? { kind: 'streamed', paths } : { kind: 'shared', markets: shared },
    };
  }

  result(): SweepResult {
    const plan = this.#plan;
    const { candidates } = plan.search;
    const { tried } = this.#store;
    const events = this.#planned.events;
    const { models, configurations, trials } = judge(candidates, events, plan.fillModels, this.#outcomes, tried);
    const done = configurations.filter(({ status }) => status === 'done');
    const failed = configurations.filter(({ status }) => status === 'failed').length;
    const counts = {
      configurations: configurations.length,
      done: done.length,
      failed,
      unfinished: configurations.length - done.length - failed,
      tried,
      flipping: done.filter(({ signFlips }) => signFlips).length,
      events: events.length,
    };
    const chosenFrom = candidates.filter((candidate) => this.#outcomes.statusOf(candidate).status === 'done');
    const question = { candidates: chosenFrom, events, fillModels: plan.fillModels, outcomes: this.#outcomes, trials };
    const facts: NoteFacts = {
      subject: 'recordings',
      data: this.#planned.data,
      counts,
      best: done[0] ?? null,
      search: plan.search,
      folds: this.#planned.folds,
    };
    return {
      format: 1,
      subject: 'recordings',
      title: this.#planned.whole.title,
      assumptions: this.#assumptions(),
      search: { kind: plan.search.kind, axes: plan.search.axes, leftOut: plan.search.leftOut },
      counts,
      events,
      models,
      configurations,
      walkForward: counts.unfinished > 0 ? null : walkForward({ ...question, embargoMs: plan.embargoMs }),
      fresh: null,
      notes: notesOf(facts),
    };
  }

  #assumptions(): SweepResult['assumptions'] {
    const { config, seed, repeat, fillModels, embargoMs } = this.#plan;
    return {
      version: this.#planned.whole.trader.version,
      configHash: config.configHash,
      dataHash: this.#planned.data.hash,
      seed,
      repeat,
      fillModels,
      embargoMs,
      latency: latencyName(this.#plan),
      folds: this.#planned.folds,
      data: this.#planned.whole.data,
    };
  }
}

const NOTHING_PLAYED = { failed: 0, events: 0, eventsPerS: null, leftMs: null } as const;

/** Configurations in their order: what is done first is what a user looks at who stops early. */
function tasksOf({ search, fillModels }: SweepPlan, events: readonly SweptEvent[]): readonly Task[] {
  const folds = Array.from({ length: foldCount(events) }, (_, fold) => fold);
  return search.candidates.flatMap((candidate) =>
    folds.flatMap((fold) => fillModels.map((name) => ({ candidate, fold, fillModel: name }))),
  );
}
