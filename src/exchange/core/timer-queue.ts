/** Due times of the exchange's records. */

import { Heap } from './heap.js';

/**
 * `order`: expiry of an order's draft; the rest likewise. `landing`: a submitted merge or split. Of margin: the next
 * step of a request or settlement, an interest check of a position, and the time of its close.
 */
export type TimerKind = 'order' | 'conversion' | 'landing' | 'redeem' | 'request' | 'settlement' | 'position' | 'close';

/** A due time: kind, record and time. */
export interface Timer {
  readonly dueMs: number;
  readonly sequence: number;
  readonly kind: TimerKind;
  /** Id of the record; whether it still waits is checked when due. */
  readonly id: number;
}

/** Timers of all subsystems, in order of time, then of insertion. */
export class TimerQueue {
  readonly #heap = new Heap<Timer>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence));
  #sequence = 0;

  /** Time of the first entry; infinity without one. */
  nextMs = Number.POSITIVE_INFINITY;

  put(dueMs: number, kind: TimerKind, id: number): void {
    this.#sequence += 1;
    this.#heap.push({ dueMs, sequence: this.#sequence, kind, id });
    this.#peek();
  }

  /** Removes and returns the first entry if it is due. */
  take(nowMs: number): Timer | null {
    const { first } = this.#heap;
    if (first === undefined || first.dueMs > nowMs) return null;
    this.#heap.removeFirst();
    this.#peek();
    return first;
  }

  #peek(): void {
    this.nextMs = this.#heap.first?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  dump() {
    return { sequence: this.#sequence, entries: [...this.#heap.entries] };
  }

  load(dump: ReturnType<TimerQueue['dump']>): void {
    this.#sequence = dump.sequence;
    this.#heap.entries = dump.entries.map((entry) => ({ ...entry }));
    this.#peek();
  }
}
