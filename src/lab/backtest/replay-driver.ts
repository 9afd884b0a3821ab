/** Plays the recorded markets of a backtest, each only up to the time at which the trader reads it. */

import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { MarketIndex } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import { type FillModel, fillModel } from '../../exchange/core/matching/fill-model.js';
import { ReplayMarket } from '../../exchange/crowd/replay-market.js';
import {
  EVENT,
  type EventChunk,
  gapsIn,
  type RecordedMarket,
  type Recording,
  type RecordingSummary,
  toldCloseMs,
} from '../../recording/contract.js';
import { openRecordings } from '../../recording/recording.js';
import { assert, must, TwinbookError } from '../../shared/base/errors.js';
import type { BacktestPlan, ChunkStream, EventSource, MarketDriver, MarketListener, Played } from './contract.js';

/** Returns the fill models with canonical names. Throws TwinbookError `usage` for an unknown or repeated model. */
export function checkFillModels<Choice extends string | FillModel>(choices: readonly Choice[]): readonly Choice[] {
  const known = choices.map((choice) => (typeof choice === 'string' ? (fillModel(choice).name as Choice) : choice));
  const names = known.map((choice) => (typeof choice === 'string' ? choice : choice.name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return known;
  throw new TwinbookError('usage', `the fill model ${twice} is named twice`, 'Name each fill model once.');
}

/** `once`: true for a single run, which keeps no played data. `isStopped`: if it returns true, the next read throws. */
export async function openSources(
  paths: readonly string[],
  { once = false, isStopped }: { readonly once?: boolean; readonly isStopped?: () => boolean } = {},
) {
  const recordings = await openRecordings(paths);
  const shared = { events: 0 };
  const sources = recordings.map((each) => (once ? streamRecording(each) : keepInMemory(each, shared, isStopped)));
  return { recordings, sources };
}

/** Reads one chunk ahead. A worker thread waits for each read, because a thread must not end during a read. */
export const streamRecording = (recording: Recording, isStopped: () => boolean = () => false): EventSource => ({
  market: recording.market,
  firstMs: recording.summary?.firstMs ?? null,
  readsAhead: isMainThread,
  summary: recording.summary ?? null,
  get gaps() {
    return gapsIn(recording);
  },
  get warnings() {
    // Warnings contain a recording's file name without its path, so that equal data gives equal reports in any folder.
    return recording.warnings.map(({ path, message }) => `${basename(path)}: ${message}`);
  },
  open: () => openFileStream(recording.chunks(), isStopped),
});

export const playFromMemory = (
  market: RecordedMarket,
  chunks: readonly EventChunk[],
  summary: RecordingSummary | null = null,
): EventSource => ({
  market,
  firstMs: chunks[0]?.timeMs[0] ?? null,
  summary,
  gaps: [],
  warnings: [],
  open: () => {
    let at = 0;
    return { next: () => chunks[at++] ?? null, close: () => undefined };
  },
});

/** Maximum number of events in memory, 22 bytes each. Sources beyond this limit are read again for each run. */
const KEPT_EVENTS = 4_000_000;

/** Keeps a source in memory for all runs. Sources with the same `shared` keep at most `KEPT_EVENTS` events together. */
export function keepInMemory(recording: Recording, shared: { events: number }, isStopped: () => boolean = () => false) {
  const streamed = streamRecording(recording, isStopped);
  let kept: Promise<EventSource | null> | null = null;
  const open = (): ChunkStream => {
    kept ??= trackRead(readWithin(recording, shared));
    const opened = kept.then((source) => (source ?? streamed).open());
    let stream: ChunkStream | null = null;
    let isClosed = false;
    const onOpened = (ready: ChunkStream) => {
      stream = ready;
      if (isClosed) ready.close();
    };
    // A read failure is ignored here, because `next` reports it.
    opened.then(onOpened, () => undefined);
    return {
      next: () => {
        if (isStopped()) throw new Error('reading of the recording was stopped');
        return stream === null ? opened.then((ready) => ready.next()) : stream.next();
      },
      close: () => {
        isClosed = true;
        stream?.close();
      },
    };
  };
  // A copy of the source would not have the gaps and warnings that are found while the recording is read.
  return Object.create(streamed, { open: { value: open } }) as EventSource;
}

async function readWithin(recording: Recording, shared: { events: number }): Promise<EventSource | null> {
  const told = Object.values(recording.summary?.events ?? {}).reduce((sum, count) => sum + count, 0);
  if (shared.events + told > KEPT_EVENTS) return null;
  const chunks: EventChunk[] = [];
  let isWhole = false;
  try {
    for await (const chunk of recording.chunks()) {
      chunks.push(chunk);
      shared.events += chunk.length;
      if (shared.events > KEPT_EVENTS) return null;
    }
    isWhole = true;
    return playFromMemory(recording.market, chunks);
  } catch (error) {
    if (error instanceof TwinbookError) return null;
    throw error;
  } finally {
    if (!isWhole) shared.events -= chunks.reduce((sum, { length }) => sum + length, 0);
  }
}

const underWay = new Set<Promise<unknown>>();

/** Resolves when all pending reads have ended. A thread that ends during a read crashes the whole process. */
export const waitForReads = (): Promise<unknown> => Promise.all(underWay);

function trackRead<T>(read: Promise<T>): Promise<T> {
  const ended = read.catch(() => undefined);
  underWay.add(ended);
  void ended.then(() => underWay.delete(ended));
  return read;
}

let isEnding = false;

/** Handles uncaught errors of a thread. The thread ends with the first error, after its pending reads have ended. */
export function endAfterReads(error: unknown): void {
  if (isEnding) return;
  isEnding = true;
  const end = () => {
    process.off('uncaughtException', endAfterReads);
    throw error;
  };
  void waitForReads().then(() => process.nextTick(end));
}

function openFileStream(chunks: AsyncIterable<EventChunk>, isStopped: () => boolean): ChunkStream {
  const iterator = chunks[Symbol.asyncIterator]();
  /** Chunk that was read ahead; undefined while the read runs, null at the end of the stream. */
  let ready: EventChunk | null | undefined;
  const read = (): Promise<EventChunk | null> => {
    if (isEnding) return new Promise(() => undefined);
    // A failed read must not end the process before a caller awaits the read.
    return trackRead(
      iterator.next().then((result) => {
        ready = result.done === true ? null : result.value;
        return ready;
      }),
    );
  };
  let ahead = read();
  const next = (): EventChunk | null | Promise<EventChunk | null> => {
    if (isStopped()) throw new Error('reading of the recording was stopped');
    if (ready === undefined) return ahead.then(next);
    const chunk = ready;
    ready = undefined;
    if (chunk === null) return null;
    ahead = read();
    // If reading ahead fails, the next call reports the error, after this chunk was played.
    const played = () => chunk;
    return isMainThread ? chunk : ahead.then(played, played);
  };
  const close = (): void => {
    const closed = iterator.return?.();
    if (closed !== undefined) void trackRead(closed);
  };
  return { next, close };
}

/** Maximum time from opening to first recorded event of a market that opens with an empty book, ms. */
const START_MS = 60_000;
/** Markets that open within this time open together, ms: a live trader would find all of them in its first market list. */
const TOGETHER_MS = 10_000;

type Listed = Pick<Played, 'source' | 'firstMs'> & { opensMs: number; stream: ChunkStream | null };

export class ReplayDriver implements MarketDriver {
  readonly untilMs: number;
  readonly #core: ExchangeCore;
  readonly #fees: BacktestPlan['fees'];
  readonly #listener: MarketListener;
  readonly #waiting: Listed[];
  readonly #open = new Map<MarketIndex, OpenMarket>();
  events = 0;
  lastClosedMs = Number.NEGATIVE_INFINITY;
  #nextEndMs = Number.POSITIVE_INFINITY;

  constructor(core: ExchangeCore, fees: BacktestPlan['fees'], waiting: Listed[], listener: MarketListener) {
    this.#core = core;
    this.#fees = fees;
    this.#waiting = waiting;
    this.untilMs = Math.max(...waiting.map(({ source }) => source.summary?.lastMs ?? source.market.closeTimeMs));
    this.#listener = listener;
    this.#readAhead();
  }

  static async prepare(core: ExchangeCore, plan: BacktestPlan, listener: MarketListener) {
    const waiting: Listed[] = [];
    const empty: EventSource[] = [];
    for (const source of plan.sources) {
      const firstMs = source.firstMs ?? (await firstEventMs(source));
      if (firstMs === null) {
        empty.push(source);
        continue;
      }
      const { openTimeMs } = source.market;
      // If a market opened long before its recording, its book is unknown until the first recorded event.
      const opensMs = firstMs - openTimeMs > START_MS ? firstMs : Math.min(firstMs, openTimeMs);
      waiting.push({ source, firstMs, opensMs, stream: null });
    }
    await waitForReads();
    waiting.sort((a, b) => a.opensMs - b.opensMs);
    let togetherMs = Number.POSITIVE_INFINITY;
    for (const market of waiting.toReversed()) {
      if (market.opensMs < togetherMs - TOGETHER_MS) togetherMs = market.opensMs;
      market.opensMs = togetherMs;
    }
    return { driver: new ReplayDriver(core, plan.fees, waiting, listener), empty };
  }

  get nextOpenMs(): number {
    return this.#waiting[0]?.opensMs ?? Number.POSITIVE_INFINITY;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get readUntilMs(): number {
    let untilMs = Number.POSITIVE_INFINITY;
    for (const market of this.#open.values()) untilMs = Math.min(untilMs, market.readUntilMs);
    return untilMs;
  }

  /** Reads until all events up to `untilMs` are known. No market is played past another market's next unread event. */
  async read(untilMs: number): Promise<void> {
    for (let next = this.#leastRead(); next !== null && next.readUntilMs <= untilMs; next = this.#leastRead()) {
      this.sync(next.index, next.readUntilMs);
      if (next.closedMs !== null) continue;
      await next.read();
      this.#nextEndMs = Math.min(this.#nextEndMs, next.endMs);
    }
  }

  #leastRead(): OpenMarket | null {
    let least: OpenMarket | null = null;
    for (const market of this.#open.values())
      if (least === null || market.readUntilMs < least.readUntilMs) least = market;
    return least;
  }

  async openDue(nowMs: number): Promise<void> {
    while (this.nextOpenMs <= nowMs) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const market = new OpenMarket(this.#core, next, this.#fees, nowMs, this.#listener);
      this.#open.set(market.index, market);
      this.#listener.onOpen(market);
      await market.read();
      this.#nextEndMs = Math.min(this.#nextEndMs, market.endMs);
    }
    this.#readAhead();
  }

  #readAhead(): void {
    const next = this.#waiting[0];
    if (next?.source.readsAhead === true) next.stream ??= next.source.open();
  }

  sync(index: MarketIndex, nowMs: number): void {
    if (this.#nextEndMs <= nowMs) this.#endDue(nowMs);
    const market = this.#open.get(index);
    if (market !== undefined) this.#play(market, nowMs);
  }

  syncAll(nowMs: number): void {
    if (this.#nextEndMs <= nowMs) this.#endDue(nowMs);
    for (const market of this.#open.values()) this.#play(market, nowMs);
  }

  /** Closes each market at the time of its own end, so that a later merge finds the market closed. */
  #endDue(nowMs: number): void {
    while (this.#nextEndMs <= nowMs) {
      const endMs = this.#nextEndMs;
      this.#nextEndMs = Number.POSITIVE_INFINITY;
      for (const market of this.#open.values()) {
        if (market.endMs === endMs) this.#play(market, endMs);
        else this.#nextEndMs = Math.min(this.#nextEndMs, market.endMs);
      }
    }
  }

  #play(market: OpenMarket, nowMs: number): void {
    this.events += market.play(nowMs);
    if (market.closedMs === null) return;
    this.#open.delete(market.index);
    this.lastClosedMs = nowMs;
    this.#listener.onClose(market, nowMs);
  }

  close(): void {
    for (const market of this.#open.values()) market.dispose();
    for (const { stream } of this.#waiting) stream?.close();
  }
}

async function firstEventMs(source: EventSource): Promise<number | null> {
  const stream = source.open();
  try {
    return (await stream.next())?.timeMs[0] ?? null;
  } finally {
    stream.close();
  }
}

class OpenMarket implements Played {
  readonly source: EventSource;
  readonly index: MarketIndex;
  readonly openedMs: number;
  readonly firstMs: number;
  closedMs: number | null = null;
  events = 0;
  refused = 0;
  failure: string | null = null;
  readonly #core: ExchangeCore;
  readonly #market: ReplayMarket;
  readonly #listener: MarketListener;
  #stream: ChunkStream | null;
  #chunk: EventChunk | null = null;
  #at = 0;
  #next: EventChunk | null = null;
  #exhausted = false;

  constructor(
    core: ExchangeCore,
    { source, firstMs, stream }: Listed,
    fees: BacktestPlan['fees'],
    nowMs: number,
    listener: MarketListener,
  ) {
    this.source = source;
    this.openedMs = nowMs;
    this.firstMs = firstMs;
    this.#core = core;
    this.#listener = listener;
    this.#market = new ReplayMarket(core, { fees, ...source.market });
    this.#market.open(nowMs, toldCloseMs(source.market, firstMs));
    this.index = must(core.catalog.findIndex(source.market.conditionId), 'the market that was just opened');
    this.#stream = stream ?? source.open();
  }

  get readUntilMs(): number {
    if (this.#exhausted) return Number.POSITIVE_INFINITY;
    const last = this.#next ?? this.#chunk;
    return last?.timeMs[last.length - 1] ?? Number.NEGATIVE_INFINITY;
  }

  get endMs(): number {
    const last = this.#next ?? this.#chunk;
    if (last === null || last.kind[last.length - 1] !== EVENT.end) return Number.POSITIVE_INFINITY;
    return last.timeMs[last.length - 1] ?? Number.POSITIVE_INFINITY;
  }

  async read(): Promise<void> {
    if (this.#exhausted || this.#stream === null) return;
    const chunk = await this.#nextChunk(this.#stream);
    if (chunk === null) this.#exhausted = true;
    else if (this.#chunk === null) this.#chunk = chunk;
    else {
      assert(this.#next === null, 'the next chunk must not be read before the previous one is played');
      this.#next = chunk;
    }
  }

  /** Returns the next chunk; null at the end or after a read failure, which closes the market (see `failure`). */
  async #nextChunk(stream: ChunkStream): Promise<EventChunk | null> {
    try {
      // Chunks in memory are used without `await`, because one promise per chunk would take most of the time.
      const answer = stream.next();
      return answer instanceof Promise ? await answer : answer;
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      this.failure = error.message;
      return null;
    }
  }

  play(untilMs: number): number {
    let count = 0;
    while (this.closedMs === null) {
      const chunk = this.#chunk;
      if (chunk === null || this.#at >= chunk.length) {
        if (this.#next === null) {
          if (this.#exhausted) this.#close(untilMs);
          break;
        }
        this.#chunk = this.#next;
        this.#next = null;
        this.#at = 0;
        continue;
      }
      const from = this.#at;
      this.#at = this.#core.feed.play(this.index, chunk, from, untilMs);
      count += this.#at - from;
      this.refused += this.#core.feed.refused;
      if (this.#at >= chunk.length) continue;
      if (chunk.kind[this.#at] !== EVENT.end || (chunk.timeMs[this.#at] ?? 0) > untilMs) break;
      count++;
      this.#close(untilMs);
    }
    this.events += count;
    return count;
  }

  #close(nowMs: number): void {
    this.#listener.ending(this);
    this.closedMs = nowMs;
    this.#market.close(nowMs);
    this.dispose();
  }

  dispose(): void {
    this.#stream?.close();
    this.#stream = null;
    this.#chunk = null;
    this.#next = null;
  }
}
