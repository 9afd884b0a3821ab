/**
 * A sweep: one strategy, many parameters, the same recordings. Every configuration is backtested on every fold of events
 * under every fill model, on as many threads as there are cores; what comes of it is ranked, and the ranking is judged by
 * how many were tried.
 *
 * It never shows a figure that few events cannot carry, never forgets a configuration that was tried, and gives the same
 * tables and the same database however many threads did the work. It reads no clock: its caller hands one in.
 */

import { fillModel } from '../../exchange/core/matching/fill-model.js';
import type { BacktestPlan } from '../backtest/contract.js';
import { modelOfChoice } from '../backtest/latency-choice.js';
import { planOf } from '../backtest/plan.js';
import { streamRecording } from '../backtest/sources.js';
import type { SweepPlan, SweepResult, SweepWatcher, SweptEvent, Task } from './contract.js';
import { foldCount, foldsOf } from './folds.js';
import { identityOf, latencyName } from './identity.js';
import { judge } from './judge.js';
import { type NoteFacts, notesOf } from './notes.js';
import { Pace } from './pace.js';
import { runTasks } from './pool.js';
import { type ReadData, readAll } from './reading.js';
import { Outcomes } from './results/outcomes.js';
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
  /** What a single backtest of everything would be: titles and lines of data. */
  readonly #whole: BacktestPlan;
  readonly #data: ReadData;
  readonly #events: readonly SweptEvent[];
  readonly #outcomes: Outcomes;

  private constructor(
    plan: SweepPlan,
    watcher: SweepWatcher,
    store: SweepStore,
    whole: BacktestPlan,
    data: ReadData,
    events: readonly SweptEvent[],
  ) {
    this.#plan = plan;
    this.#watcher = watcher;
    this.#store = store;
    this.#whole = whole;
    this.#data = data;
    this.#events = events;
    this.#outcomes = new Outcomes(foldCount(events), plan.fillModels);
  }

  static async prepare(plan: SweepPlan, watcher: SweepWatcher, store: SweepStore): Promise<Sweep> {
    const whole = wholePlan(plan);
    const selected = new Set(whole.sources.map(({ market }) => market.conditionId));
    const recordings = plan.recordings.filter(({ market }) => selected.has(market.conditionId));
    const data = await readAll(recordings, plan.memoryBytes, (done) => {
      watcher.progress({ phase: 'reading', done, all: recordings.length, ...NOTHING_PLAYED });
    });
    if (data.shared === null) watcher.say('The recordings do not fit into --memory: each worker streams them itself.');
    return new Sweep(plan, watcher, store, whole, data, foldsOf(data.markets, plan.folds));
  }

  /** False when it was stopped. */
  async run(): Promise<boolean> {
    const plan = this.#plan;
    const events = this.#events;
    const stored = this.#store.begin({
      identity: identityOf(plan, this.#data.hash, foldCount(events)),
      title: this.#whole.title,
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
    return runTasks({
      tasks,
      workers: plan.workers,
      program: { name: './worker', from: import.meta.url },
      setup: this.#setup(),
      readsFiles: this.#data.shared === null,
      stopAsked: this.#watcher.stopAsked,
      done: (task, outcome) => {
        this.#outcomes.set({ ...task, number: task.candidate.number }, outcome);
        this.#store.write(task, outcome, indicesIn(events, task.fold));
        pace.played(this.#playedBy([task]));
        this.#watcher.progress(pace.progress(this.#outcomes.count, this.#outcomes.failed));
      },
    });
  }

  #playedBy(tasks: readonly Task[]): number {
    const byFold = new Map<number, number>();
    for (const { fold, played } of this.#events) byFold.set(fold, (byFold.get(fold) ?? 0) + played);
    return tasks.reduce((sum, { fold }) => sum + (byFold.get(fold) ?? 0), 0);
  }

  #setup(): Omit<WorkerSetup, 'stop'> {
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
    const { shared } = this.#data;
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
        events: this.#events,
        ...(feedData === undefined ? {} : { feedData }),
      },
      data: shared === null ? { kind: 'streamed', paths } : { kind: 'shared', markets: shared },
    };
  }

  result(): SweepResult {
    const plan = this.#plan;
    const { candidates } = plan.search;
    const { tried } = this.#store;
    const events = this.#events;
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
      data: this.#data,
      counts,
      best: done[0] ?? null,
      search: plan.search,
      folds: foldCount(events),
    };
    return {
      format: 1,
      subject: 'recordings',
      title: this.#whole.title,
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
      version: this.#whole.trader.version,
      configHash: config.configHash,
      dataHash: this.#data.hash,
      seed,
      repeat,
      fillModels,
      embargoMs,
      latency: latencyName(this.#plan),
      folds: foldCount(this.#events),
      data: this.#whole.data,
    };
  }
}

const NOTHING_PLAYED = { failed: 0, events: 0, eventsPerS: null, leftMs: null } as const;

/** Also finds out that no strategy selects anything, and that a fill model is unknown, before anything is read. */
function wholePlan({ config, recordings, fillModels, latency, ...options }: SweepPlan): BacktestPlan {
  for (const name of fillModels) fillModel(name);
  const { seed, landingMs, fees, allMarkets, feedData } = options;
  return planOf(config, recordings.map(streamRecording), {
    fillModel: fillModels[0] ?? '',
    latency: modelOfChoice(latency, seed),
    seed,
    landingMs,
    fees,
    allMarkets,
    feedData,
  });
}

/** Configurations in their order: what is done first is what a user looks at who stops early. */
function tasksOf({ search, fillModels }: SweepPlan, events: readonly SweptEvent[]): readonly Task[] {
  const folds = Array.from({ length: foldCount(events) }, (_, fold) => fold);
  return search.candidates.flatMap((candidate) =>
    folds.flatMap((fold) => fillModels.map((name) => ({ candidate, fold, fillModel: name }))),
  );
}

const indicesIn = (events: readonly SweptEvent[], fold: number): readonly number[] =>
  events.flatMap((event, index) => (event.fold === fold ? [index] : []));
