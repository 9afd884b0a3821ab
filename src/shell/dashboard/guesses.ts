/** Wrong proofs and tokens within a minute, from any caller: a guesser looks like the operator. */

const MOST_GUESSES = 10;
const WINDOW_MS = 60_000;

export class Guesses {
  /** A clock that never steps, ms. */
  readonly #steadyMs: () => number;
  #timesMs: number[] = [];
  #count = 0;

  constructor(steadyMs = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  /** All since the start. */
  get count(): number {
    return this.#count;
  }

  /** True at the maximum of a minute: no further one is answered. */
  get isLocked(): boolean {
    const steadyMs = this.#steadyMs();
    this.#timesMs = this.#timesMs.filter((timeMs) => steadyMs - timeMs < WINDOW_MS);
    return this.#timesMs.length >= MOST_GUESSES;
  }

  add(): void {
    this.#count++;
    this.#timesMs = [...this.#timesMs, this.#steadyMs()].slice(-MOST_GUESSES);
  }
}
