/** Virtual time: events in order of time, ties in order of scheduling. */

import { Heap } from '../../exchange/core/timer-queue.js';

interface Happening {
  readonly atMs: number;
  readonly place: number;
  readonly run: () => void;
}

export class Timeline {
  readonly #heap = new Heap<Happening>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.place < b.place));
  #places = 0;
  nowMs: number;
  /** Things that have happened. */
  count = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Schedules an event; whole milliseconds, like every clock here. */
  after(delayMs: number, run: () => void): void {
    this.#heap.push({ atMs: this.nowMs + Math.max(0, Math.round(delayMs)), place: this.#places++, run });
  }

  get nextMs(): number {
    return this.#heap.first?.atMs ?? Number.POSITIVE_INFINITY;
  }

  runUntil(untilMs: number): void {
    for (let { first } = this.#heap; first !== undefined && first.atMs <= untilMs; first = this.#heap.first) {
      this.#heap.removeFirst();
      this.nowMs = first.atMs;
      this.count++;
      first.run();
    }
    this.nowMs = untilMs;
  }
}
