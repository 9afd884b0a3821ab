/** Reads one recording: its position, and the next chunk read ahead. */

import { EVENT, type EventChunk, type Recording, SIDE } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';

/** Sides of a rebuilt book: price in millionths → total in millionths. */
export type RebuiltBook = readonly [bids: ReadonlyMap<number, number>, asks: ReadonlyMap<number, number>];

/** Reads one recording. `chunk` and `at` are the next event; the reader advances `at`. */
export class Playback {
  readonly recording: Recording;
  /** The current chunk; null while the next one is being read, and at the end. */
  chunk: EventChunk | null = null;
  at = 0;
  #source: AsyncIterator<EventChunk>;
  #next: EventChunk | null = null;
  #loading: Promise<void> | null = null;
  #exhausted = false;
  /** Why reading stopped early; null when it did not. */
  failure: TwinbookError | null = null;

  /** Begins to read at once. */
  constructor(recording: Recording) {
    this.recording = recording;
    this.#source = recording.chunks()[Symbol.asyncIterator]();
    this.#load();
  }

  /** All of it was applied, or no more can be read. */
  get ended(): boolean {
    return this.#exhausted && this.chunk === null && this.#next === null;
  }

  /** True when an event is ready; false at the end, or while the next chunk is being read. */
  available(): boolean {
    if (this.chunk !== null && this.at < this.chunk.length) return true;
    this.chunk = this.#next;
    this.at = 0;
    if (this.chunk === null) return false;
    this.#next = null;
    this.#load();
    return true;
  }

  /** Recorded time of the next event, Unix ms; only after `available()`. */
  timeMs(): number {
    return this.chunk?.timeMs[this.at] ?? Number.POSITIVE_INFINITY;
  }

  /** Resolves when no read is pending. */
  async waitForLoad(): Promise<void> {
    while (this.#loading !== null) await this.#loading;
  }

  /** Skips events up to and including this recorded time (but not the end), and returns the book at that time. */
  async skipTo(timeMs: number): Promise<RebuiltBook> {
    const book: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
    for (;;) {
      await this.waitForLoad();
      if (!this.available() || this.timeMs() > timeMs || this.#atEnd()) return book;
      this.#fold(book, timeMs);
    }
  }

  /** Stops reading and closes the file. */
  async close(): Promise<void> {
    this.#exhausted = true;
    this.chunk = null;
    this.#next = null;
    await this.#source.return?.();
  }

  #fold(book: [Map<number, number>, Map<number, number>], timeMs: number): void {
    const chunk = this.chunk;
    if (chunk === null) return;
    for (; this.at < chunk.length; this.at++) {
      if ((chunk.timeMs[this.at] ?? 0) > timeMs) return;
      if (this.#atEnd()) return;
      const kind = chunk.kind[this.at];
      if (kind === EVENT.clear) for (const side of book) side.clear();
      if (kind === EVENT.level) {
        const side = chunk.side[this.at] === SIDE.bid ? book[0] : book[1];
        side.set(chunk.priceMicros[this.at] ?? 0, chunk.amountMicros[this.at] ?? 0);
      }
    }
  }

  #atEnd(): boolean {
    return this.chunk?.kind[this.at] === EVENT.end;
  }

  #load(): void {
    if (this.#exhausted) return;
    this.#loading = this.#source.next().then(
      (result) => {
        this.#loading = null;
        if (result.done === true) this.#exhausted = true;
        else if (!this.#exhausted) this.#next = result.value;
      },
      (error: unknown) => {
        this.#loading = null;
        this.#exhausted = true;
        const reason = error instanceof Error ? error.message : String(error);
        const path = this.recording.market.source.path;
        this.failure =
          error instanceof TwinbookError
            ? error
            : new TwinbookError(
                'recording_invalid',
                `cannot go on reading ${path}: ${reason}`,
                '`twinbook data verify` says what is wrong with a recording.',
                { cause: error },
              );
      },
    );
  }
}
