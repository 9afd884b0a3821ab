/**
 * Computes when a scope's next request may be sent: by a sliding window and the pause after a refusal. Probes (requests
 * that test a refusing venue) can end this pause early. Simulations use this code too.
 *
 * A reported limit below the profile's limit takes effect only if the next report repeats it. Requests of the lanes
 * `cancel` and `own` may probe after a second or two, one at a time, less often after each refused probe. If our own
 * use of the budget explains the refusal, only cancels while all orders are being canceled may probe.
 */

import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { Lane } from '../../shared/protocol/seam.js';

/** Longest wait accepted from a proxy between client and service, ms. A proxy does not know the service's budgets. */
const LONGEST_STRANGERS_WAIT_MS = 5_000;
/** Wait after a refusal without a reliable wait time, ms; doubled for each refusal, then randomly cut by up to half. */
const BACKOFF_MS = { first: 1_000, longest: 60_000 } as const;
/** Delay of a probe after the venue's last answer, ms; doubled for each refused probe, times a random 1 to 2. */
const PROBE_MS = { first: 1_000, longest: 10_000 } as const;
const PROBING: readonly Lane[] = ['cancel', 'own'];

/** Permission to send a request: a place in the window, or a probe while the venue refuses requests. */
type Permit = 'place' | 'probe';

/** Facts about the request budget in a venue's answer. */
interface AnswerSignals {
  /** True if the service itself sent the answer, in its own format. */
  readonly genuine: boolean;
  /** Whether the answer has the HTTP status 429 (too many requests). */
  readonly throttled: boolean;
  /** Wait that the venue requested, ms; null if it requested no wait. */
  readonly askedMs: number | null;
  /** Budget in the rate headers; null if there are no rate headers. */
  readonly budget: { readonly limit: number; readonly remaining: number } | null;
}

/** Decides when the next request of a scope may be sent, by the sliding window and by earlier refusals. */
export class Pacing {
  readonly window: SlidingWindow;
  readonly #random: () => number;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** True if our own use of the budget explains the refusal that caused the present pause. */
  #isFirm = false;
  #refusals = 0;
  /** `#refusedMs`: time of the newest refusal. `#unexplainedMs`: time of the newest refusal without a visible cause. */
  #refusedMs = Number.NEGATIVE_INFINITY;
  #unexplainedMs = Number.NEGATIVE_INFINITY;
  #isProbing = false;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #probesRefused = 0;

  /** `requestsPerMinute`: the profile's limit. `most`: upper limit, even if the venue allows more. */
  constructor(requestsPerMinute: number, most = Number.POSITIVE_INFINITY, random: () => number = Math.random) {
    this.window = new SlidingWindow(requestsPerMinute, most);
    this.#random = random;
  }

  static mayProbe(lane: Lane): boolean {
    return PROBING.includes(lane);
  }

  /** Number of requests that may be sent now, in all lanes together. */
  freePermits(nowMs: number): number {
    return nowMs < this.#pausedUntilMs ? 0 : this.window.free(nowMs);
  }

  /** Time of the next free place if no answer arrives, ms; Infinity if all requests in the window are in flight. */
  nextPlaceMs(nowMs: number): number {
    return Math.max(this.#pausedUntilMs, this.window.free(nowMs) >= 1 ? nowMs : this.window.nextFreeMs(nowMs));
  }

  /**
   * Returns when a probe may be sent, ms; Infinity while a probe is in flight or our own budget is used up.
   * @param isUrgent true for a cancel while all orders are being canceled: it may probe even if our own use explains it
   */
  nextProbeMs(isUrgent: boolean, nowMs: number): number {
    if (this.#isProbing || this.window.ownRoom(nowMs) < 1) return Number.POSITIVE_INFINITY;
    if (!isUrgent && this.#isExplained(nowMs)) return Number.POSITIVE_INFINITY;
    return Math.max(nowMs, this.#probeAtMs);
  }

  /** Returns the present window and the remaining pause after a refusal, ms, for the scheduler's `BudgetReport`. */
  read(nowMs: number) {
    const limit = Math.max(1, Math.floor(this.window.limitAt(nowMs)));
    const remaining = Math.max(0, Math.min(limit, Math.floor(this.window.free(nowMs))));
    const pausedMs = Math.max(0, this.#pausedUntilMs - nowMs);
    const isFirm = pausedMs > 0 && this.#isFirm;
    return { limit, remaining, pausedMs, isFirm, isShown: this.window.isShown, isGuess: this.window.isGuess(nowMs) };
  }

  #isExplained(nowMs: number): boolean {
    if (nowMs < this.#pausedUntilMs) return this.#isFirm;
    return !this.window.isGuess(nowMs) && this.window.isUsedUp(nowMs);
  }

  start(place: Permit): void {
    this.window.start();
    if (place === 'probe') this.#isProbing = true;
  }

  /** True if a granted place must not be used, because the venue has since refused a request or cut the budget. */
  isOverdrawn(place: Permit, nowMs: number): boolean {
    return place === 'place' && (nowMs < this.#pausedUntilMs || this.window.free(nowMs) < 0);
  }

  /** Frees the place in the window that a request got but did not use, because the request was not sent. */
  giveBack(place: Permit): void {
    this.window.giveBack();
    if (place === 'probe') this.#isProbing = false;
  }

  /** Records that a request was sent but got no answer. */
  onSilence(place: Permit, nowMs: number): void {
    this.window.finish(nowMs);
    if (place === 'probe') this.#probeEnded(nowMs);
  }

  /** Records an answer. Returns the pause after a refusal, ms; null without a refusal. Probes ignore the pause. */
  onAnswer(place: Permit, heard: AnswerSignals, nowMs: number): number | null {
    if (heard.budget !== null) this.window.learn(heard.budget.limit, heard.budget.remaining, nowMs);
    const pauseMs = heard.throttled ? this.#onRefusal(place, heard, nowMs) : null;
    if (!heard.throttled) this.#refusals = 0;
    this.window.finish(nowMs);
    if (!heard.throttled && heard.genuine && place === 'probe') this.#letThrough(nowMs);
    else if (place === 'probe' || this.freePermits(nowMs) < 1) this.#probeEnded(nowMs, place);
    return pauseMs;
  }

  #onRefusal(place: Permit, { genuine, askedMs, budget }: AnswerSignals, nowMs: number): number {
    // A minute has passed without a refusal, so this refusal begins a new series.
    if (nowMs - this.#refusedMs > MINUTE_MS) this.#probesRefused = 0;
    this.#refusedMs = nowMs;
    if (place === 'probe') this.#probesRefused += 1;
    const isExplained = budget?.remaining === 0;
    const isOwnUse = budget === null ? this.window.isPlausible(this.window.countPassed(nowMs)) : isExplained;
    this.window.refuse(nowMs);
    const grown = Math.min(BACKOFF_MS.longest, BACKOFF_MS.first * 2 ** Math.min(this.#refusals, 10));
    const isBelieved = askedMs !== null && askedMs <= (genuine ? MINUTE_MS : LONGEST_STRANGERS_WAIT_MS);
    if (budget === null && genuine && isBelieved && isOwnUse) this.window.find(nowMs);
    else if (!isExplained) this.#doubt(nowMs);
    // After an unexplained refusal, wait at least 0.5 s, even if the venue requests no wait: it would refuse again.
    const leastMs = isExplained ? 0 : BACKOFF_MS.first / 2;
    const pauseMs = isBelieved ? Math.max(leastMs, askedMs) : grown * (0.5 + this.#random() / 2);
    this.#refusals += 1;
    this.#isFirm =
      genuine && isBelieved && isOwnUse && this.window.isPlausible(budget?.limit ?? this.window.limitAt(nowMs));
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
    return pauseMs;
  }

  /** Records a refusal that neither headers nor profile explain. Two such refusals in a minute lower the limit. */
  #doubt(nowMs: number): void {
    const isSecond = nowMs - this.#unexplainedMs < MINUTE_MS;
    this.#unexplainedMs = nowMs;
    if (isSecond) this.window.distrust(nowMs, this.#refusals > 1);
  }

  /** Ends the pause, because the venue accepted a probe; the next probe needs no delay. */
  #letThrough(nowMs: number): void {
    this.#isProbing = false;
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
    this.#probesRefused = 0;
    this.#probeAtMs = nowMs;
  }

  #probeEnded(nowMs: number, place: Permit = 'probe'): void {
    if (place === 'probe') this.#isProbing = false;
    const waitMs = PROBE_MS.first * 2 ** Math.min(this.#probesRefused, 10) * (1 + this.#random());
    this.#probeAtMs = nowMs + Math.min(PROBE_MS.longest, waitMs);
  }
}

/** The lowest temporary limit is the venue's limit divided by this number; three doublings restore the full limit. */
const LEAST_TRUST = 8;
/** Fraction of the limit: if our own requests exceed this fraction, they explain a refusal. */
const EXPLAINING_PART = 3 / 4;
/** Number of minutes for which a limit derived from refusals is kept before a higher limit is tried. */
const FOUND_HOLDS_MINUTES = 3;

/** Counts the requests of the last minute against a budget; reports of the venue may correct count and budget. */
export class SlidingWindow {
  /** The limit in the profile, requests per minute; used before the venue's first answer. */
  readonly #base: number;
  #limit: number;
  /** Last limit that the venue reported, even if not accepted, requests per minute; null before a report. */
  #lastTold: number | null = null;
  /** Our maximum of requests per minute. The venue's reports never raise it, because another program uses the rest. */
  readonly #most: number;
  #inFlight = 0;
  /** Times at which requests of the last minute were finished, monotonic ms. */
  readonly #finished = new SlidingMinute();
  /** Number of requests in the venue's count that another program or an earlier run of ours sent. */
  #foreign = 0;
  #foreignUntilMs = 0;
  /** Temporary limit, estimated from a refusal, requests per minute; doubled every minute. */
  #ceiling = Number.POSITIVE_INFINITY;
  #ceilingSinceMs = 0;
  /** Times of refused requests, which the venue does not count. */
  readonly #refused = new SlidingMinute();

  /** `limit`: requests per minute until the venue's first report, or `Infinity`. `most`: maximum of our requests. */
  constructor(limit: number, most = Number.POSITIVE_INFINITY) {
    this.#base = limit;
    this.#limit = limit;
    this.#most = most;
  }

  /** Current limit of the budget, requests per minute. */
  limitAt(nowMs: number): number {
    return Math.min(this.#limit, this.#ceilingAt(nowMs), this.#most);
  }

  /** Number of requests that may be sent now. */
  free(nowMs: number): number {
    const used = this.#countUsed(nowMs);
    return Math.min(Math.min(this.#limit, this.#ceilingAt(nowMs)) - used, this.#most - (used - this.#foreign));
  }

  /** Number of requests that the profile's limit allows now by our own count; the venue's reports are ignored. */
  ownRoom(nowMs: number): number {
    return Math.min(this.#base, this.#most) - (this.#countUsed(nowMs) - this.#foreign);
  }

  /** Returns true if a reported limit, requests per minute, is high enough to be accepted. */
  isPlausible(limit: number): boolean {
    return limit * LEAST_TRUST >= this.#base;
  }

  /** True if the limit is our estimate after a refusal, not the venue's report. */
  isGuess(nowMs: number): boolean {
    return this.#ceilingAt(nowMs) < this.#most;
  }

  /** True if our own requests fill the window, so that another request would be refused. */
  isUsedUp(nowMs: number): boolean {
    const limit = this.limitAt(nowMs);
    return this.isPlausible(limit) && this.#countUsed(nowMs) - this.#foreign >= limit * EXPLAINING_PART;
  }

  /** True if the venue has shown its limit, by a header or a refusal. */
  get isShown(): boolean {
    return this.#lastTold !== null || this.#ceiling !== Number.POSITIVE_INFINITY;
  }

  start(): void {
    this.#inFlight += 1;
  }

  /** Counts a request that was answered, or that may have reached the venue. */
  finish(nowMs: number): void {
    this.#inFlight -= 1;
    if (this.#limit !== Number.POSITIVE_INFINITY) this.#finished.add(nowMs);
  }

  /** Frees the place in the window that a request got but did not use, because the request was not sent. */
  giveBack(): void {
    this.#inFlight -= 1;
  }

  /** Records an answer's budget headers. A limit below the profile's takes effect after two equal answers in a row. */
  learn(limit: number, remaining: number, nowMs: number): void {
    const isBelieved = limit >= this.#base || limit === this.#lastTold;
    this.#lastTold = limit;
    if (!isBelieved) return;
    this.#limit = limit;
    this.#foreign = 0;
    // `#foreign` may be too low if the venue has not yet counted all our requests in flight.
    this.#foreign = Math.max(0, limit - remaining - this.#countUsed(nowMs));
    this.#foreignUntilMs = nowMs + MINUTE_MS;
  }

  /** Sets a temporary limit: the last minute's number of answered requests. `again`: never above the present limit. */
  distrust(nowMs: number, again: boolean): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    const passed = this.#countUsed(nowMs) - this.#inFlight;
    const kept = again ? this.#ceilingAt(nowMs) : Number.POSITIVE_INFINITY;
    this.#ceiling = Math.min(kept, Math.max(1, Math.ceil(this.#limit / LEAST_TRUST), passed));
    this.#ceilingSinceMs = nowMs;
  }

  /** Counts a request that the venue refused because of too many requests. */
  refuse(nowMs: number): void {
    this.#refused.forget(nowMs);
    this.#refused.add(nowMs);
  }

  /** Number of the last minute's requests that were not refused. */
  countPassed(nowMs: number): number {
    this.#countUsed(nowMs);
    return this.#finished.size - this.#refused.countAt(nowMs);
  }

  /** Records a refusal without a reported limit. The last minute's count of accepted requests becomes the limit. */
  find(nowMs: number): void {
    this.#ceiling = Math.max(1, Math.ceil(this.#base / LEAST_TRUST), this.countPassed(nowMs));
    this.#ceilingSinceMs = nowMs + (FOUND_HOLDS_MINUTES - 1) * MINUTE_MS;
  }

  /** Time of the window's next free place, monotonic ms; Infinity if all requests in the window are in flight. */
  nextFreeMs(nowMs: number): number {
    this.#countUsed(nowMs);
    const ours = this.#finished.leavesMs(nowMs) ?? Number.POSITIVE_INFINITY;
    const others = this.#foreign > 0 ? this.#foreignUntilMs : Number.POSITIVE_INFINITY;
    return Math.min(ours, others, this.#nextTrustMs(nowMs));
  }

  /** Returns the temporary limit, requests per minute; Infinity once it exceeds the venue's limit. */
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
