/** Facts of a sweep before its first backtest: its markets, folds, and the context of its result. */

import { createHash } from 'node:crypto';
import { fillModel } from '../../exchange/core/matching/fill-model.js';
import { type EventChunk, gapsIn, type RecordedMarket, type Recording } from '../../recording/contract.js';
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

/** Large enough for low overhead, small enough that the last one wastes little. */
export const SLAB_EVENTS = 65_536;
export const BYTES_PER_EVENT = 22;

/** `length` decoded events in memory shared by threads: times and amounts, then prices, then kinds and sides. */
export interface Slab {
  readonly length: number;
  readonly bytes: SharedArrayBuffer;
}

/** A slab as columns for a backtest; nothing is copied. */
export function viewColumns({ length, bytes }: Slab): EventChunk {
  return {
    length,
    timeMs: new Float64Array(bytes, 0, length),
    amountMicros: new Float64Array(bytes, 8 * length, length),
    priceMicros: new Int32Array(bytes, 16 * length, length),
    kind: new Uint8Array(bytes, 20 * length, length),
    side: new Uint8Array(bytes, 21 * length, length),
  };
}

export type ReadEvents = ReturnType<SlabWriter['end']>;

/** Bytes of decoded data that may still be kept, over all recordings. Once exceeded, nothing more is kept. */
export interface Room {
  leftBytes: number;
}

/** Collects one recording's chunks into slabs while there is room. */
export class SlabWriter {
  readonly #hash = createHash('sha256');
  readonly #room: Room;
  #slabs: Slab[] | null = [];
  #open = viewColumns(newSlab(SLAB_EVENTS));
  #at = 0;
  #events = 0;
  #firstMs: number | null = null;
  #lastMs: number | null = null;

  constructor(room: Room) {
    this.#room = room;
  }

  write(chunk: EventChunk): void {
    if (chunk.length === 0) return;
    this.#firstMs ??= chunk.timeMs[0] ?? null;
    this.#lastMs = chunk.timeMs[chunk.length - 1] ?? null;
    for (let from = 0; from < chunk.length; ) {
      const count = Math.min(chunk.length - from, SLAB_EVENTS - this.#at);
      copy(this.#open, this.#at, chunk, from, from + count);
      from += count;
      this.#at += count;
      if (this.#at === SLAB_EVENTS) this.#close();
    }
  }

  end() {
    if (this.#at > 0) this.#close();
    const [events, firstMs, lastMs] = [this.#events, this.#firstMs, this.#lastMs];
    return {
      events,
      firstMs,
      lastMs,
      /** Lower-case hex SHA-256 over all events, independent of their chunks. */
      hash: this.#hash.digest('hex'),
      slabs: this.#room.leftBytes < 0 ? null : this.#slabs,
    };
  }

  #close(): void {
    const length = this.#at;
    this.#at = 0;
    this.#events += length;
    const slab = newSlab(length);
    const columns = viewColumns(slab);
    copy(columns, 0, this.#open, 0, length);
    this.#hash.update(new Uint8Array(slab.bytes));
    this.#room.leftBytes -= slab.bytes.byteLength;
    if (this.#room.leftBytes < 0) this.#slabs = null;
    this.#slabs?.push(slab);
  }
}

const newSlab = (length: number): Slab => ({ length, bytes: new SharedArrayBuffer(length * BYTES_PER_EVENT) });

function copy(to: EventChunk, at: number, from: EventChunk, start: number, end: number): void {
  to.timeMs.set(from.timeMs.subarray(start, end), at);
  to.amountMicros.set(from.amountMicros.subarray(start, end), at);
  to.priceMicros.set(from.priceMicros.subarray(start, end), at);
  to.kind.set(from.kind.subarray(start, end), at);
  to.side.set(from.side.subarray(start, end), at);
}

/** One market for a worker. Plain data, except for the shared bytes. */
export type SharedMarket = ReturnType<typeof sharedMarket>;

export interface PlannedMarket {
  readonly market: RecordedMarket;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly events: number;
  /** Lower-case hex SHA-256: of its events, or of the checksums of its files. */
  readonly hash: string;
}

export type PlannedData = Awaited<ReturnType<typeof planData>>;

/**
 * Spans, sizes and a fingerprint of the recordings. Only recordings whose manifests lack them are read, once; what fits
 * into the memory is kept for the workers to share. Throws TwinbookError `recording_invalid` when nothing is left to
 * play, and errors of the recordings.
 */
export async function planData(
  recordings: readonly Recording[],
  memoryBytes: number,
  progress: (done: number) => void,
) {
  const room = { leftBytes: memoryBytes };
  const markets: PlannedMarket[] = [];
  const empty: RecordedMarket[] = [];
  const read = new Map<string, SharedMarket>();
  for (const [index, recording] of recordings.entries()) {
    const { market } = recording;
    const { slabs, firstMs, lastMs, ...told } = toldBy(recording) ?? (await readOne(recording, room));
    if (slabs !== null) read.set(market.conditionId, sharedMarket(recording, slabs));
    if (firstMs === null || lastMs === null) empty.push(market);
    else markets.push({ ...told, market, firstMs, lastMs });
    progress(index + 1);
  }
  if (markets.length === 0) {
    const hint = 'Look at them with `twinbook data stats`.';
    throw new TwinbookError('recording_invalid', 'there is not one event in these recordings', hint);
  }
  const bytes = markets.reduce((sum, { events }) => sum + events * BYTES_PER_EVENT, 0);
  // Each worker then streams the files.
  const isStreamed = room.leftBytes < 0 || bytes > memoryBytes;
  return {
    markets,
    isStreamed,
    // Of everything that a result depends on, without the paths of files.
    hash: hashValue(markets.map(identityOfMarket)),
    empty,
    read: isStreamed ? new Map<string, SharedMarket>() : read,
  };
}

/**
 * Events of these recordings in memory shared by threads; null when they do not fit, as for a file that begins in
 * mid-book, whose snapshot is played too.
 */
export async function shareMarkets(
  recordings: readonly Recording[],
  { read }: Pick<PlannedData, 'read'>,
  memoryBytes: number,
  progress: (done: number) => void,
): Promise<readonly SharedMarket[] | null> {
  const room = { leftBytes: memoryBytes };
  for (const { slabs } of read.values()) for (const { bytes } of slabs) room.leftBytes -= bytes.byteLength;
  const shared: SharedMarket[] = [];
  for (const [index, recording] of recordings.entries()) {
    const known = read.get(recording.market.conditionId);
    const slabs = known === undefined ? (await readOne(recording, room)).slabs : known.slabs;
    if (slabs === null) return null;
    shared.push(known ?? sharedMarket(recording, slabs));
    progress(index + 1);
  }
  return shared;
}

/** Its gaps are known after it was read. */
const sharedMarket = (recording: Recording, slabs: readonly Slab[]) => ({
  market: recording.market,
  summary: recording.summary ?? null,
  slabs,
  gaps: gapsIn(recording),
});

/** A recording's own summary; null when it must be read. */
function toldBy({ fingerprint, summary }: Recording): ReadEvents | null {
  if (fingerprint === undefined || summary === undefined) return null;
  const { level, trade, clear, end } = summary.events;
  // A market without a recorded close is closed by its player.
  const events = level + trade + clear + Math.max(1, end);
  return { events, firstMs: summary.firstMs, lastMs: summary.lastMs, hash: fingerprint, slabs: null };
}

async function readOne(recording: Recording, room: Room): Promise<ReadEvents> {
  const writer = new SlabWriter(room);
  for await (const chunk of recording.chunks()) writer.write(chunk);
  return writer.end();
}

/** Lower-case hex SHA-256 of one market as played, wherever its files are. */
export const marketHash = (market: PlannedMarket): string => hashValue(identityOfMarket(market));

function identityOfMarket({ market, hash }: PlannedMarket) {
  const { source: _place, ...described } = market;
  return { described, hash };
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
  /** From the most pessimistic. */
  readonly fillModels: readonly string[];
  readonly events: readonly SweptEvent[];
  readonly assumptions: SweepAssumptions;
  readonly data: Pick<PlannedData, 'markets' | 'empty' | 'isStreamed'>;
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
  const model = new LatencyModel(latency, seed);
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
