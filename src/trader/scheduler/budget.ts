/**
 * The requests of one scope in the venue's sliding window of a minute: our own count, and what the client's window says with
 * each outcome. It learns of no limit itself.
 *
 * A request counts from the moment it is released until a minute after its outcome is known. The exchange saw it
 * somewhere in between, so our window always covers the exchange's, whatever the network's delays.
 */

import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { BudgetReport } from '../../shared/protocol/seam.js';

/** Part of the limit that is left alone: others' requests between two answers, and the exchange's clock of 1 s. */
const MARGIN = 0.05;
/** Without a word on when to come back. */
const FIRST_WAIT_MS = 1_000;
/** No refusal, and no clock that stepped, keeps us out for longer: then one request tries again. */
const LONGEST_WAIT_MS = 120_000;
/** From the last word that leaves no room to a probe of an urgent lane; doubled with each one that was refused. */
const PROBE_MS = { first: 1_000, longest: 10_000 } as const;

/** A limit below this part of the profile's is no reason to hold back cancels and reads of own state. */
const LEAST_TRUST = 8;
/** Of the limit; own use beyond it explains that there is no room. */
const EXPLAINING_PART = 3 / 4;
/** Of the profile's limit; a venue that names none may allow no more. */
const UNKNOWN_FROM_PART = 1 / 4;

/** Of what may leave in a minute, so much may leave at once. */
const BURST_PART = 1 / 4;

/** How many may leave at once where `most` may in a minute. */
export const burstOf = (most: number): number => BURST_PART * most;

/** How a request of this scope ended. */
export interface Settled {
  readonly releasedMs: number;
  /** False when no byte of it ever left. */
  readonly sent: boolean;
  /** True when the exchange answered at all, be it with a refusal. */
  readonly answered: boolean;
  readonly throttled: boolean;
  /** It left to find out whether there is room after all. */
  readonly isProbe: boolean;
}

export class Budget {
  readonly #profileLimit: number;
  #learnedLimit: number;
  /** Our clock when outcomes became known, ascending. At most `limit` of them. */
  readonly #settled = new SlidingMinute();
  #inFlight = 0;
  /** Requests of others that use the same budget (another program, our own previous run), as last told. */
  #foreign = 0;
  #foreignToldMs = 0;
  #blockedUntilMs = 0;
  #isFirm = false;
  #isShown = true;
  #isGuess = false;
  #probing = false;
  #isProbeUnderWay = false;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #probesRefused = 0;

  constructor(perMinute: number) {
    this.#profileLimit = perMinute;
    this.#learnedLimit = perMinute;
  }

  /** The limit of the client's window, never above the profile's. */
  get limit(): number {
    return Math.min(this.#profileLimit, this.#learnedLimit);
  }

  /** Requests a minute that we allow ourselves at present, others' taken off; at least 1. */
  perMinute(nowMs: number): number {
    return Math.max(1, this.#usable - this.#foreignAt(nowMs));
  }

  /** Neither slowed nor blocked, and nobody else uses it, as far as we know. */
  isSteady(nowMs: number): boolean {
    if (this.#probing || this.blockedUntilMs(nowMs) > nowMs) return false;
    return this.#foreignAt(nowMs) === 0;
  }

  /**
   * How many requests may leave now; or `withinMs` later, if none leaves before. What others use, and how slow we go, is taken to
   * stay as it is.
   */
  available(nowMs: number, withinMs = 0): number {
    if (this.blockedUntilMs(nowMs) > nowMs) return 0;
    const unused = this.#usable - this.#own(nowMs + withinMs);
    // A probe goes without regard to what others last used: only its answer tells what they use now.
    if (this.#probing) return this.#inFlight === 0 && unused > 0 ? 1 : 0;
    return Math.max(0, unused - this.#foreignAt(nowMs));
  }

  /**
   * How many more may leave now where `most` may in a minute, spread over it: a span of t ms that ends now may hold a burst and, beside
   * it, an even part of the rest. What leaves in a burst is free again in a burst, a minute later, and in between there would be nothing
   * for anybody. 0 or less when none may.
   */
  evenRoom(most: number, nowMs: number): number {
    const burst = burstOf(most);
    const perMs = (most - burst) / MINUTE_MS;
    const least = this.#settled.leastOf(nowMs, (ageMs, since) => burst + perMs * ageMs - since);
    return Math.min(burst, least) - this.#inFlight;
  }

  /** When there is room by `evenRoom` for one more, if nothing else happens. */
  evenRoomFromMs(most: number, nowMs: number): number {
    const burst = burstOf(most);
    const perMs = (most - burst) / MINUTE_MS;
    const leastMs = this.#settled.leastOf(nowMs, (ageMs, since) => {
      const freeAgeMs = Math.max(0, since + this.#inFlight + 1 - burst) / perMs;
      return ageMs - Math.min(MINUTE_MS, freeAgeMs);
    });
    return nowMs + Math.max(0, Math.ceil(-leastMs));
  }

  /** After throttling, until a request was answered otherwise: whichever lane is first may try, one at a time. */
  get probing(): boolean {
    return this.#probing;
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

  /** Whether a limit that the venue has not shown may refuse the next requests: all under way would be refused together. */
  isNearUnknownLimit(nowMs: number): boolean {
    return !this.#isShown && this.#own(nowMs) >= this.#profileLimit * UNKNOWN_FROM_PART;
  }

  #isExplained(own: number, nowMs: number): boolean {
    if (this.blockedUntilMs(nowMs) > nowMs) return this.#isFirm;
    return !this.#isGuess && this.limit * LEAST_TRUST >= this.#profileLimit && own >= this.limit * EXPLAINING_PART;
  }

  /** When throttling ends; not later than a bounded wait from now. */
  blockedUntilMs(nowMs: number): number {
    return Math.min(this.#blockedUntilMs, nowMs + LONGEST_WAIT_MS);
  }

  /** The earliest moment at which `count` requests may be left if nothing else happens; null when none is known. */
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

  /** One request ended; `report` is what its answer said about the budget. */
  onOutcome(nowMs: number, settled: Settled, report: BudgetReport | null): void {
    this.#inFlight--;
    if (settled.isProbe) this.#isProbeUnderWay = false;
    if (!settled.sent) return;
    // Ascending also when our clock steps back: a place is then freed later, never earlier.
    this.#settled.add(Math.max(nowMs, this.#settled.newestMs ?? nowMs));
    this.#settled.forget(nowMs);
    if (report !== null) {
      this.#learn(nowMs, report);
      this.#isShown = report.isShown ?? true;
      this.#isGuess = report.isGuess ?? false;
    }
    if (settled.throttled) this.#throttle(nowMs, report);
    else if (settled.answered && settled.releasedMs >= this.#blockedUntilMs) this.#probing = false;
    this.#onProbe(nowMs, settled);
  }

  /** An answer to a probe ends what kept everything back; what leaves no room puts the next probe off. */
  #onProbe(nowMs: number, { isProbe, answered, throttled }: Settled): void {
    if (isProbe && answered && !throttled) {
      this.#blockedUntilMs = nowMs;
      this.#probing = false;
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
    this.#probing = true;
  }

  get #usable(): number {
    return Math.max(1, Math.floor(this.limit * (1 - MARGIN)));
  }

  #foreignAt(nowMs: number): number {
    return nowMs - this.#foreignToldMs < MINUTE_MS ? this.#foreign : 0;
  }

  /** Our own requests that the exchange may still count. */
  #own(nowMs: number): number {
    return this.#inFlight + this.#settled.countAt(nowMs);
  }
}
