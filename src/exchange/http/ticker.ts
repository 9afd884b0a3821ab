import type { Replay } from '../crowd/replay.js';
import type { PersistentCore } from '../store/persistent-core.js';

/**
 * A driver, such as the crowd or a replay, acts on the core as time passes. The ticker calls a driver's `tick` at or
 * after `nextDueMs`, and never during a call of the core. A late `tick` does all overdue work.
 */
export interface Driver {
  tick(nowMs: number): void;
  /** Time of the driver's next work, Unix ms of the exchange's clock; infinite without further work. */
  nextDueMs(): number;
}

/** Notes for the user about the recordings of a replay. */
type ReplayNotes = ReturnType<Replay['notes']>;

/** Interval of the checks for new notes about recordings, ms; some notes appear only after hours of reading. */
const CHECK_EVERY_MS = 5_000;

type NoticeLog = Readonly<Record<'info' | 'warn', (facts: object, message: string) => void>>;

/** Logs new notes about a replay: notes as info, the summary and unreadable recordings as warnings. */
export function makeReplayNotices(source: { notes(): ReplayNotes }, logger: NoticeLog): Driver {
  const logged = new Set<string>();
  let isSummarized = false;
  let dueMs = 0;
  /** Logs each note about a recording once, although the note's numbers grow while the recording is read. */
  const logOnce = (level: 'info' | 'warn', path: string, message: string): void => {
    const text = `${path}: ${message}`;
    const kind = text.replace(/\d+/g, '#');
    if (logged.has(kind)) return;
    logged.add(kind);
    logger[level]({ path }, text);
  };
  return {
    tick: (nowMs) => {
      dueMs = nowMs + CHECK_EVERY_MS;
      const found = source.notes();
      if (!isSummarized && found.notes.length + found.unresolved > 0) {
        isSummarized = true;
        logger.warn({}, summarize(found));
      }
      for (const { path, message } of found.notes) logOnce('info', path, message);
      for (const { path, message } of found.failures) logOnce('warn', path, message);
    },
    nextDueMs: () => dueMs,
  };
}

function summarize({ notes, markets, unresolved }: ReplayNotes): string {
  const parts = [
    unresolved === 0 ? '' : `${unresolved} of ${markets} recorded markets will end unresolved: the outcome is unknown`,
    notes.length === 0 ? '' : `${notes.length} notes on the quality of the recordings: -v prints them`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** The only clock of the exchange, for drafts, challenges, timestamps, rate limits and the `Date` header. */
export class ExchangeClock {
  readonly #wallMs: () => number;
  #advancedMs = 0;
  /** Time by which the exchange's clock is ahead of `machineMs`, because the machine's clock was set back, ms. */
  #aheadMs = 0;
  #lastMs: number;
  #headerSecond = Number.NaN;
  #header = '';

  /** `notBeforeMs`: earliest start of the clock, Unix ms: the last time of this exchange in an earlier process. */
  constructor(notBeforeMs: number, wallMs: () => number = Date.now) {
    this.#wallMs = wallMs;
    this.#lastMs = notBeforeMs;
  }

  /** The exchange's time, Unix ms. This time never goes back, even if the system clock does. */
  nowMs(): number {
    const machineMs = this.machineMs();
    this.#aheadMs = Math.max(this.#aheadMs, this.#lastMs - machineMs);
    this.#lastMs = machineMs + this.#aheadMs;
    return this.#lastMs;
  }

  /** The machine's time plus all advances, Unix ms. This time decreases if the machine's clock is set back. */
  machineMs(): number {
    return this.#wallMs() + this.#advancedMs;
  }

  advance(ms: number): void {
    this.#advancedMs += ms;
  }

  /** Returns a time as the text of a `Date` header. The text is cached for one second. */
  dateHeader(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#headerSecond) {
      this.#headerSecond = second;
      this.#header = new Date(nowMs).toUTCString();
    }
    return this.#header;
  }
}

/** Maximum time between two runs of due work, ms. It is also the maximum delay of due work. */
const MAX_WAIT_MS = 50;
/** Minimum time between two runs of due work, ms. In a fast replay, this pause leaves time for requests. */
const MIN_WAIT_MS = 10;

/** Runs due work of the core and the drivers until it is stopped. */
export class Ticker {
  readonly #persistentCore: PersistentCore;
  readonly #clock: ExchangeClock;
  readonly #onError: (error: unknown, where: string) => void;
  #drivers: readonly Driver[];
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** A driver that throws is not called again. The exchange continues without this driver. */
  constructor(
    persistentCore: PersistentCore,
    clock: ExchangeClock,
    drivers: readonly Driver[],
    onError: (error: unknown, where: string) => void,
  ) {
    this.#persistentCore = persistentCore;
    this.#clock = clock;
    this.#drivers = drivers;
    this.#onError = onError;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      try {
        this.run();
        this.#persistentCore.saveIfDue(this.#persistentCore.core.nowMs);
      } catch (error) {
        this.#onError(error, 'the store');
      }
      if (this.#timer !== null) this.start();
    }, this.#waitMs());
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Runs all due work and writes its journal rows in one transaction. Returns the exchange's time, Unix ms. */
  run(): number {
    const nowMs = this.#clock.nowMs();
    this.#persistentCore.batch(() => {
      this.#advanceIfDue(nowMs);
      for (const driver of this.#drivers) this.#tick(driver, nowMs);
    });
    return nowMs;
  }

  /** Runs due work of the core, but not of the drivers, before a request. Returns the exchange's time, Unix ms. */
  settle(): number {
    const nowMs = this.#clock.nowMs();
    this.#advanceIfDue(nowMs);
    // Reads use the core's time too. Without due work, a change of this time needs no row in the journal.
    this.#persistentCore.core.at(nowMs);
    return nowMs;
  }

  #advanceIfDue(nowMs: number): void {
    const { core } = this.#persistentCore;
    if (core.timers.nextMs <= nowMs) core.advance(nowMs);
  }

  #tick(driver: Driver, nowMs: number): void {
    if (driver.nextDueMs() > nowMs) return;
    try {
      driver.tick(nowMs);
    } catch (error) {
      this.#drivers = this.#drivers.filter((other) => other !== driver);
      this.#onError(error, 'a simulated trader or a replay');
    }
  }

  #waitMs(): number {
    const driversMs = this.#drivers.map((driver) => driver.nextDueMs());
    const dueMs = Math.min(this.#persistentCore.core.timers.nextMs, ...driversMs);
    return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, dueMs - this.#clock.nowMs()));
  }
}
