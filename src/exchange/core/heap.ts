/** A binary heap: the entry that comes before all others is first. */
export class Heap<T> {
  readonly #comesBefore: (a: T, b: T) => boolean;
  #entries: T[] = [];

  constructor(comesBefore: (a: T, b: T) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get first(): T | undefined {
    return this.#entries[0];
  }

  /** All entries; of another heap after a dump. */
  get entries(): readonly T[] {
    return this.#entries;
  }

  set entries(entries: readonly T[]) {
    this.#entries = [...entries];
  }

  push(entry: T): void {
    let at = this.#entries.push(entry) - 1;
    while (at > 0 && this.#swapIfBefore(at, (at - 1) >> 1)) at = (at - 1) >> 1;
  }

  removeFirst(): void {
    const last = this.#entries.pop();
    if (this.#entries.length === 0 || last === undefined) return;
    this.#entries[0] = last;
    for (let at = 0; ; ) {
      const [a, b] = [this.#entries[2 * at + 1], this.#entries[2 * at + 2]];
      if (a === undefined) return;
      const child = b !== undefined && this.#comesBefore(b, a) ? 2 * at + 2 : 2 * at + 1;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  #swapIfBefore(child: number, parent: number): boolean {
    const [low, high] = [this.#entries[child], this.#entries[parent]];
    if (low === undefined || high === undefined || !this.#comesBefore(low, high)) return false;
    this.#entries[child] = high;
    this.#entries[parent] = low;
    return true;
  }
}
