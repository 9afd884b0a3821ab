/**
 * The venue's clock, learned from `Date` headers. One header says the second, so one answer bounds the difference of
 * the clocks to a second and the time the call took; the bounds of many answers intersect to some milliseconds. Kept
 * against our monotonic clock: a step of our wall clock changes no timestamp that we sign.
 */

import type { ClientNotice, ClockOffset } from './contract.js';

/** A `Date` header is truncated to the second. */
const HEADER_RESOLUTION_MS = 1_000;
/** Maximum drift of two clocks (500 ppm is a bad quartz). */
const DRIFT_MS_PER_MS = 0.0005;
/** Smaller changes are not reported: a header may be stale by a second. */
const NEWS_MS = 2_000;
/** Maximum reports per minute: the clocks of a venue's servers may differ. */
const MOST_TOLD = 3;
const MINUTE_MS = 60_000;

type ClockNotice = Extract<ClientNotice, { kind: 'clock_offset' }>;

/** When an answer's request left and when the answer was seen (monotonic), and our wall clock when it was seen. */
export interface AnswerTimes {
  readonly sentMonotonicMs: number;
  readonly seenMonotonicMs: number;
  readonly wallMs: number;
}

interface Bounds {
  /** Venue minus monotonic, ms. */
  readonly low: number;
  readonly high: number;
  readonly atMonotonicMs: number;
}

/** Estimates the venue's clock from the `Date` of its answers, with bounds of its error. */
export class VenueClock {
  #bounds: Bounds | null = null;
  /** The offset last reported, or ignored at the first estimate. */
  #toldMs: number | null = null;
  /** Times of the newest reports, monotonic ms, the newest first. */
  #reports: readonly number[] = [];

  /**
   * Takes in an answer's `Date` (ms since 1970). Returns a notice for a relevant difference, at most three times a
   * minute.
   */
  observe(dateMs: number, times: AnswerTimes): ClockNotice | null {
    const sample = toBounds(dateMs, times);
    // A contradiction: one of the clocks was set. The new answer holds, older ones are dropped.
    this.#bounds = (this.#bounds === null ? sample : intersect(this.#bounds, sample)) ?? sample;
    return this.#news(times);
  }

  /** Drops everything but this answer: the venue rejected our timestamps. */
  restart(dateMs: number, times: AnswerTimes): ClockNotice | null {
    this.#bounds = null;
    return this.observe(dateMs, times);
  }

  /** The venue's time, ms, at a moment of our monotonic clock; null before the first answer. */
  venueMs(monotonicMs: number): number | null {
    return this.#bounds === null ? null : middle(this.#bounds) + monotonicMs;
  }

  /** Venue minus our wall clock. */
  offset(monotonicMs: number, wallMs: number): ClockOffset | null {
    if (this.#bounds === null) return null;
    const { low, high } = widen(this.#bounds, monotonicMs);
    return {
      offsetMs: Math.round((low + high) / 2 + monotonicMs - wallMs),
      uncertaintyMs: Math.ceil((high - low) / 2),
    };
  }

  #news({ seenMonotonicMs, wallMs }: AnswerTimes): ClockNotice | null {
    const now = this.offset(seenMonotonicMs, wallMs);
    if (now === null) return null;
    const previousOffsetMs = this.#toldMs;
    if (Math.abs(now.offsetMs - (previousOffsetMs ?? 0)) < NEWS_MS) {
      this.#toldMs ??= now.offsetMs;
      return null;
    }
    const oldestMs = this.#reports[MOST_TOLD - 1] ?? Number.NEGATIVE_INFINITY;
    if (seenMonotonicMs - oldestMs < MINUTE_MS) return null;
    this.#reports = [seenMonotonicMs, ...this.#reports.slice(0, MOST_TOLD - 1)];
    this.#toldMs = now.offsetMs;
    return { kind: 'clock_offset', ...now, previousOffsetMs };
  }
}

/** The venue wrote its time between our sending and our receiving; its true time is up to a second later. */
const toBounds = (dateMs: number, { sentMonotonicMs, seenMonotonicMs }: AnswerTimes): Bounds => ({
  low: dateMs - seenMonotonicMs,
  high: dateMs + HEADER_RESOLUTION_MS - sentMonotonicMs,
  atMonotonicMs: seenMonotonicMs,
});

function intersect(old: Bounds, sample: Bounds): Bounds | null {
  const before = widen(old, sample.atMonotonicMs);
  const low = Math.max(before.low, sample.low);
  const high = Math.min(before.high, sample.high);
  return low <= high ? { low, high, atMonotonicMs: sample.atMonotonicMs } : null;
}

function widen(bounds: Bounds, monotonicMs: number): Bounds {
  const drift = Math.max(0, monotonicMs - bounds.atMonotonicMs) * DRIFT_MS_PER_MS;
  return { low: bounds.low - drift, high: bounds.high + drift, atMonotonicMs: monotonicMs };
}

const middle = (bounds: Bounds): number => (bounds.low + bounds.high) / 2;
