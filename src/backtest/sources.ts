/** Where a backtest's events come from: files that are read ahead, or columns that are in memory already. */

import type { EventChunk, RecordedMarket, Recording, RecordingSummary } from '../recording/contract.js';
import type { ChunkStream, EventSource } from './contract.js';

/** Reads one chunk ahead of what is played. */
export const streamed = (recording: Recording): EventSource => ({
  market: recording.market,
  firstMs: recording.summary?.firstMs ?? null,
  summary: recording.summary ?? null,
  open: () => new FileStream(recording),
});

/** Plays columns as they are; many runs may play the same ones. */
export const decoded = (
  market: RecordedMarket,
  chunks: readonly EventChunk[],
  summary: RecordingSummary | null = null,
): EventSource => ({
  market,
  firstMs: chunks[0]?.timeMs[0] ?? null,
  summary,
  open: () => {
    let at = 0;
    return { next: () => chunks[at++] ?? null, close: () => undefined, skipped: 0 };
  },
});

class FileStream implements ChunkStream {
  readonly #iterator: AsyncIterator<EventChunk>;
  #ahead: Promise<EventChunk | null> | null = null;
  /** What `#ahead` has become. */
  #ready: EventChunk | null = null;
  #isReady = false;

  constructor(recording: Recording) {
    this.#iterator = recording.chunks()[Symbol.asyncIterator]();
  }

  get skipped(): number {
    return 0;
  }

  next(): EventChunk | null | Promise<EventChunk | null> {
    if (this.#isReady) {
      const chunk = this.#ready;
      this.#isReady = false;
      this.#ready = null;
      if (chunk !== null) this.#read();
      return chunk;
    }
    if (this.#ahead === null) this.#read();
    return (this.#ahead ?? Promise.resolve(null)).then(() => this.next());
  }

  close(): void {
    // What is being read meanwhile ends by itself; its failure is nobody's any more.
    void this.#iterator.return?.().catch(() => undefined);
  }

  #read(): void {
    this.#ahead = this.#iterator.next().then((result) => {
      this.#ready = result.done === true ? null : result.value;
      this.#isReady = true;
      return this.#ready;
    });
    // Whoever waits hears of it; until then it must not end the process.
    this.#ahead.catch(() => undefined);
  }
}
