/** Estimates the exchange's clock from answers in whole seconds. */

/**
 * An answer that says second `v` was written while the exchange's clock stood in [v, v + 1 s), and after its request
 * left and before it came. Each answer so bounds the difference of the two clocks from both sides; the bounds of many
 * answers meet. Bounds that contradict each other mean that a clock was stepped: the newest answer then counts alone.
 */
export class VenueClock {
  #lowMs = Number.NEGATIVE_INFINITY;
  #highMs = Number.POSITIVE_INFINITY;

  observe(venueTimeMs: number, sentMs: number, seenMs: number): void {
    const low = venueTimeMs - seenMs;
    const high = venueTimeMs + 1000 - sentMs;
    if (low > high) return; // Our own clock was stepped during the request: the answer says nothing.
    const contradicts = low > this.#highMs || high < this.#lowMs;
    this.#lowMs = contradicts ? low : Math.max(low, this.#lowMs);
    this.#highMs = contradicts ? high : Math.min(high, this.#highMs);
  }

  /** Exchange clock, ms, at our time `nowMs`; null before the first answer. */
  nowMs(nowMs: number): number | null {
    const offset = this.offsetMs;
    return offset === null ? null : nowMs + offset;
  }

  /** Exchange clock minus ours, ms; null before the first answer. */
  get offsetMs(): number | null {
    return Number.isFinite(this.#lowMs) ? (this.#lowMs + this.#highMs) / 2 : null;
  }
}

/** Times of the trader's steps, our clock, ms. */
export class StepClock {
  readonly venue = new VenueClock();
  /** The newest observation. */
  seenMs = Number.NEGATIVE_INFINITY;
  tickedMs = Number.NEGATIVE_INFINITY;
  /**
   * The first observation; null before it. Minus infinity after a clock set back: the startup grace is then over, and
   * quotes without a fresh book are pulled.
   */
  bornMs: number | null = null;

  /** Age of the process. After a clock set back it counts as older than any book: resting orders are then canceled. */
  get ageMs(): number {
    if (this.bornMs === null) return 0;
    return this.seenMs < this.bornMs ? Number.POSITIVE_INFINITY : this.seenMs - this.bornMs;
  }
}
