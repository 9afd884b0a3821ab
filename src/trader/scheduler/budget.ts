/**
 * Counts the requests of one scope in the venue's sliding window of a minute, by own requests and the client's reports.
 * It does not learn limits itself.
 *
 * A request counts from its release until a minute after its outcome is known. The exchange saw it in between, so this
 * window always covers the exchange's, whatever the network's delays.
 */

import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { BudgetReport } from '../../shared/protocol/seam.js';

/**
 * Unused fraction of the limit: a reserve for other programs' requests between two answers, and for the exchange's
 * whole-second clock.
 */
const MARGIN = 0.05;
/** Wait after a refusal that states none, ms. */
const FIRST_WAIT_MS = 1_000;
/** Longest wait after any refusal or clock jump, ms; then one request tries again. */
const LONGEST_WAIT_MS = 120_000;
/** Wait before an urgent request probes a full budget, ms; doubled with each refused probe. */
const PROBE_MS = { first: 1_000, longest: 10_000 } as const;

/** A reported limit below 1 / 8 of the profile's does not block cancels and own reads. */
const LEAST_TRUST = 8;
/** Own use beyond this fraction of the limit explains a full budget. */
const EXPLAINING_PART = 3 / 4;
/** Fraction of the profile's limit that a venue without a reported limit surely allows. */
const UNKNOWN_FROM_PART = 1 / 4;

/** Fraction of a minute's requests that may be sent at once. */
const BURST_PART = 1 / 4;

/** Requests that may be sent at once if `most` may be sent per minute. */
export const burstOf = (most: number): number => BURST_PART * most;

/** Outcome of a request of this scope. */
export interface Settled {
  readonly releasedMs: number;
  /** False when no byte of the request was sent. */
  readonly sent: boolean;
  /** True for any answer of the exchange, including a refusal. */
  readonly answered: boolean;
  readonly throttled: boolean;
  /** True for a request that was sent to find out whether the budget has room. */
  readonly isProbe: boolean;
}

export class Budget {
  readonly #profileLimit: number;
  #learnedLimit: number;
  /** Times of known outcomes, our clock, ascending; at most `limit`. */
  readonly #settled = new SlidingMinute();
  #inFlight = 0;
  /** Requests of other programs on the same budget (or of this trader's previous run), as last reported. */
  #foreign = 0;
  #foreignToldMs = 0;
  #blockedUntilMs = 0;
  #isFirm = false;
  #isShown = true;
  #isGuess = false;
  /** True after throttling until a request succeeds: one request at a time may try, in lane order. */
  probing = false;
  #isProbeUnderWay = false;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #probesRefused = 0;

  constructor(perMinute: number) {
    this.#profileLimit = perMinute;
    this.#learnedLimit = perMinute;
  }

  /** Requests per minute by the client's window, at most the profile's limit. */
  get limit(): number {
    return Math.min(this.#profileLimit, this.#learnedLimit);
  }

  /** Requests per minute that this trader may use now, less other programs' use; at least 1. */
  perMinute(nowMs: number): number {
    return Math.max(1, this.#usable - this.#foreignAt(nowMs));
  }

  /** True when neither slowed nor blocked, and without a known other user. */
  isSteady(nowMs: number): boolean {
    if (this.probing || this.blockedUntilMs(nowMs) > nowMs) return false;
    return this.#foreignAt(nowMs) === 0;
  }

  /**
   * Requests that may be sent now, or `withinMs` later if none is sent before. Other programs' use is taken as
   * constant.
   */
  available(nowMs: number, withinMs = 0): number {
    if (this.blockedUntilMs(nowMs) > nowMs) return 0;
    const unused = this.#usable - this.#own(nowMs + withinMs);
    // A probe ignores the last reported use by others: only its answer shows the current use.
    if (this.probing) return this.#inFlight === 0 && unused > 0 ? 1 : 0;
    return Math.max(0, unused - this.#foreignAt(nowMs));
  }

  /**
   * Requests that may be sent now if `most` per minute are spread evenly: one burst, plus an even part of the rest.
   * Without this rule, a burst would block all requests until a minute later. 0 or less when none may be sent.
   */
  evenRoom(most: number, nowMs: number): number {
    const burst = burstOf(most);
    const perMs = (most - burst) / MINUTE_MS;
    const least = this.#settled.leastOf(nowMs, (ageMs, since) => burst + perMs * ageMs - since);
    return Math.min(burst, least) - this.#inFlight;
  }

  /** Time at which `evenRoom` allows one more request, if nothing else happens. */
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
   * Time at which one urgent request may probe a full budget, because the venue's report may be wrong. Null while a
   * probe is in flight, or while own use leaves at most `floor` of the profile's limit. If own use explains the full
   * budget, only `isUrgent` requests probe.
   */
  probeMs(floor: number, nowMs: number, isUrgent: boolean): number | null {
    const own = this.#own(nowMs);
    const room = Math.floor(this.#profileLimit * (1 - MARGIN)) - own;
    if (this.#isProbeUnderWay || room <= floor) return null;
    if (!isUrgent && this.#isExplained(own, nowMs)) return null;
    this.#probeAtMs = Math.min(this.#probeAtMs, nowMs + PROBE_MS.longest);
    return Math.max(nowMs, this.#probeAtMs);
  }

  /** True when an unknown limit may refuse the next requests: then all in flight would be refused together. */
  isNearUnknownLimit(nowMs: number): boolean {
    return !this.#isShown && this.#own(nowMs) >= this.#profileLimit * UNKNOWN_FROM_PART;
  }

  #isExplained(own: number, nowMs: number): boolean {
    if (this.blockedUntilMs(nowMs) > nowMs) return this.#isFirm;
    return !this.#isGuess && this.limit * LEAST_TRUST >= this.#profileLimit && own >= this.limit * EXPLAINING_PART;
  }

  /** End of throttling, at most a bounded wait from now. */
  blockedUntilMs(nowMs: number): number {
    return Math.min(this.#blockedUntilMs, nowMs + LONGEST_WAIT_MS);
  }

  /** Earliest time at which `count` requests may be sent if nothing else happens; null when unknown. */
  availableFromMs(count: number, nowMs: number): number | null {
    const blocked = this.blockedUntilMs(nowMs);
    if (blocked > nowMs) return blocked;
    const missing = count - this.available(nowMs);
    if (missing <= 0) return nowMs;
    const freedMs = this.#settled.leavesMs(nowMs, missing - 1);
    if (freedMs !== null) return freedMs;
    return this.#foreignAt(nowMs) > 0 ? this.#foreignToldMs + MINUTE_MS : null;
  }

  /** Counts a request that is sent. */
  onSent(isProbe = false): void {
    this.#inFlight++;
    if (isProbe) this.#isProbeUnderWay = true;
  }

  /** Counts the outcome of a request; `report` is its answer's budget information. */
  onOutcome(nowMs: number, settled: Settled, report: BudgetReport | null): void {
    this.#inFlight--;
    if (settled.isProbe) this.#isProbeUnderWay = false;
    if (!settled.sent) return;
    // Times stay ascending after our clock was set back; a slot is then freed later, never earlier.
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

  /** Updates the probes: an answered probe ends the wait, a refused one delays the next probe. */
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

  /** Number of own requests that the exchange may still count. */
  #own(nowMs: number): number {
    return this.#inFlight + this.#settled.countAt(nowMs);
  }
}
