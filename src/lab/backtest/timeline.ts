/** Virtual time: what is to happen, in order of its moment, and of its announcement where moments are equal. */

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
  /** Things that have happened. */
  count = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  /** The exchange's clock, Unix ms. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Something that happens later; whole milliseconds, as every clock here counts. */
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

  /** When the next thing happens, Unix ms; Infinity when nothing will. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Lets everything happen that is due by then. */
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

  /** Exchanges the two places when what stands in the first comes before what stands in the second. */
  #swapIfBefore(i: number, j: number): boolean {
    const [a, b] = [this.#heap[i], this.#heap[j]];
    if (a === undefined || b === undefined || !before(a, b)) return false;
    this.#heap[i] = b;
    this.#heap[j] = a;
    return true;
  }
}
