/** Time without the proof that no order rests. */

/** Cancels take a second or two; a probe of a venue that denies any room takes longer. */
const FIRST_MS = 10_000;
/** A slow exchange must not be cut off repeatedly. */
const LONGEST_MS = 60_000;

export class Unproven {
  /** A monotonic clock. */
  readonly #steadyMs: () => number;
  #dueMs: number | null = null;
  #waitMs = FIRST_MS;

  constructor(steadyMs: () => number = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  /**
   * Called often. True when the next alternative is due: after ten seconds, then after twice as long each time, a
   * minute at most.
   */
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
