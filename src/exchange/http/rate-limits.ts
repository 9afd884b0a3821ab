/**
 * Exact sliding windows: in no minute are more requests let through than the limit, and none that fits is refused. A
 * refused request does not count. One request costs constant time.
 */

const WINDOW_MS = 60_000;

/** Windows of one scope that may be in use at once; a stranger can name as many keys as he likes. */
const MAX_WINDOWS = 10_000;

/** What the rate headers say. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the oldest counted request leaves the window, ms: then one more place is free. */
  readonly resetMs: number;
}

/** One key's window: a ring of the times of its last `limit` requests. */
class Window {
  readonly #limit: number;
  // Grows to the limit by doubling: most keys make few requests.
  #times = new Float64Array(8);
  #start = 0;
  #count = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether nothing is left of it: forgetting it changes nothing. */
  isEmptyAt(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#count === 0;
  }

  take(nowMs: number): RateVerdict {
    this.#forget(nowMs);
    const allowed = this.#count < this.#limit;
    if (allowed) this.#push(nowMs);
    return {
      allowed,
      limit: this.#limit,
      remaining: this.#limit - this.#count,
      resetMs: (this.#times[this.#start] ?? nowMs) + WINDOW_MS,
    };
  }

  #forget(nowMs: number): void {
    while (this.#count > 0 && (this.#times[this.#start] ?? 0) <= nowMs - WINDOW_MS) {
      this.#start = (this.#start + 1) % this.#times.length;
      this.#count -= 1;
    }
  }

  #push(nowMs: number): void {
    if (this.#count === this.#times.length) this.#grow();
    this.#times[(this.#start + this.#count) % this.#times.length] = nowMs;
    this.#count += 1;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    times.set(this.#times.subarray(this.#start));
    times.set(this.#times.subarray(0, this.#start), this.#times.length - this.#start);
    this.#times = times;
    this.#start = 0;
  }
}

/** The windows of one scope, one for each key. */
export class RateLimit {
  readonly #limit: number;
  readonly #maxWindows: number;
  readonly #windows = new Map<string, Window>();
  readonly #overflow: Window;
  #sweptMs = Number.NEGATIVE_INFINITY;

  /** `limit`: requests in 60 seconds, at least 1. */
  constructor(limit: number, maxWindows = MAX_WINDOWS) {
    this.#limit = limit;
    this.#maxWindows = maxWindows;
    this.#overflow = new Window(limit);
  }

  /** Counts a request of this key at this time (which never goes back), if it fits. */
  take(key: string, nowMs: number): RateVerdict {
    return this.#windowOf(key, nowMs).take(nowMs);
  }

  #windowOf(key: string, nowMs: number): Window {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    if (this.#windows.size >= this.#maxWindows) this.#sweep(nowMs);
    // A flood of made-up keys shares one window; forgetting a window in use would let its key exceed the limit.
    if (this.#windows.size >= this.#maxWindows) return this.#overflow;
    const fresh = new Window(this.#limit);
    this.#windows.set(key, fresh);
    return fresh;
  }

  /** Drops the windows that have run empty, at most once a second so that a flood stays cheap. */
  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs < 1000) return;
    this.#sweptMs = nowMs;
    for (const [key, window] of this.#windows) if (window.isEmptyAt(nowMs)) this.#windows.delete(key);
  }
}
