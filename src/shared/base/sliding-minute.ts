/** Times of the last minute, for request budgets. A time counts for one minute. Calls take constant time. */

export const MINUTE_MS = 60_000;

export class SlidingMinute {
  /** A ring buffer that grows by doubling. */
  #times = new Float64Array(8);
  #first = 0;
  #size = 0;

  /** Number of stored times, including expired times not dropped yet. */
  get size(): number {
    return this.#size;
  }

  /** The last stored time; null without any. */
  get newestMs(): number | null {
    return this.#size === 0 ? null : this.#time(this.#size - 1);
  }

  /** Times are added in order; one earlier than the last is stored behind it. */
  add(timeMs: number): void {
    if (this.#size === this.#times.length) this.#grow();
    this.#times[(this.#first + this.#size) % this.#times.length] = timeMs;
    this.#size += 1;
  }

  /** Number of times that count now. Nothing is dropped: a clock that jumps and returns does no harm. */
  countAt(nowMs: number): number {
    return this.#size - this.#overAt(nowMs);
  }

  /** When the oldest counted moment expires, or the `skipped`-th after it; null when there are fewer. */
  leavesMs(nowMs: number, skipped = 0): number | null {
    const place = this.#overAt(nowMs) + skipped;
    return place < this.#size ? this.#time(place) + MINUTE_MS : null;
  }

  /** Minimum of a figure over the counted times, by age, ms, and number of times from it on; Infinity without any. */
  leastOf(nowMs: number, figure: (ageMs: number, since: number) => number): number {
    let least = Number.POSITIVE_INFINITY;
    for (let place = this.#overAt(nowMs); place < this.#size; place++)
      least = Math.min(least, figure(nowMs - this.#time(place), this.#size - place));
    return least;
  }

  /** Deletes expired times. Call it only if the clock never steps back, or just before adding a time. */
  forget(nowMs: number): void {
    const over = this.#overAt(nowMs);
    this.#first = (this.#first + over) % this.#times.length;
    this.#size -= over;
  }

  #overAt(nowMs: number): number {
    let over = 0;
    while (over < this.#size && this.#time(over) <= nowMs - MINUTE_MS) over += 1;
    return over;
  }

  #time(place: number): number {
    // Every index below `#size` was written.
    return this.#times[(this.#first + place) % this.#times.length] ?? 0;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    times.set(this.#times.subarray(this.#first));
    times.set(this.#times.subarray(0, this.#first), this.#times.length - this.#first);
    this.#times = times;
    this.#first = 0;
  }
}
