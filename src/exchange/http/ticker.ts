/** Time: does due work of the core and lets crowd and replay act, several times a second or when due. */

import type { ExchangeCore } from '../core/core.js';
import type { Replay } from '../crowd/replay.js';
import type { PersistentCore } from '../store/persistent-core.js';

/**
 * Acts on the exchange core as time passes: the crowd, a replay. The ticker calls `tick` at or after `nextDueMs`, never
 * from inside one of the core's own calls. A late call catches up, an early one does nothing.
 */
export interface Driver {
  /** Does all work due by `nowMs` (exchange clock, Unix ms), in order of time. */
  tick(nowMs: number): void;
  /** Exchange clock, Unix ms, of the next work; Infinity when none will come. */
  nextDueMs(): number;
}

/** Facts about recorded data for the user, up to the last read. */
export type ReplayNotes = ReturnType<Replay['notes']>;

/** Interval of the checks, ms. Some notes are known only after hours of reading. */
const LOOK_EVERY_MS = 5_000;

/** Logger methods that notices need. */
interface NoticeLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Notes go to `logger.info`; the summary and unreadable recordings go to `logger.warn`. */
export function makeReplayNotices(source: { notes(): ReplayNotes }, logger: NoticeLog): Driver {
  const logged = new Set<string>();
  let isSummarized = false;
  let dueMs = 0;
  /** A note's count grows while its recording is read: it is logged only once. */
  const once = (text: string, log: (text: string) => void): void => {
    const kind = text.replace(/\d+/g, '#');
    if (logged.has(kind)) return;
    logged.add(kind);
    log(text);
  };
  return {
    tick: (nowMs) => {
      dueMs = nowMs + LOOK_EVERY_MS;
      const found = source.notes();
      if (!isSummarized && found.notes.length + found.unresolved > 0) {
        isSummarized = true;
        logger.warn({}, summarize(found));
      }
      for (const { path, message } of found.notes) once(`${path}: ${message}`, (text) => logger.info({ path }, text));
      for (const { path, message } of found.failures)
        once(`${path}: ${message}`, (text) => logger.warn({ path }, text));
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

/** The only clock of the exchange: drafts, challenges, timestamps, rate limits and the `Date` header. */
export class ExchangeClock {
  readonly #wallMs: () => number;
  #offsetMs = 0;
  #lastMs: number;
  /** The newest `Date` header, and its Unix second. */
  #header = '';
  #headerSecond = -1;

  /** `notBeforeMs`: latest time of this exchange in an earlier process. */
  constructor(notBeforeMs: number, wallMs: () => number = Date.now) {
    this.#wallMs = wallMs;
    this.#lastMs = notBeforeMs;
  }

  /** Returns Unix ms. The time never goes back, even when the wall clock does. */
  nowMs(): number {
    const wallMs = this.#wallMs();
    if (wallMs + this.#offsetMs < this.#lastMs) this.#offsetMs = this.#lastMs - wallMs;
    this.#lastMs = wallMs + this.#offsetMs;
    return this.#lastMs;
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  dateHeader(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#headerSecond) {
      this.#headerSecond = second;
      this.#header = new Date(nowMs).toUTCString();
    }
    return this.#header;
  }
}

/** Maximum time between two beats, ms. The crowd trades in seconds; a landing of 400 ms is at most this late. */
const MAX_WAIT_MS = 50;
/** A fast replay always has due work; requests get their turn in between. */
const MIN_WAIT_MS = 10;

/** Advances core and drivers with the clock until it is stopped. */
export class Ticker {
  readonly #persistentCore: PersistentCore;
  readonly #core: ExchangeCore;
  readonly #clock: ExchangeClock;
  readonly #onError: (error: unknown, where: string) => void;
  #drivers: readonly Driver[];
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `drivers`: parts that follow the clock. A driver that throws is not called again; the exchange continues. */
  constructor(
    persistentCore: PersistentCore,
    clock: ExchangeClock,
    drivers: readonly Driver[],
    onError: (error: unknown, where: string) => void,
  ) {
    this.#persistentCore = persistentCore;
    this.#core = persistentCore.core;
    this.#clock = clock;
    this.#drivers = drivers;
    this.#onError = onError;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      try {
        this.beat();
        this.#persistentCore.saveIfDue(this.#core.nowMs);
      } catch (error) {
        this.#onError(error, 'the store');
      }
      this.start();
    }, this.#waitMs());
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Does all work due now; its journal rows are one transaction. Returns the exchange's time, ms. */
  beat(): number {
    const nowMs = this.#clock.nowMs();
    this.#persistentCore.batch(() => {
      this.#advanceIfDue(nowMs);
      for (const driver of this.#drivers) this.#tick(driver, nowMs);
    });
    return nowMs;
  }

  /** Does due work of the core before a request, without drivers. Returns the exchange's time, ms. */
  settle(): number {
    this.#persistentCore.assertSound();
    const nowMs = this.#clock.nowMs();
    this.#advanceIfDue(nowMs);
    return nowMs;
  }

  #advanceIfDue(nowMs: number): void {
    if (this.#core.timers.nextMs <= nowMs) this.#core.advance(nowMs);
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
    const dueMs = Math.min(this.#core.timers.nextMs, ...this.#drivers.map((driver) => driver.nextDueMs()));
    return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, dueMs - this.#clock.nowMs()));
  }
}
