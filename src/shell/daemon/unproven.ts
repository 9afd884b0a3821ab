/** Time for which a proof that no order rests has been missing. */

/** Cancels take a second or two, and a probe of a venue that denies any room some more. */
const FIRST_MS = 10_000;
/** An exchange that is slow must not be cut off over and over. */
const LONGEST_MS = 60_000;

export class Unproven {
  /** By a clock that never steps. */
  readonly #steadyMs: () => number;
  #dueMs: number | null = null;
  #waitMs = FIRST_MS;

  constructor(steadyMs: () => number = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  /** Called often. True when something else has to be tried: after ten seconds, then after twice as long each time, a minute at most. */
  isOverdue(wantsProof: boolean): boolean {
    const nowMs = this.#steadyMs();
    if (!wantsProof) {
      this.#dueMs = null;
      this.#waitMs = FIRST_MS;
      return false;
    }
    this.#dueMs ??= nowMs + this.#waitMs;
    if (nowMs < this.#dueMs) return false;
    this.#waitMs = Math.min(LONGEST_MS, 2 * this.#waitMs);
    this.#dueMs = nowMs + this.#waitMs;
    return true;
  }
}
