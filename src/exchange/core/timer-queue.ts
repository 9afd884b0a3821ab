/** A binary heap with a given order of entries; the first entry in this order is at the top. */
export class Heap<T> {
  readonly #comesBefore: (a: T, b: T) => boolean;
  /** All entries in the heap's own order. A snapshot may store and restore these entries. */
  entries: T[] = [];

  constructor(comesBefore: (a: T, b: T) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get first(): T | undefined {
    return this.entries[0];
  }

  push(entry: T): void {
    let at = this.entries.push(entry) - 1;
    while (at > 0 && this.#swapIfBefore(at, (at - 1) >> 1)) at = (at - 1) >> 1;
  }

  removeFirst(): void {
    const last = this.entries.pop();
    if (this.entries.length === 0 || last === undefined) return;
    this.entries[0] = last;
    for (let at = 0; ; ) {
      const [a, b] = [this.entries[2 * at + 1], this.entries[2 * at + 2]];
      if (a === undefined) return;
      const child = b !== undefined && this.#comesBefore(b, a) ? 2 * at + 2 : 2 * at + 1;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const [low, high] = [this.entries[child], this.entries[parent]];
    if (low === undefined || high === undefined || !this.#comesBefore(low, high)) return false;
    this.entries[child] = high;
    this.entries[parent] = low;
    return true;
  }
}

/** Kind of a timer: draft expiry, conversion landing, request or settlement step, interest check or position close. */
type TimerKind = 'order' | 'conversion' | 'landing' | 'redeem' | 'request' | 'settlement' | 'position' | 'close';

/** A due time, Unix ms, and the record that must be processed then. */
export interface Timer {
  readonly dueMs: number;
  readonly sequence: number;
  readonly kind: TimerKind;
  /** Id of the timer's record. Timers are never canceled, so the record's state is checked when the timer is due. */
  readonly id: number;
}

/** Timers of all subsystems, ordered by time and then by insertion. */
export class TimerQueue {
  readonly #heap = new Heap<Timer>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence));
  #sequence = 0;

  /** Due time of the earliest timer, Unix ms; infinite without a timer. */
  nextMs = Number.POSITIVE_INFINITY;

  put(dueMs: number, kind: TimerKind, id: number): void {
    this.#sequence += 1;
    this.#heap.push({ dueMs, sequence: this.#sequence, kind, id });
    this.#peek();
  }

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
