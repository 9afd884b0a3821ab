/** Where a backtest's events come from: files that are read ahead, or columns that are in memory already. */

import { basename } from 'node:path';
import {
  EVENT,
  type EventChunk,
  type RecordedGap,
  type RecordedMarket,
  type Recording,
  type RecordingSummary,
} from '../../recording/contract.js';
import { gapsIn } from '../../recording/gaps.js';
import type { ChunkStream, EventSource } from './contract.js';

/** Reads one chunk ahead of what is played, the first one once it is opened. */
export const streamRecording = (recording: Recording): EventSource => ({
  market: recording.market,
  firstMs: recording.summary?.firstMs ?? null,
  findFirstMs: recording.findFirstMs?.bind(recording),
  readsAhead: true,
  summary: recording.summary ?? null,
  get gaps() {
    return gapsIn(recording);
  },
  get warnings() {
    // Its name, not its path: the same data is the same result wherever it lies.
    return recording.warnings.map(({ path, message }) => `${basename(path)}: ${message}`);
  },
  open: () => new FileStream(recording.chunks()),
});

/** The gaps of what is played; of a raw recording, those that were found so far. */
export const listGaps = ({ summary, gaps }: EventSource): readonly RecordedGap[] => summary?.gaps ?? gaps ?? [];

/** Plays columns as they are; many runs may play the same ones. */
export const playFromMemory = (
  market: RecordedMarket,
  chunks: readonly EventChunk[],
  summary: RecordingSummary | null = null,
  gaps: readonly RecordedGap[] = [],
): EventSource => ({
  market,
  firstMs: chunks[0]?.timeMs[0] ?? null,
  summary,
  gaps,
  warnings: [],
  open: () => {
    let at = 0;
    return { next: () => chunks[at++] ?? null, close: () => undefined };
  },
});

/** The same source, whose reading breaks off once it is not wanted any more. */
export const stoppable = (source: EventSource, isStopped: () => boolean): EventSource => ({
  market: source.market,
  firstMs: source.firstMs,
  findFirstMs: source.findFirstMs,
  readsAhead: source.readsAhead,
  summary: source.summary,
  get gaps() {
    return listGaps(source);
  },
  get warnings() {
    return source.warnings;
  },
  open: () => {
    const stream = source.open();
    return {
      next: () => {
        if (isStopped()) throw new Error('nobody waits for this any more');
        return stream.next();
      },
      close: () => stream.close(),
    };
  },
});

/** More events than this are read anew for each run: 22 bytes each, and a backtest is to fit into 300 MB. */
const KEPT_EVENTS = 4_000_000;

/**
 * The same source, which keeps its columns from the first run for the next one, as long as all that share `shared` stay
 * within the bound.
 */
export function keepInMemory(source: EventSource, shared: { events: number }): EventSource {
  let chunks: EventChunk[] | null = null;
  return {
    market: source.market,
    get firstMs() {
      return source.firstMs ?? chunks?.[0]?.timeMs[0] ?? null;
    },
    findFirstMs: source.findFirstMs,
    readsAhead: source.readsAhead,
    summary: source.summary,
    get gaps() {
      return listGaps(source);
    },
    get warnings() {
      return source.warnings;
    },
    open: () => {
      if (chunks !== null) return playFromMemory(source.market, chunks).open();
      return new KeepingStream(source.open(), shared, (read) => {
        // Of two runs at once the first one's are kept.
        if (chunks !== null) return false;
        chunks = read;
        return true;
      });
    },
  };
}

class KeepingStream implements ChunkStream {
  readonly #stream: ChunkStream;
  readonly #shared: { events: number };
  /** Takes what was read; false when it has no use for it. */
  readonly #onRead: (chunks: EventChunk[]) => boolean;
  #chunks: EventChunk[] | null = [];
  #events = 0;

  constructor(stream: ChunkStream, shared: { events: number }, onRead: (chunks: EventChunk[]) => boolean) {
    this.#stream = stream;
    this.#shared = shared;
    this.#onRead = onRead;
  }

  next(): EventChunk | null | Promise<EventChunk | null> {
    const chunk = this.#stream.next();
    return chunk instanceof Promise ? chunk.then((read) => this.#keep(read)) : this.#keep(chunk);
  }

  close(): void {
    // Not read to its end: of no use to another run.
    this.#giveUp();
    this.#stream.close();
  }

  #keep(chunk: EventChunk | null): EventChunk | null {
    if (this.#chunks === null) return chunk;
    if (chunk !== null) {
      this.#chunks.push(chunk);
      this.#events += chunk.length;
      this.#shared.events += chunk.length;
      if (this.#shared.events > KEPT_EVENTS) this.#giveUp();
    }
    // A player reads no further than the end of the market.
    if (chunk === null || chunk.kind[chunk.length - 1] === EVENT.end) this.#finish();
    return chunk;
  }

  #finish(): void {
    if (this.#chunks === null) return;
    if (this.#onRead(this.#chunks)) this.#chunks = null;
    else this.#giveUp();
  }

  #giveUp(): void {
    if (this.#chunks === null) return;
    this.#shared.events -= this.#events;
    this.#chunks = null;
  }
}

/** Reads of files that have not come back. */
const underWay = new Set<Promise<unknown>>();

/**
 * Resolves when every read that is under way now has ended. A thread or process that ends in the middle of one takes the
 * whole process with it: the reader's native part reports to somebody who is gone.
 */
export const waitForReads = (): Promise<unknown> => Promise.all(underWay);

function trackRead(read: Promise<unknown>): void {
  // What becomes of it is told to whoever waits for it; here only that it has ended counts.
  const ended = read.then(
    () => undefined,
    () => undefined,
  );
  underWay.add(ended);
  void ended.then(() => underWay.delete(ended));
}

class FileStream implements ChunkStream {
  readonly #iterator: AsyncIterator<EventChunk>;
  #ahead: Promise<EventChunk | null>;
  /** What `#ahead` has become. */
  #ready: EventChunk | null = null;
  #isReady = false;

  constructor(chunks: AsyncIterable<EventChunk>) {
    this.#iterator = chunks[Symbol.asyncIterator]();
    this.#ahead = this.#read();
  }

  next(): EventChunk | null | Promise<EventChunk | null> {
    if (this.#isReady) {
      const chunk = this.#ready;
      this.#isReady = false;
      this.#ready = null;
      if (chunk !== null) this.#ahead = this.#read();
      return chunk;
    }
    return this.#ahead.then(() => this.next());
  }

  close(): void {
    // What is being read meanwhile ends by itself; its failure is nobody's any more.
    const closed = this.#iterator.return?.();
    if (closed !== undefined) trackRead(closed);
  }

  #read(): Promise<EventChunk | null> {
    const ahead = this.#iterator.next().then((result) => {
      this.#ready = result.done === true ? null : result.value;
      this.#isReady = true;
      return this.#ready;
    });
    // Whoever waits hears of a failure; until then it must not end the process.
    trackRead(ahead);
    return ahead;
  }
}
