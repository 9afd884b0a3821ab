/** Virtual time: events in order of time, ties in order of scheduling. */

interface Happening {
  readonly atMs: number;
  readonly place: number;
  readonly run: () => void;
}

const before = (a: Happening, b: Happening): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.place < b.place);

export class Timeline {
  /** A binary heap: earliest first. */
  readonly #heap: Happening[] = [];
  #places = 0;
  #nowMs: number;
  count = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Schedules an event; whole milliseconds, like every clock here. */
  after(delayMs: number, run: () => void): void {
    const atMs = this.#nowMs + Math.max(0, Math.round(delayMs));
    const heap = this.#heap;
    heap.push({ atMs, place: this.#places++, run });
    for (let i = heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.#swapIfBefore(i, parent)) return;
      i = parent;
    }
  }

  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  runUntil(untilMs: number): void {
    for (let first = this.#heap[0]; first !== undefined && first.atMs <= untilMs; first = this.#heap[0]) {
      this.#removeFirst();
      this.#nowMs = first.atMs;
      this.count++;
      first.run();
    }
    this.#nowMs = untilMs;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return;
    heap[0] = last;
    for (let i = 0; ; ) {
      const left = 2 * i + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (a === undefined) return;
      const child = b !== undefined && before(b, a) ? left + 1 : left;
      if (!this.#swapIfBefore(child, i)) return;
      i = child;
    }
  }

  #swapIfBefore(i: number, j: number): boolean {
    const [a, b] = [this.#heap[i], this.#heap[j]];
    if (a === undefined || b === undefined || !before(a, b)) return false;
    this.#heap[i] = b;
    this.#heap[j] = a;
    return true;
  }
}
