/** Where a backtest's events come from: files that are read ahead, or columns that are in memory already. */

import { basename } from 'node:path';
import { type FillModel, fillModel } from '../../exchange/core/matching/fill-model.js';
import type { EventChunk, RecordedGap, RecordedMarket, Recording, RecordingSummary } from '../../recording/contract.js';
import { gapsIn } from '../../recording/gaps.js';
import { openRecordings } from '../../recording/recording.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { ChunkStream, EventSource } from './contract.js';

/** Fill models with their names as they are known. Throws TwinbookError `usage` for an unknown name, or for a repeated one. */
export function checkFillModels<Choice extends string | FillModel>(choices: readonly Choice[]): readonly Choice[] {
  // A name stands for a name, and a model for itself.
  const known = choices.map((choice) => (typeof choice === 'string' ? (fillModel(choice).name as Choice) : choice));
  const names = known.map((choice) => (typeof choice === 'string' ? choice : choice.name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return known;
  throw new TwinbookError('usage', `the fill model ${twice} is named twice`, 'Name each once.');
}

/** How the sources of a backtest are read. */
export interface SourceReading {
  /** There is a single run: what it has played is let go of. */
  readonly once?: boolean;
}

/** Opens recordings, for several runs unless told. Throws TwinbookError `file_unreadable` or `recording_invalid`. */
export async function openSources(
  paths: readonly string[],
  { once = false }: SourceReading = {},
): Promise<{ readonly recordings: readonly Recording[]; readonly sources: readonly EventSource[] }> {
  const recordings = await openRecordings(paths);
  const shared = { events: 0 };
  const sources = recordings.map((recording) => (once ? streamRecording(recording) : keepInMemory(recording, shared)));
  return { recordings, sources };
}

/** Reads one chunk ahead of what is played, the first one once it is opened; breaks off once `isStopped` says so. */
export const streamRecording = (recording: Recording, isStopped: () => boolean = () => false): EventSource => ({
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
  open: () => new FileStream(recording.chunks(), isStopped),
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

/** More events than this are read anew for each run: 22 bytes each, and a backtest is to fit into 300 MB. */
const KEPT_EVENTS = 4_000_000;

/**
 * A source that the first run reads to its end before it plays it, and that keeps its columns for the next ones, as long as
 * all that share `shared` stay within the bound.
 */
export function keepInMemory(recording: Recording, shared: { events: number }): EventSource {
  const streamed = streamRecording(recording);
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
    // `next` tells of a failure.
    opened.then(onOpened, () => undefined);
    return {
      next: () => (stream === null ? opened.then((ready) => ready.next()) : stream.next()),
      close: () => {
        isClosed = true;
        stream?.close();
      },
    };
  };
  // A copy would not follow the gaps and warnings that reading finds.
  return Object.create(streamed, { open: { value: open } }) as EventSource;
}

/** Null where its events do not fit, or cannot all be read: then each run streams it, and tells how far it came. */
async function readWithin(recording: Recording, shared: { events: number }): Promise<EventSource | null> {
  const told = Object.values(recording.summary?.events ?? {}).reduce((sum, count) => sum + count, 0);
  if (shared.events + told > KEPT_EVENTS) return null;
  const chunks: EventChunk[] = [];
  let events = 0;
  const giveUp = () => {
    shared.events -= events;
    return null;
  };
  try {
    for await (const chunk of recording.chunks()) {
      chunks.push(chunk);
      events += chunk.length;
      shared.events += chunk.length;
      if (shared.events > KEPT_EVENTS) return giveUp();
    }
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    return giveUp();
  }
  return playFromMemory(recording.market, chunks);
}

/** Reads of files that have not come back. */
const underWay = new Set<Promise<unknown>>();

/**
 * Resolves when every read that is under way now has ended. A thread or process that ends in the middle of one takes the
 * whole process with it: the reader's native part reports to somebody who is gone.
 */
export const waitForReads = (): Promise<unknown> => Promise.all(underWay);

function trackRead<T>(read: Promise<T>): Promise<T> {
  // What becomes of it is told to whoever waits for it; here only that it has ended counts.
  const ended = read.then(
    () => undefined,
    () => undefined,
  );
  underWay.add(ended);
  void ended.then(() => underWay.delete(ended));
  return read;
}

class FileStream implements ChunkStream {
  readonly #iterator: AsyncIterator<EventChunk>;
  readonly #isStopped: () => boolean;
  #ahead: Promise<EventChunk | null>;
  /** What `#ahead` has become. */
  #ready: EventChunk | null = null;
  #isReady = false;

  constructor(chunks: AsyncIterable<EventChunk>, isStopped: () => boolean) {
    this.#iterator = chunks[Symbol.asyncIterator]();
    this.#isStopped = isStopped;
    this.#ahead = this.#read();
  }

  next(): EventChunk | null | Promise<EventChunk | null> {
    if (this.#isStopped()) throw new Error('nobody waits for this any more');
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
    if (closed !== undefined) void trackRead(closed);
  }

  #read(): Promise<EventChunk | null> {
    // Whoever waits hears of a failure; until then it must not end the process.
    return trackRead(
      this.#iterator.next().then((result) => {
        this.#ready = result.done === true ? null : result.value;
        this.#isReady = true;
        return this.#ready;
      }),
    );
  }
}
