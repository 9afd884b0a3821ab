/**
 * Exact sliding windows: no minute passes more requests than the limit, and no request within it is refused. A refused
 * request does not count. Constant time per request.
 */

import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';

/** Windows of unknown keys per scope; a caller may name any number of keys. */
const MAX_STRANGERS = 10_000;
/** Interval of the cleanup of empty windows, ms: a flood stays cheap. */
const SWEEP_EVERY_MS = 1000;

/** Values of the rate headers. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When enough requests have left the window for one more, ms. */
  readonly resetMs: number;
}

class Window {
  readonly #minute = new SlidingMinute();

  isEmptyAt(nowMs: number): boolean {
    this.#minute.forget(nowMs);
    return this.#minute.size === 0;
  }

  take(nowMs: number, limit: number): RateVerdict {
    this.#minute.forget(nowMs);
    const allowed = this.#minute.size < limit;
    if (allowed) this.#minute.add(nowMs);
    const count = this.#minute.size;
    // After a limit was lowered below the count, as many requests must leave first.
    const resetMs = this.#minute.leavesMs(nowMs, Math.max(0, count - limit)) ?? nowMs + MINUTE_MS;
    return { allowed, limit, remaining: Math.max(0, limit - count), resetMs };
  }
}

/**
 * The windows of one scope, one for each key. A key that somebody holds always has its own. What strangers name is kept
 * up to a bound; beyond it, until it is quiet again, new strangers share one window: they may be refused too early, but
 * none is let through more often than the limit allows, and memory stays bounded.
 */
export class RateLimit {
  readonly #usual: number;
  #limit: number;
  readonly #maxStrangers: number;
  readonly #windows = new Map<string, Window>();
  readonly #crowdedOut = new Window();
  #sweptMs = Number.NEGATIVE_INFINITY;

  /** `limit`: requests in 60 seconds, at least 1. */
  constructor(limit: number, maxStrangers = MAX_STRANGERS) {
    this.#usual = limit;
    this.#limit = limit;
    this.#maxStrangers = maxStrangers;
  }

  /** Continues with another limit, by default the first one: passed requests stay counted. */
  changeLimit(limit = this.#usual): void {
    this.#limit = limit;
  }

  get size(): number {
    return this.#windows.size;
  }

  /**
   * Counts a request of this key at this time (ms, which never goes back), if it fits. `isHeld` tells whether the key
   * exists; called only for a key without a window.
   */
  take(key: string, nowMs: number, isHeld: (key: string) => boolean = nobodys): RateVerdict {
    const window = this.#windows.get(key) ?? this.#windowFor(key, nowMs, isHeld);
    return window.take(nowMs, this.#limit);
  }

  #windowFor(key: string, nowMs: number, isHeld: (key: string) => boolean): Window {
    if (!isHeld(key) && this.#isCrowded(nowMs)) return this.#crowdedOut;
    const fresh = new Window();
    this.#windows.set(key, fresh);
    return fresh;
  }

  /** Also while the shared window is not empty: its callers must not start again in own windows. */
  #isCrowded(nowMs: number): boolean {
    if (this.#windows.size >= this.#maxStrangers) this.#sweep(nowMs);
    return this.#windows.size >= this.#maxStrangers || !this.#crowdedOut.isEmptyAt(nowMs);
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs < SWEEP_EVERY_MS) return;
    this.#sweptMs = nowMs;
    for (const [key, window] of this.#windows) if (window.isEmptyAt(nowMs)) this.#windows.delete(key);
  }
}

const nobodys = () => false;

/** The windows of every scope, by a venue's limits. */
export const openRateLimits = (limits: VenueProfile['rate_limits']): Readonly<Record<Scope, RateLimit>> => ({
  public: new RateLimit(limits.public_per_minute),
  signed: new RateLimit(limits.signed_per_minute),
  bootstrap: new RateLimit(limits.bootstrap_per_minute),
});
