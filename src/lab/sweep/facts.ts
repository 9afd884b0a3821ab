/** Facts of a sweep before its first backtest: its markets, folds, and the context of its result. */

import { createHash } from 'node:crypto';
import { fillModel } from '../../exchange/core/matching/fill-model.js';
import type { RecordedMarket, Recording } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { LatencyModel } from '../backtest/latency.js';
import { makePlan } from '../backtest/plan.js';
import { streamRecording } from '../backtest/replay-driver.js';
import { groupBy } from '../report/analysis/split.js';
import {
  type Candidate,
  LEAST_EVENTS_PER_FOLD,
  type Search,
  type SweepAssumptions,
  type SweepPlan,
  type SweepSubject,
  type SweepWatcher,
  type SweptEvent,
  type Task,
  type TaskOutcome,
  USUAL_FOLDS,
} from './contract.js';
import { hashValue, makeIdentity, type SweepIdentity } from './search.js';

export interface PlannedMarket {
  readonly market: RecordedMarket;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly events: number;
  /** Lower-case hex SHA-256 of the market as played, wherever its files are. */
  readonly hash: string;
}

type PlannedData = Awaited<ReturnType<typeof planData>>;

/**
 * Returns spans, sizes and a fingerprint of the recordings. Reads only recordings whose manifests lack these facts.
 * Throws TwinbookError `recording_invalid` when nothing is left to play, and errors of the recordings.
 */
export async function planData(recordings: readonly Recording[], progress: (done: number) => void = () => undefined) {
  const markets: PlannedMarket[] = [];
  const empty: RecordedMarket[] = [];
  for (const [index, recording] of recordings.entries()) {
    const { market } = recording;
    const { firstMs, lastMs, events, hash } = toldBy(recording) ?? (await readOne(recording));
    const { source: _place, ...described } = market;
    if (firstMs === null || lastMs === null) empty.push(market);
    else markets.push({ market, firstMs, lastMs, events, hash: hashValue({ described, hash }) });
    progress(index + 1);
  }
  if (markets.length === 0) {
    const hint = 'Look at them with `twinbook data stats`.';
    throw new TwinbookError('recording_invalid', 'there is not one event in these recordings', hint);
  }
  return { markets, hash: hashValue(markets.map(({ hash }) => hash)), empty };
}

/** A recording's own summary; null when it must be read. */
function toldBy({ fingerprint, summary }: Recording) {
  if (fingerprint === undefined || summary === undefined) return null;
  const { level, trade, clear, end } = summary.events;
  // A market without a recorded close is closed by its player.
  const events = level + trade + clear + Math.max(1, end);
  return { events, firstMs: summary.firstMs, lastMs: summary.lastMs, hash: fingerprint };
}

const COLUMNS = ['timeMs', 'amountMicros', 'priceMicros', 'kind', 'side'] as const;

/** The hash covers all events, column by column, and does not depend on their chunks. */
async function readOne(recording: Recording): Promise<NonNullable<ReturnType<typeof toldBy>>> {
  const hashes = COLUMNS.map((name) => ({ name, hash: createHash('sha256') }));
  let events = 0;
  let firstMs: number | null = null;
  let lastMs: number | null = null;
  for await (const chunk of recording.chunks()) {
    if (chunk.length === 0) continue;
    events += chunk.length;
    firstMs ??= chunk.timeMs[0] ?? null;
    lastMs = chunk.timeMs[chunk.length - 1] ?? null;
    for (const { name, hash } of hashes) hash.update(chunk[name].subarray(0, chunk.length));
  }
  return { events, firstMs, lastMs, hash: hashValue(hashes.map(({ hash }) => hash.digest('hex'))) };
}

/**
 * Events in order of their beginning, in consecutive folds of about equal size. An event resolves at once, so it is never
 * cut: all its markets are in one fold.
 *
 * @param wish null: by the number of events
 *
 * Throws TwinbookError `usage` for too many.
 */
export function assignFolds(markets: readonly PlannedMarket[], wish: number | null): readonly SweptEvent[] {
  const events = groupEvents(markets);
  const usual = Math.max(1, Math.min(USUAL_FOLDS, Math.floor(events.length / LEAST_EVENTS_PER_FOLD)));
  const folds = wish ?? usual;
  if (folds > events.length) {
    const hint = 'An event is never cut: every fold needs at least one. Leave --folds out to have as many as possible.';
    throw new TwinbookError('usage', `${folds} folds of ${events.length} events`, hint);
  }
  return events.map((event, index) => ({ ...event, fold: Math.floor((index * folds) / events.length) }));
}

export const foldCount = (events: readonly SweptEvent[]): number => (events.at(-1)?.fold ?? 0) + 1;

export const eventsIn = (events: readonly SweptEvent[], fold: number): readonly SweptEvent[] =>
  events.filter((event) => event.fold === fold);

function groupEvents(markets: readonly PlannedMarket[]): readonly Omit<SweptEvent, 'fold'>[] {
  // A market without an event's name is its own event, as in the report.
  const byTitle = groupBy(markets, ({ market: { eventTitle, conditionId } }) => eventTitle || conditionId);
  const events = [...byTitle].map(([title, together]) => ({
    title,
    conditionIds: together.map(({ market }) => market.conditionId),
    fromMs: Math.min(...together.map(({ firstMs }) => firstMs)),
    toMs: Math.max(...together.map(({ lastMs }) => lastMs)),
    played: together.reduce((sum, { events: count }) => sum + count, 0),
  }));
  return events.sort((a, b) => a.fromMs - b.fromMs || (a.title < b.title ? -1 : 1));
}

/** Training events at a fold's beginning, and those that had not ended. */
export function trainingFor(
  events: readonly SweptEvent[],
  fold: number,
  embargoMs: number,
): { readonly learned: readonly number[]; readonly purged: readonly number[] } {
  const beginsMs = Math.min(...eventsIn(events, fold).map(({ fromMs }) => fromMs));
  const [learned, purged]: [number[], number[]] = [[], []];
  events.forEach((event, index) => {
    if (event.fold < fold) (event.toMs + embargoMs <= beginsMs ? learned : purged).push(index);
  });
  return { learned, purged };
}

export interface SweepFacts {
  readonly subject: SweepSubject;
  readonly identity: SweepIdentity;
  readonly title: string;
  readonly search: Search;
  /** Fill models from the most pessimistic. */
  readonly fillModels: readonly string[];
  readonly events: readonly SweptEvent[];
  readonly assumptions: SweepAssumptions;
  readonly data: Pick<PlannedData, 'markets' | 'empty'>;
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
  const { search, fillModels, embargoMs, config, latency, seed, landingMs, fees, allMarkets } = plan;
  for (const name of fillModels) fillModel(name);
  const sources = plan.recordings.map((recording) => streamRecording(recording));
  const model = new LatencyModel(latency, seed);
  const options = { fillModel: fillModels[0] ?? '', latency: model, seed, landingMs, fees, allMarkets };
  // A single backtest over everything.
  const whole = makePlan(config, sources, options);
  const selected = new Set(whole.sources.map(({ market }) => market.conditionId));
  const recordings = plan.recordings.filter(({ market }) => selected.has(market.conditionId));
  const data = await planData(recordings, (done) => progress(done, recordings.length));
  const events = assignFolds(data.markets, plan.folds);
  const folds = foldCount(events);
  const assumptions: SweepAssumptions = {
    version: whole.trader.version,
    configHash: config.configHash,
    dataHash: data.hash,
    seed,
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
    data,
  };
  return { plan, recordings, data, facts };
}

/** Lists configurations in order: users who stop early see results of the first configurations. */
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
  /** Returns the stored outcome of a task; undefined without an outcome. */
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
