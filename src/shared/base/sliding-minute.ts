/** Times of requests in the last minute, for request budgets. Each request time counts for one minute. */

export const MINUTE_MS = 60_000;

export class SlidingMinute {
  #times = new Float64Array(8);
  #first = 0;
  #size = 0;

  /** Number of stored times, including expired times that are not yet deleted. */
  get size(): number {
    return this.#size;
  }

  /** The last stored time, ms; null if no time is stored. */
  get newestMs(): number | null {
    return this.#size === 0 ? null : this.timeAt(1);
  }

  /** Appends a time. Times are stored in order of arrival, even if the clock stepped back. */
  add(timeMs: number): void {
    if (this.#size === this.#times.length) this.#grow();
    this.#times[(this.#first + this.#size) % this.#times.length] = timeMs;
    this.#size += 1;
  }

  /** Returns the number of times in the last minute. Older times are kept, in case the clock jumps ahead and back. */
  countAt(nowMs: number): number {
    return this.#size - this.#overAt(nowMs);
  }

  /** Returns when the oldest time in the last minute expires, or the time `skipped` places later, ms; null if none. */
  leavesMs(nowMs: number, skipped = 0): number | null {
    const place = this.#overAt(nowMs) + skipped;
    return place < this.#size ? this.timeAt(this.#size - place) + MINUTE_MS : null;
  }

  /** Returns a stored time, ms. `since`: count of this and all later times, so 1 for the newest. */
  timeAt(since: number): number {
    return this.#times[(this.#first + this.#size - since) % this.#times.length] ?? 0;
  }

  /** Deletes expired times. Must be called only if the clock never steps back, or just before a time is added. */
  forget(nowMs: number): void {
    const over = this.#overAt(nowMs);
    this.#first = (this.#first + over) % this.#times.length;
    this.#size -= over;
  }

  #overAt(nowMs: number): number {
    let over = 0;
    while (over < this.#size && this.timeAt(this.#size - over) <= nowMs - MINUTE_MS) over += 1;
    return over;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    times.set(this.#times.subarray(this.#first));
    times.set(this.#times.subarray(0, this.#first), this.#times.length - this.#first);
    this.#times = times;
    this.#first = 0;
  }
}
