/**
 * Counts requests as a venue's sliding window counts them, never fewer. A request arrives there at some moment between
 * its sending and its answer; until the answer it counts as in flight, afterwards for a whole window from the answer.
 */

import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';

/**
 * Minimum fraction of the venue's limit that is tried, however little it allows: full trust returns within three
 * minutes.
 */
const LEAST_TRUST = 8;
/** Part of the limit; own use beyond it explains a full window. */
const EXPLAINING_PART = 3 / 4;
/** Minutes that a limit found by refusals holds before more is tried. */
const FOUND_HOLDS_MINUTES = 3;

/** Counts the requests of the last minute against a budget that the venue may correct. */
export class SlidingWindow {
  /** The profile's limit, before the venue's first answer. */
  readonly #base: number;
  #limit: number;
  /** Last limit reported by the venue, used or not. */
  #lastTold: number | null = null;
  /** Upper bound of own requests, whatever the venue reports: the rest belongs to another program. */
  readonly #most: number;
  #inFlight = 0;
  /** When each finished request was answered. */
  readonly #finished = new SlidingMinute();
  /** Foreign requests that the venue counts: another process with the same key, or our last run. */
  #foreign = 0;
  #foreignUntilMs = 0;
  /** Requests per minute tried for now, after the venue refused within its own limit; doubled each minute. */
  #ceiling = Number.POSITIVE_INFINITY;
  #ceilingSinceMs = 0;
  /** Times of refused requests, which a venue does not count. */
  readonly #refused = new SlidingMinute();

  /** `limit`: requests a minute until the venue reports another one; `Infinity` for none. `most`: upper bound of any report. */
  constructor(limit: number, most = Number.POSITIVE_INFINITY) {
    this.#base = limit;
    this.#limit = limit;
    this.#most = most;
  }

  /** Requests per minute that may leave, by current knowledge. */
  limitAt(nowMs: number): number {
    return Math.min(this.#limit, this.#ceilingAt(nowMs), this.#most);
  }

  /** Requests that may leave now. */
  free(nowMs: number): number {
    const used = this.#countUsed(nowMs);
    return Math.min(Math.min(this.#limit, this.#ceilingAt(nowMs)) - used, this.#most - (used - this.#foreign));
  }

  /** Requests that the profile allows now by our own count, whatever the venue reported since. */
  ownRoom(nowMs: number): number {
    return Math.min(this.#base, this.#most) - (this.#countUsed(nowMs) - this.#foreign);
  }

  /** Whether a reported limit of this many requests per minute is used. */
  isPlausible(limit: number): boolean {
    return limit * LEAST_TRUST >= this.#base;
  }

  /** True when the limit is our estimate after a refusal; the venue has not named it. */
  isGuess(nowMs: number): boolean {
    return this.#ceilingAt(nowMs) < this.#most;
  }

  /** True when our own use explains a full window: a request would be refused. */
  isUsedUp(nowMs: number): boolean {
    const limit = this.limitAt(nowMs);
    return this.isPlausible(limit) && this.#countUsed(nowMs) - this.#foreign >= limit * EXPLAINING_PART;
  }

  /** True when the venue has shown its limit, by a header or a refusal. */
  get isShown(): boolean {
    return this.#lastTold !== null || this.#ceiling !== Number.POSITIVE_INFINITY;
  }

  start(): void {
    this.#inFlight += 1;
  }

  /** One request was answered, or may have arrived. */
  finish(nowMs: number): void {
    this.#inFlight -= 1;
    if (this.#limit !== Number.POSITIVE_INFINITY) this.#finished.add(nowMs);
  }

  /** One request did not leave. */
  giveBack(): void {
    this.#inFlight -= 1;
  }

  /** Takes the venue's headers of an answer. A limit below the profile's counts when two in a row say the same. */
  learn(limit: number, remaining: number, nowMs: number): void {
    const isBelieved = limit >= this.#base || limit === this.#lastTold;
    this.#lastTold = limit;
    if (!isBelieved) return;
    this.#limit = limit;
    this.#foreign = 0;
    // The venue has not counted all requests in flight yet, so this may miss a few foreign ones, never invent any.
    this.#foreign = Math.max(0, limit - remaining - this.#countUsed(nowMs));
    this.#foreignUntilMs = nowMs + MINUTE_MS;
  }

  /**
   * The venue refused although neither headers nor profile explain it: its true limit is at most the number that
   * passed. `again`: a repetition, so part of the present count did not pass.
   */
  distrust(nowMs: number, again: boolean): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    const passed = this.#countUsed(nowMs) - this.#inFlight;
    const kept = again ? this.#ceilingAt(nowMs) : Number.POSITIVE_INFINITY;
    this.#ceiling = Math.min(kept, Math.max(1, Math.ceil(this.#limit / LEAST_TRUST), passed));
    this.#ceilingSinceMs = nowMs;
  }

  /** One request was refused as throttled. */
  refuse(nowMs: number): void {
    this.#refused.forget(nowMs);
    this.#refused.add(nowMs);
  }

  /** Requests of the last minute that passed, by current knowledge. */
  countPassed(nowMs: number): number {
    this.#countUsed(nowMs);
    return this.#finished.size - this.#refused.countAt(nowMs);
  }

  /**
   * The venue refused for want of budget without naming a limit: the limit is the number that passed in the last
   * minute.
   */
  find(nowMs: number): void {
    this.#ceiling = Math.max(1, Math.ceil(this.#base / LEAST_TRUST), this.countPassed(nowMs));
    this.#ceilingSinceMs = nowMs + (FOUND_HOLDS_MINUTES - 1) * MINUTE_MS;
  }

  /** When the next place is free, monotonic ms; Infinity while everything counted is in flight. */
  nextFreeMs(nowMs: number): number {
    this.#countUsed(nowMs);
    const ours = this.#finished.leavesMs(nowMs) ?? Number.POSITIVE_INFINITY;
    const others = this.#foreign > 0 ? this.#foreignUntilMs : Number.POSITIVE_INFINITY;
    return Math.min(ours, others, this.#nextTrustMs(nowMs));
  }

  /** Infinity once the ceiling exceeds the limit. */
  #ceilingAt(nowMs: number): number {
    const minutes = Math.max(0, Math.floor((nowMs - this.#ceilingSinceMs) / MINUTE_MS));
    const grown = this.#ceiling * 2 ** Math.min(minutes, 60);
    return grown < this.#limit ? grown : Number.POSITIVE_INFINITY;
  }

  #nextTrustMs(nowMs: number): number {
    if (this.#ceilingAt(nowMs) === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    if (nowMs < this.#ceilingSinceMs) return this.#ceilingSinceMs + MINUTE_MS;
    return nowMs + MINUTE_MS - ((nowMs - this.#ceilingSinceMs) % MINUTE_MS);
  }

  #countUsed(nowMs: number): number {
    this.#finished.forget(nowMs);
    if (this.#foreign > 0 && this.#foreignUntilMs <= nowMs) this.#foreign = 0;
    return this.#inFlight + this.#finished.size + this.#foreign;
  }
}
