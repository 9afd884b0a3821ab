/**
 * The requests of one scope in the venue's sliding window of a minute: our own count, and what the client's window says with
 * each outcome. It learns of no limit itself.
 *
 * A request counts from the moment it is released until a minute after its outcome is known. The exchange saw it
 * somewhere in between, so our window always covers the exchange's, whatever the network's delays.
 */

import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { BudgetReport } from '../../shared/protocol/seam.js';

/** Unused fraction of the limit: for others' requests between two answers, and the exchange's clock of 1 s. */
const MARGIN = 0.05;
/** For a refusal without a wait. */
const FIRST_WAIT_MS = 1_000;
/** Longest wait, ms, after any refusal or clock step: then one request tries again. */
const LONGEST_WAIT_MS = 120_000;
/** From the last answer without room to a probe of an urgent lane; doubled with each refused probe. */
const PROBE_MS = { first: 1_000, longest: 10_000 } as const;

/** A limit below this fraction of the profile's does not hold back cancels and own reads. */
const LEAST_TRUST = 8;
/** Own use beyond this fraction of the limit explains a full budget. */
const EXPLAINING_PART = 3 / 4;
/** Of the profile's limit; a venue that names no limit may allow no more. */
const UNKNOWN_FROM_PART = 1 / 4;

/** Fraction of a minute's requests that may leave at once. */
const BURST_PART = 1 / 4;

/** Requests that may leave at once if `most` may leave in a minute. */
export const burstOf = (most: number): number => BURST_PART * most;

/** Outcome of a request of this scope. */
export interface Settled {
  readonly releasedMs: number;
  /** False when no byte of it left. */
  readonly sent: boolean;
  /** True for any answer of the exchange, including a refusal. */
  readonly answered: boolean;
  readonly throttled: boolean;
  /** It was sent to find out whether there is room. */
  readonly isProbe: boolean;
}

export class Budget {
  readonly #profileLimit: number;
  #learnedLimit: number;
  /** Our clock of known outcomes, ascending; at most `limit` of them. */
  readonly #settled = new SlidingMinute();
  #inFlight = 0;
  /** Requests of others on the same budget (another program, our own previous run), as last reported. */
  #foreign = 0;
  #foreignToldMs = 0;
  #blockedUntilMs = 0;
  #isFirm = false;
  #isShown = true;
  #isGuess = false;
  /** After throttling, until a request was answered otherwise: one request at a time may try, in order of lanes. */
  probing = false;
  #isProbeUnderWay = false;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #probesRefused = 0;

  constructor(perMinute: number) {
    this.#profileLimit = perMinute;
    this.#learnedLimit = perMinute;
  }

  /** Limit of the client's window, at most the profile's. */
  get limit(): number {
    return Math.min(this.#profileLimit, this.#learnedLimit);
  }

  /** Requests per minute that may be used now, without others' use; at least 1. */
  perMinute(nowMs: number): number {
    return Math.max(1, this.#usable - this.#foreignAt(nowMs));
  }

  /** Neither slowed nor blocked, and no known other user. */
  isSteady(nowMs: number): boolean {
    if (this.probing || this.blockedUntilMs(nowMs) > nowMs) return false;
    return this.#foreignAt(nowMs) === 0;
  }

  /**
   * Requests that may leave now, or `withinMs` later if none leaves before. Others' use and the current rate are taken
   * as constant.
   */
  available(nowMs: number, withinMs = 0): number {
    if (this.blockedUntilMs(nowMs) > nowMs) return 0;
    const unused = this.#usable - this.#own(nowMs + withinMs);
    // A probe ignores others' last known use: only its answer shows their current use.
    if (this.probing) return this.#inFlight === 0 && unused > 0 ? 1 : 0;
    return Math.max(0, unused - this.#foreignAt(nowMs));
  }

  /**
   * Requests that may leave now if `most` may leave per minute, spread evenly: a span of t ms that ends now may hold
   * one burst plus an even part of the rest. A burst frees its slots only a minute later; without this rule nothing
   * could leave in between. 0 or less when none may.
   */
  evenRoom(most: number, nowMs: number): number {
    const burst = burstOf(most);
    const perMs = (most - burst) / MINUTE_MS;
    const least = this.#settled.leastOf(nowMs, (ageMs, since) => burst + perMs * ageMs - since);
    return Math.min(burst, least) - this.#inFlight;
  }

  /** When `evenRoom` allows one more, if nothing else happens. */
  evenRoomFromMs(most: number, nowMs: number): number {
    const burst = burstOf(most);
    const perMs = (most - burst) / MINUTE_MS;
    const leastMs = this.#settled.leastOf(nowMs, (ageMs, since) => {
      const freeAgeMs = Math.max(0, since + this.#inFlight + 1 - burst) / perMs;
      return ageMs - Math.min(MINUTE_MS, freeAgeMs);
    });
    return nowMs + Math.max(0, Math.ceil(-leastMs));
  }

  /**
   * When one request may leave though nothing else may, to find out: what it is for cannot wait for a venue that errs. Null
   * while one is under way, or while what we ourselves have sent leaves no more than `floor` of the profile's limit. Where our
   * own use explains that there is no room, only what is urgent leaves.
   */
  probeMs(floor: number, nowMs: number, isUrgent: boolean): number | null {
    const own = this.#own(nowMs);
    const room = Math.floor(this.#profileLimit * (1 - MARGIN)) - own;
    if (this.#isProbeUnderWay || room <= floor) return null;
    if (!isUrgent && this.#isExplained(own, nowMs)) return null;
    this.#probeAtMs = Math.min(this.#probeAtMs, nowMs + PROBE_MS.longest);
    return Math.max(nowMs, this.#probeAtMs);
  }

  /** True when an unknown limit may refuse the next requests: all in flight would be refused together. */
  isNearUnknownLimit(nowMs: number): boolean {
    return !this.#isShown && this.#own(nowMs) >= this.#profileLimit * UNKNOWN_FROM_PART;
  }

  #isExplained(own: number, nowMs: number): boolean {
    if (this.blockedUntilMs(nowMs) > nowMs) return this.#isFirm;
    return !this.#isGuess && this.limit * LEAST_TRUST >= this.#profileLimit && own >= this.limit * EXPLAINING_PART;
  }

  /** End of throttling; at most a bounded wait from now. */
  blockedUntilMs(nowMs: number): number {
    return Math.min(this.#blockedUntilMs, nowMs + LONGEST_WAIT_MS);
  }

  /** Earliest time at which `count` requests may leave if nothing else happens; null when unknown. */
  availableFromMs(count: number, nowMs: number): number | null {
    const blocked = this.blockedUntilMs(nowMs);
    if (blocked > nowMs) return blocked;
    const missing = count - this.available(nowMs);
    if (missing <= 0) return nowMs;
    const freedMs = this.#settled.leavesMs(nowMs, missing - 1);
    if (freedMs !== null) return freedMs;
    return this.#foreignAt(nowMs) > 0 ? this.#foreignToldMs + MINUTE_MS : null;
  }

  /** One request leaves. */
  onSent(isProbe = false): void {
    this.#inFlight++;
    if (isProbe) this.#isProbeUnderWay = true;
  }

  /** One request ended; `report` is its answer's budget information. */
  onOutcome(nowMs: number, settled: Settled, report: BudgetReport | null): void {
    this.#inFlight--;
    if (settled.isProbe) this.#isProbeUnderWay = false;
    if (!settled.sent) return;
    // Ascending also after a clock set back: a slot is then freed later, never earlier.
    this.#settled.add(Math.max(nowMs, this.#settled.newestMs ?? nowMs));
    this.#settled.forget(nowMs);
    if (report !== null) {
      this.#learn(nowMs, report);
      this.#isShown = report.isShown ?? true;
      this.#isGuess = report.isGuess ?? false;
    }
    if (settled.throttled) this.#throttle(nowMs, report);
    else if (settled.answered && settled.releasedMs >= this.#blockedUntilMs) this.probing = false;
    this.#onProbe(nowMs, settled);
  }

  /** An answered probe ends the wait; a refused one delays the next probe. */
  #onProbe(nowMs: number, { isProbe, answered, throttled }: Settled): void {
    if (isProbe && answered && !throttled) {
      this.#blockedUntilMs = nowMs;
      this.probing = false;
      this.#probesRefused = 0;
      this.#probeAtMs = nowMs;
    } else if (isProbe || throttled || this.available(nowMs) < 1) {
      if (isProbe && throttled) this.#probesRefused = Math.min(this.#probesRefused + 1, 10);
      this.#probeAtMs = nowMs + Math.min(PROBE_MS.longest, PROBE_MS.first * 2 ** this.#probesRefused);
    }
  }

  #learn(nowMs: number, { limit, remaining }: BudgetReport): void {
    const sane = Number.isSafeInteger(limit) && Number.isSafeInteger(remaining) && limit >= 1 && remaining >= 0;
    if (!sane || remaining > limit) return;
    this.#learnedLimit = limit;
    this.#foreign = Math.max(0, limit - remaining - this.#own(nowMs));
    this.#foreignToldMs = nowMs;
  }

  #throttle(nowMs: number, report: BudgetReport | null): void {
    const told = Math.max(report?.resetMs ?? nowMs, nowMs + FIRST_WAIT_MS);
    const until = Number.isFinite(told) ? told : nowMs + FIRST_WAIT_MS;
    this.#blockedUntilMs = Math.min(Math.max(this.#blockedUntilMs, until), nowMs + LONGEST_WAIT_MS);
    this.#isFirm = report?.isFirm ?? false;
    this.probing = true;
  }

  get #usable(): number {
    return Math.max(1, Math.floor(this.limit * (1 - MARGIN)));
  }

  #foreignAt(nowMs: number): number {
    return nowMs - this.#foreignToldMs < MINUTE_MS ? this.#foreign : 0;
  }

  /** Own requests that the exchange may still count. */
  #own(nowMs: number): number {
    return this.#inFlight + this.#settled.countAt(nowMs);
  }
}
