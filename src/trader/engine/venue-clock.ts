/**
 * Estimates the exchange's clock from the whole-second times in its answers. An answer's time `v` means that, between
 * request and answer, the exchange's clock was in [v, v + 1 s). So each answer bounds the clock difference on both
 * sides. If bounds contradict each other, a clock was set, and the newest answer replaces all earlier ones.
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

  /** Returns the exchange's time when our clock shows `nowMs`, Unix ms; null before the first answer. */
  nowMs(nowMs: number): number | null {
    const offset = this.offsetMs;
    return offset === null ? null : nowMs + offset;
  }

  /** Exchange clock minus our clock, ms; null before the first answer. */
  get offsetMs(): number | null {
    return Number.isFinite(this.#lowMs) ? (this.#lowMs + this.#highMs) / 2 : null;
  }
}

export class StepClock {
  readonly venue = new VenueTimeBounds();
  /** Time of the trader's newest observation, our clock, ms. */
  seenMs = Number.NEGATIVE_INFINITY;
  tickedMs = Number.NEGATIVE_INFINITY;
  /** Time of the first observation, our clock, ms; null before it. -Infinity after our clock was set back. */
  bornMs: number | null = null;

  /** Age of the process, ms. Infinity after our clock was set back, which ends all startup waits. */
  get ageMs(): number {
    if (this.bornMs === null) return 0;
    return this.seenMs < this.bornMs ? Number.POSITIVE_INFINITY : this.seenMs - this.bornMs;
  }
}
