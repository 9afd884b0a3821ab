/** Counts the events whose time lies before that of an event before them: they are raised, and whoever uses the data is told. */

import type { RecordingWarning } from '../contract.js';

/** Clocks of venues step back by some seconds at most; more is a file in the wrong order, or one time that is wrong. */
const MOST_USUAL_MS = 10_000;

export class ClockRegression {
  readonly #quietMs: number;
  #latestMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #farthestMs = 0;

  /** @param quietMs a step that is no longer changes nothing that anybody could see */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  /** The venue's time of the next event, Unix ms. */
  saw(timeMs: number): void {
    if (timeMs >= this.#latestMs) {
      this.#latestMs = timeMs;
      return;
    }
    this.#count++;
    this.#farthestMs = Math.max(this.#farthestMs, this.#latestMs - timeMs);
  }

  /** Null when there was none that matters. */
  warning(path: string): RecordingWarning | null {
    if (this.#farthestMs <= this.#quietMs) return null;
    const events = this.#count === 1 ? '1 event has a time' : `${this.#count} events have times`;
    const message = `${events} before that of an event before it, by up to ${this.#farthestMs / 1000} s: raised to it`;
    return this.#farthestMs > MOST_USUAL_MS ? { path, message, isDamage: true } : { path, message };
  }
}
