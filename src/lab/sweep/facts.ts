/** What a sweep knows before its first backtest: which markets it plays, in which folds, and what its result needs beside the outcomes. */

import { fillModel } from '../../exchange/core/matching/fill-model.js';
import type { Recording } from '../../recording/contract.js';
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
import { type PlannedData, planData } from './reading.js';

/** Plain data. */
export interface SweepFacts {
  readonly subject: SweepSubject;
  readonly identity: SweepIdentity;
  readonly title: string;
  readonly search: Search;
  /** From the most pessimistic. */
  readonly fillModels: readonly string[];
  /** In order of time. */
  readonly events: readonly SweptEvent[];
  readonly embargoMs: number;
  readonly assumptions: SweepAssumptions;
  readonly data: NoteFacts['data'];
}

/** A sweep over recordings that may begin. */
export interface PlannedSweep {
  readonly plan: SweepPlan;
  /** Of the markets that are played. */
  readonly recordings: readonly Recording[];
  readonly data: PlannedData;
  readonly facts: SweepFacts;
}

/**
 * Reads nothing of recordings that know themselves. Throws TwinbookError for whatever keeps the sweep from beginning: a
 * strategy that selects nothing and an unknown fill model are found out before anything is read.
 *
 * @param progress told how many recordings are known, of how many
 */
export async function planSweep(
  plan: SweepPlan,
  progress: (done: number, all: number) => void = () => undefined,
): Promise<PlannedSweep> {
  const { search, fillModels, embargoMs, config, latency, seed, repeat, landingMs, fees, allMarkets } = plan;
  for (const name of fillModels) fillModel(name);
  const sources = plan.recordings.map((recording) => streamRecording(recording));
  const model = modelOfChoice(latency, seed);
  const options = { fillModel: fillModels[0] ?? '', latency: model, seed, landingMs, fees, allMarkets };
  // What a single backtest of everything would be.
  const whole = makePlan(config, sources, options);
  const selected = new Set(whole.sources.map(({ market }) => market.conditionId));
  const recordings = plan.recordings.filter(({ market }) => selected.has(market.conditionId));
  const data = await planData(recordings, plan.memoryBytes, (done) => progress(done, recordings.length));
  const events = assignFolds(data.markets, plan.folds);
  const folds = foldCount(events);
  const { markets, empty, isStreamed } = data;
  const facts: SweepFacts = {
    subject: 'recordings',
    identity: makeIdentity(plan, data.hash, folds),
    title: whole.title,
    search,
    fillModels,
    events,
    embargoMs,
    assumptions: {
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
    },
    data: { markets, empty, isStreamed },
  };
  return { plan, recordings, data, facts };
}

/** Configurations in their order: what is done first is what a user looks at who stops early. */
export const listTasks = (
  candidates: readonly Candidate[],
  folds: number,
  fillModels: readonly string[],
): readonly Task[] =>
  candidates.flatMap((candidate) =>
    Array.from({ length: folds }, (_, fold) => fillModels.map((fillModel) => ({ candidate, fold, fillModel }))).flat(),
  );

/** Backtests that an engine is to run, and where it leaves them. */
export interface TaskWork {
  /** Backtests that are not done yet, in the order of `listTasks`. */
  readonly tasks: readonly Task[];
  /** The stored outcome of a task; undefined if there is none. */
  readonly known: (task: Task) => TaskOutcome | undefined;
  /** Stores an outcome, once for each task. An error of it ends the sweep. */
  readonly done: (task: Task, outcome: TaskOutcome) => void;
}

export interface EngineWork extends PlannedSweep, TaskWork {
  readonly watcher: SweepWatcher;
}

/**
 * What runs the backtests of a sweep: threads of this process, or workers behind a queue. Resolves with true when every task
 * has ended, with false when it was asked to stop before.
 */
export type SweepEngine = (work: EngineWork) => Promise<boolean>;

export const NOTHING_PLAYED = { failed: 0, events: 0, eventsPerS: null, leftMs: null } as const;
