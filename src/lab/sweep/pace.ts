/** How fast a sweep goes and how long it will take. */

import type { SweepProgress } from './contract.js';

export class Pace {
  readonly #now: () => number;
  readonly #startMs: number;
  readonly #all: number;
  /** Recorded events that this run is to play. */
  readonly #allEvents: number;
  #events = 0;

  constructor(now: () => number, all: number, allEvents: number) {
    this.#now = now;
    this.#startMs = now();
    this.#all = all;
    this.#allEvents = allEvents;
  }

  /** A backtest over so many recorded events has ended. */
  addPlayed(events: number): void {
    this.#events += events;
  }

  progress(done: number, failed: number): SweepProgress {
    const ms = this.#now() - this.#startMs;
    const perMs = this.#events > 0 && ms > 0 ? this.#events / ms : null;
    return {
      phase: 'running',
      done,
      failed,
      all: this.#all,
      events: this.#events,
      eventsPerS: perMs === null ? null : perMs * 1000,
      leftMs: perMs === null ? null : (this.#allEvents - this.#events) / perMs,
    };
  }
}
