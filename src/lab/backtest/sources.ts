/** Sources of a backtest's events: files read ahead, or columns in memory. */

import { basename } from 'node:path';
import { type FillModel, fillModel } from '../../exchange/core/matching/fill-model.js';
import {
  type EventChunk,
  gapsIn,
  type RecordedGap,
  type RecordedMarket,
  type Recording,
  type RecordingSummary,
} from '../../recording/contract.js';
import { openRecordings } from '../../recording/recording.js';
import { TwinbookError } from '../../shared/base/errors.js';
import type { ChunkStream, EventSource } from './contract.js';

/** Fill models with their canonical names. Throws TwinbookError `usage` for an unknown or repeated one. */
export function checkFillModels<Choice extends string | FillModel>(choices: readonly Choice[]): readonly Choice[] {
  // A name becomes its canonical name; a model stays.
  const known = choices.map((choice) => (typeof choice === 'string' ? (fillModel(choice).name as Choice) : choice));
  const names = known.map((choice) => (typeof choice === 'string' ? choice : choice.name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return known;
  throw new TwinbookError('usage', `the fill model ${twice} is named twice`, 'Name each once.');
}

interface SourceReading {
  /** A single run: played data is released. */
  readonly once?: boolean;
}

/** Opens recordings, by default for several runs. Throws TwinbookError `file_unreadable` or `recording_invalid`. */
export async function openSources(
  paths: readonly string[],
  { once = false }: SourceReading = {},
): Promise<{ readonly recordings: readonly Recording[]; readonly sources: readonly EventSource[] }> {
  const recordings = await openRecordings(paths);
  const shared = { events: 0 };
  const sources = recordings.map((recording) => (once ? streamRecording(recording) : keepInMemory(recording, shared)));
  return { recordings, sources };
}

/** Reads one chunk ahead of the played one, from the opening on; stops once `isStopped` is true. */
export const streamRecording = (recording: Recording, isStopped: () => boolean = () => false): EventSource => ({
  market: recording.market,
  firstMs: recording.summary?.firstMs ?? null,
  readsAhead: true,
  summary: recording.summary ?? null,
  get gaps() {
    return gapsIn(recording);
  },
  get warnings() {
    // Its name, not its path: equal data gives equal results in any folder.
    return recording.warnings.map(({ path, message }) => `${basename(path)}: ${message}`);
  },
  open: () => openFileStream(recording.chunks(), isStopped),
});

/** Plays columns as they are; many runs may share them. */
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

/** Larger sources are read again for each run: 22 bytes per event, and a backtest must fit into 300 MB. */
const KEPT_EVENTS = 4_000_000;

/**
 * A source that the first run reads completely before it plays, and that keeps its columns for the next ones, while all
 * sources that share `shared` stay within the bound.
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
    // `next` reports a failure.
    opened.then(onOpened, () => undefined);
    return {
      next: () => (stream === null ? opened.then((ready) => ready.next()) : stream.next()),
      close: () => {
        isClosed = true;
        stream?.close();
      },
    };
  };
  // A copy would miss gaps and warnings found while reading.
  return Object.create(streamed, { open: { value: open } }) as EventSource;
}

/** Null when its events do not fit or cannot all be read: then each run streams it and reports how far it came. */
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

const underWay = new Set<Promise<unknown>>();

/**
 * Resolves when all pending reads have ended. Ending a thread or process within one crashes the whole process: the
 * reader's native part would call back into freed memory.
 */
export const waitForReads = (): Promise<unknown> => Promise.all(underWay);

function trackRead<T>(read: Promise<T>): Promise<T> {
  // The caller gets its result; here only its end matters.
  const ended = read.catch(() => undefined);
  underWay.add(ended);
  void ended.then(() => underWay.delete(ended));
  return read;
}

function openFileStream(chunks: AsyncIterable<EventChunk>, isStopped: () => boolean): ChunkStream {
  const iterator = chunks[Symbol.asyncIterator]();
  /** The chunk that was read ahead; undefined while it is read. */
  let ready: EventChunk | null | undefined;
  const read = (): Promise<EventChunk | null> =>
    // A waiting caller gets the failure; until then it must not end the process.
    trackRead(
      iterator.next().then((result) => {
        ready = result.done === true ? null : result.value;
        return ready;
      }),
    );
  let ahead = read();
  const next = (): EventChunk | null | Promise<EventChunk | null> => {
    if (isStopped()) throw new Error('the reading was stopped');
    if (ready === undefined) return ahead.then(next);
    const chunk = ready;
    ready = undefined;
    if (chunk !== null) ahead = read();
    return chunk;
  };
  const close = (): void => {
    // A pending read may still fail; that failure is ignored.
    const closed = iterator.return?.();
    if (closed !== undefined) void trackRead(closed);
  };
  return { next, close };
}
