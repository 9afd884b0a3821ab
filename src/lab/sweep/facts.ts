/** Facts of a sweep before its first backtest: its markets, folds, and the context of its result. */

import { fillModel } from '../../exchange/core/matching/fill-model.js';
import { modelOfChoice } from '../backtest/latency.js';
import { makePlan } from '../backtest/plan.js';
import { streamRecording } from '../backtest/sources.js';
import type {
  Candidate,
  Search,
  SweepAssumptions,
  SweepPlan,
  SweepSubject,
  SweepWatcher,
  SweptEvent,
  Task,
  TaskOutcome,
} from './contract.js';
import { assignFolds, foldCount } from './folds.js';
import { makeIdentity, type SweepIdentity } from './identity.js';
import type { NoteFacts } from './notes.js';
import { planData } from './reading.js';

export interface SweepFacts {
  readonly subject: SweepSubject;
  readonly identity: SweepIdentity;
  readonly title: string;
  readonly search: Search;
  /** From the most pessimistic. */
  readonly fillModels: readonly string[];
  readonly events: readonly SweptEvent[];
  readonly assumptions: SweepAssumptions;
  readonly data: NoteFacts['data'];
}

/** A sweep over recordings, ready to begin. */
export type PlannedSweep = Awaited<ReturnType<typeof planSweep>>;

/**
 * Recordings with a summary are not read. Throws TwinbookError when the sweep cannot begin: a strategy that selects
 * nothing and an unknown fill model are found before any read.
 *
 * @param progress called with the number of known recordings, and of all
 */
export async function planSweep(plan: SweepPlan, progress: (done: number, all: number) => void = () => undefined) {
  const { search, fillModels, embargoMs, config, latency, seed, repeat, landingMs, fees, allMarkets } = plan;
  for (const name of fillModels) fillModel(name);
  const sources = plan.recordings.map((recording) => streamRecording(recording));
  const model = modelOfChoice(latency, seed);
  const options = { fillModel: fillModels[0] ?? '', latency: model, seed, landingMs, fees, allMarkets };
  // A single backtest over everything.
  const whole = makePlan(config, sources, options);
  const selected = new Set(whole.sources.map(({ market }) => market.conditionId));
  const recordings = plan.recordings.filter(({ market }) => selected.has(market.conditionId));
  const data = await planData(recordings, plan.memoryBytes, (done) => progress(done, recordings.length));
  const events = assignFolds(data.markets, plan.folds);
  const folds = foldCount(events);
  const { markets, empty, isStreamed } = data;
  const assumptions: SweepAssumptions = {
    version: whole.trader.version,
    configHash: config.configHash,
    dataHash: data.hash,
    seed,
    repeat,
    fillModels,
    embargoMs,
    latency: model.name,
    folds,
    data: whole.data,
  };
  const facts: SweepFacts = {
    subject: 'recordings',
    identity: makeIdentity(plan, assumptions),
    title: whole.title,
    search,
    fillModels,
    events,
    assumptions,
    data: { markets, empty, isStreamed },
  };
  return { plan, recordings, data, facts };
}

/** Configurations in order: users who stop early look at the first ones. */
export const listTasks = (
  candidates: readonly Candidate[],
  folds: number,
  fillModels: readonly string[],
): readonly Task[] =>
  candidates.flatMap((candidate) =>
    Array.from({ length: folds }, (_, fold) => fillModels.map((fillModel) => ({ candidate, fold, fillModel }))).flat(),
  );

/** Backtests for an engine, and the storage of their outcomes. */
export interface TaskWork {
  /** Backtests to do, in the order of `listTasks`. */
  readonly tasks: readonly Task[];
  /** Stored outcome of a task; undefined without one. */
  readonly known: (task: Task) => TaskOutcome | undefined;
  /** Stores an outcome, once per task. An error ends the sweep. */
  readonly done: (task: Task, outcome: TaskOutcome) => void;
}

export interface EngineWork extends PlannedSweep, TaskWork {
  readonly watcher: SweepWatcher;
}

/**
 * Runs the backtests of a sweep: threads of this process, or workers behind a queue. Resolves with true when every task
 * has ended, with false when it was stopped before.
 */
export type SweepEngine = (work: EngineWork) => Promise<boolean>;

export const NOTHING_PLAYED = { failed: 0, events: 0, eventsPerS: null, leftMs: null } as const;
