/** Records the core's steps, writing once a second. A failing disk ends the recording; written data stays readable. */

import { openRecordingStore, type RecordingStore } from '../../recording/store/store.js';
import type { Observation, Request } from '../../shared/protocol/seam.js';
import { VenueTimeBounds } from '../../trader/engine/venue-clock.js';
import { endsWithin, noRoom, spareBytes } from '../runtime/disk.js';
import { Capture } from './capture/capture.js';

const FLUSH_EVERY_MS = 1_000;
/** Number of skipped flushes (one a second) after which a hanging write ends the recording. */
const MOST_FLUSHES_MISSED = 300;
/** Maximum time for closing a recording, ms; the files of all markets are converted to Parquet one by one. */
const CLOSE_WITHIN_MS = 60_000;
/** Approximate fraction of a poll plan's public requests that read books. */
const BOOK_PART = 0.6;

interface RecorderOptions extends Required<Omit<ConstructorParameters<typeof Capture>[0], 'store'>> {
  /** Interval at which the poll plan reads a book if the request budget suffices, ms. */
  readonly bookIntervalMs: number;
  /** Number of public requests per minute that the poll plan may make. */
  readonly publicPerMinute: number;
  /** Called once with the error if the recording cannot continue. */
  readonly onFailure: (error: unknown) => void;
  /** Number of bytes that must stay free on the disk; absent: no reserve. */
  readonly keptFreeBytes?: number;
  /** Maximum wait of `close`, ms; absent: the default. */
  readonly closeWithinMs?: number;
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #store: RecordingStore;
  readonly capture: Capture;
  readonly #venueClock = new VenueTimeBounds();
  #timer: NodeJS.Timeout | null;
  #flushing: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #missedFlushes = 0;
  #tickedMs = Number.NEGATIVE_INFINITY;
  #lastMs = 0;
  #failed = false;

  private constructor(options: RecorderOptions, store: RecordingStore) {
    this.#options = options;
    this.#store = store;
    this.capture = new Capture({ ...options, store });
    this.#timer = setInterval(() => this.#flush(), FLUSH_EVERY_MS).unref();
  }

  /** Opens the folder. Throws TwinbookError `file_unreadable` if the folder is not writable or in use. */
  static async open(options: RecorderOptions): Promise<Recorder> {
    return new Recorder(options, await openRecordingStore(options.folder, { origin: options.venue }));
  }

  /** Usual interval between two reads of a book, ms: `bookIntervalMs`, or longer if the request budget is too small. */
  get usualMs(): number {
    const { bookIntervalMs, publicPerMinute } = this.#options;
    return Math.max(bookIntervalMs, (this.capture.read * 60_000) / (publicPerMinute * BOOK_PART));
  }

  /** Records one step of the core. Never throws. */
  step(observation: Observation, requests: readonly Request[]): void {
    if (this.#failed) return;
    try {
      this.#record(observation, requests);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Writes all data and closes the files. Throws the disk's errors, unless `onFailure` was called before. */
  async close(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    try {
      if (await endsWithin(this.#finish(), this.#options.closeWithinMs ?? CLOSE_WITHIN_MS)) return;
      throw new Error(`the disk of ${this.#options.folder} does not answer`);
    } catch (error) {
      if (!this.#failed) throw error;
    }
  }

  async #finish(): Promise<void> {
    await this.#flushing;
    this.capture.close(this.#lastMs);
    await this.#store.close();
  }

  #record(observation: Observation, requests: readonly Request[]): void {
    const { nowMs } = observation;
    this.#lastMs = nowMs;
    if (observation.kind === 'outcome') {
      const { sentMs, venueTimeMs } = observation;
      if (venueTimeMs !== null) this.#venueClock.observe(venueTimeMs, sentMs, nowMs);
      const middleMs = (sentMs + nowMs) / 2;
      this.capture.onOutcome(observation, this.#venueClock.nowMs(middleMs) ?? middleMs);
    }
    if (observation.kind === 'feed') this.capture.onFeed(observation);
    for (const request of requests) this.capture.onAsk(request, nowMs);
    // The second condition is false after the clock was set back, so that waiting data is not delayed.
    if (nowMs - this.#tickedMs < FLUSH_EVERY_MS && nowMs >= this.#tickedMs) return;
    this.#tickedMs = nowMs;
    this.capture.expect(this.usualMs);
    this.capture.tick(nowMs);
  }

  /** Starts a write unless a write is running, so that a slow disk gets fewer and larger writes. */
  #flush(): void {
    if (this.#failed) return;
    if (this.#isFlushing) {
      this.#missedFlushes += 1;
      if (this.#missedFlushes >= MOST_FLUSHES_MISSED)
        this.#fail(new Error(`the disk of ${this.#options.folder} has not answered for minutes`));
      return;
    }
    this.#isFlushing = true;
    this.#flushing = this.#write()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#isFlushing = false;
        this.#missedFlushes = 0;
      });
  }

  async #write(): Promise<void> {
    const { folder, keptFreeBytes = 0 } = this.#options;
    if ((await spareBytes(folder, keptFreeBytes)) < 0) throw noRoom(folder, keptFreeBytes);
    await this.#store.flush();
  }

  #fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#options.onFailure(error);
  }
}
