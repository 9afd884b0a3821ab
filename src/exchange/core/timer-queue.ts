/** Due times: a binary heap by time, then by order of insertion. */

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

const before = (a: Timer, b: Timer): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);

/** Timers of all subsystems, in order of time. */
export class TimerQueue {
  #heap: Timer[] = [];
  #sequence = 0;

  /** Time of the first entry; infinity without one. */
  nextMs = Number.POSITIVE_INFINITY;

  put(dueMs: number, kind: TimerKind, id: number): void {
    this.#sequence += 1;
    this.#heap.push({ dueMs, sequence: this.#sequence, kind, id });
    let at = this.#heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) break;
      at = parent;
    }
    this.#peek();
  }

  /** Removes and returns the first entry if it is due. */
  take(nowMs: number): Timer | null {
    const first = this.#heap[0];
    if (first === undefined || first.dueMs > nowMs) return null;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) {
      this.#heap[0] = last;
      this.#sink();
    }
    this.#peek();
    return first;
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const [a, b] = [this.#heap[left], this.#heap[left + 1]];
      if (a === undefined) return;
      const child = b !== undefined && before(b, a) ? left + 1 : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  /** Swaps entry `child` with `parent` when it is due earlier. */
  #swapIfBefore(child: number, parent: number): boolean {
    const [low, high] = [this.#heap[child], this.#heap[parent]];
    if (low === undefined || high === undefined || !before(low, high)) return false;
    this.#heap[child] = high;
    this.#heap[parent] = low;
    return true;
  }

  #peek(): void {
    this.nextMs = this.#heap[0]?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  dump() {
    return { sequence: this.#sequence, entries: [...this.#heap] };
  }

  load(dump: ReturnType<TimerQueue['dump']>): void {
    this.#sequence = dump.sequence;
    this.#heap = dump.entries.map((entry) => ({ ...entry }));
    this.#peek();
  }
}
