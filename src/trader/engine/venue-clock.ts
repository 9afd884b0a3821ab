/**
 * Estimates the exchange's clock from whole-second times in answers. The exchange wrote a time `v` when its clock was
 * in [v, v + 1 s), between request and answer. Each answer thus gives a lower and an upper bound of the clock
 * difference. If bounds contradict each other, a clock was set, and the newest answer replaces all earlier ones.
 */

export class VenueTimeBounds {
  #lowMs = Number.NEGATIVE_INFINITY;
  #highMs = Number.POSITIVE_INFINITY;

  observe(venueTimeMs: number, sentMs: number, seenMs: number): void {
    const low = venueTimeMs - seenMs;
    const high = venueTimeMs + 1000 - sentMs;
    if (low > high) return; // Our clock was changed during the request, so the answer is useless.
    const contradicts = low > this.#highMs || high < this.#lowMs;
    this.#lowMs = contradicts ? low : Math.max(low, this.#lowMs);
    this.#highMs = contradicts ? high : Math.min(high, this.#highMs);
  }

  /** Returns the exchange's clock when ours shows `nowMs`, Unix ms; null before the first answer. */
  nowMs(nowMs: number): number | null {
    const offset = this.offsetMs;
    return offset === null ? null : nowMs + offset;
  }

  /** Exchange clock minus ours, ms; null before the first answer. */
  get offsetMs(): number | null {
    return Number.isFinite(this.#lowMs) ? (this.#lowMs + this.#highMs) / 2 : null;
  }
}

export class StepClock {
  readonly venue = new VenueTimeBounds();
  /** Time of the trader's newest observation, our clock, ms. */
  seenMs = Number.NEGATIVE_INFINITY;
  tickedMs = Number.NEGATIVE_INFINITY;
  /** Time of the first observation, our clock, ms; null before. -Infinity after a clock set-back: no startup wait. */
  bornMs: number | null = null;

  /** Age of the process, ms; Infinity after our clock was set back, so that orders without a new book are canceled. */
  get ageMs(): number {
    if (this.bornMs === null) return 0;
    return this.seenMs < this.bornMs ? Number.POSITIVE_INFINITY : this.seenMs - this.bornMs;
  }
}
