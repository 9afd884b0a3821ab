/** Counts events with a time before an earlier event's: their times are raised, and the user is warned. */

import type { RecordingWarning } from '../contract.js';

/** Venue clocks step back by some seconds at most; more means a wrong order or a single wrong time. */
const MOST_USUAL_MS = 10_000;

export class ClockRegression {
  readonly #quietMs: number;
  #latestMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #farthestMs = 0;

  /** @param quietMs shorter steps have no visible effect */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  /** Venue time of the next event, Unix ms. */
  saw(timeMs: number): void {
    if (timeMs >= this.#latestMs) {
      this.#latestMs = timeMs;
      return;
    }
    this.#count++;
    this.#farthestMs = Math.max(this.#farthestMs, this.#latestMs - timeMs);
  }

  /** Null without a relevant one. */
  warning(path: string): RecordingWarning | null {
    if (this.#farthestMs <= this.#quietMs) return null;
    const events = this.#count === 1 ? '1 event has a time' : `${this.#count} events have times`;
    const message = `${events} before that of an event before it, by up to ${this.#farthestMs / 1000} s: raised to it`;
    return this.#farthestMs > MOST_USUAL_MS ? { path, message, isDamage: true } : { path, message };
  }
}
