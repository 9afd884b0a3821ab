/**
 * When the next request of one scope may leave: the sliding window, the pause that a refusal asks for, and the probes that
 * keep a venue's word from silencing us. Pure: the clock is given, so that a simulation can pace as the client does.
 *
 * One answer never counts for long. A wait that no window explains counts as none, a limit below the profile's needs a
 * second answer that says the same, and requests that reduce risk or read own data (lanes `cancel` and `own`) try again after
 * a second or two. A venue that really throttles gets one such probe at a time, seldomer with each one that it refuses, and
 * never more requests than the profile allows. Where our own use explains the refusal, only the cancels of a kill probe.
 */

import { MINUTE_MS } from '../../shared/base/sliding-minute.js';
import type { Lane } from '../../shared/protocol/seam.js';
import { SlidingWindow } from './sliding-window.js';

/** Maximum delay from a proxy in front of the service, which does not know its windows, ms. */
const LONGEST_STRANGERS_WAIT_MS = 5_000;
/** Without a trusted wait: one second, doubled with each refusal up to a minute, minus a random part up to half. */
const BACKOFF_MS = { first: 1_000, longest: 60_000 } as const;
/** Delay from the venue's last answer to a probe: random up to twice this, doubled with each refused probe. */
const PROBE_MS = { first: 1_000, longest: 10_000 } as const;
const PROBING: readonly Lane[] = ['cancel', 'own'];

/** How a request may leave: within the window, or as a probe of the venue's refusal. */
export type Permit = 'place' | 'probe';

/** Budget facts of an answer. */
export interface AnswerSignals {
  /** True for an answer of the service itself, in its own envelope. */
  readonly genuine: boolean;
  /** HTTP 429. */
  readonly throttled: boolean;
  /** Requested wait, ms; null without one. */
  readonly askedMs: number | null;
  /** From the rate headers; null where they are absent. */
  readonly budget: { readonly limit: number; readonly remaining: number } | null;
}

/** A scope's window as a scheduler reads it; see `BudgetReport`. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** Remaining pause after a refusal, ms; 0 without one. */
  readonly pausedMs: number;
  readonly isFirm: boolean;
  readonly isShown: boolean;
  readonly isGuess: boolean;
}

/** Decides when the next request of a scope may leave, from its window and from refusals. */
export class Pacing {
  readonly window: SlidingWindow;
  readonly #random: () => number;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** True when our own use explains the pause. */
  #isFirm = false;
  #refusals = 0;
  /** Times of the newest refusal, and of the newest one that its headers do not explain. */
  #refusedMs = Number.NEGATIVE_INFINITY;
  #unexplainedMs = Number.NEGATIVE_INFINITY;
  #isProbing = false;
  #probeAtMs = Number.NEGATIVE_INFINITY;
  #probesRefused = 0;

  /**
   * @param requestsPerMinute the profile's limit @param most requests a minute that are never exceeded, though the venue
   * allows more @param random 0 up to 1
   */
  constructor(requestsPerMinute: number, most = Number.POSITIVE_INFINITY, random: () => number = Math.random) {
    this.window = new SlidingWindow(requestsPerMinute, most);
    this.#random = random;
  }

  static mayProbe(lane: Lane): boolean {
    return PROBING.includes(lane);
  }

  /** Requests of any lane that may leave now. */
  freePermits(nowMs: number): number {
    return nowMs < this.#pausedUntilMs ? 0 : this.window.free(nowMs);
  }

  /** Earliest next place without any answer, ms; Infinity while everything counted is in flight. */
  nextPlaceMs(nowMs: number): number {
    return Math.max(this.#pausedUntilMs, this.window.free(nowMs) >= 1 ? nowMs : this.window.nextFreeMs(nowMs));
  }

  /**
   * When a probe may leave, ms; Infinity while one is in flight, or while our own count leaves no room.
   * @param isUrgent a cancel of a kill: it probes although our own use explains the refusal
   */
  nextProbeMs(isUrgent: boolean, nowMs: number): number {
    if (this.#isProbing || this.window.ownRoom(nowMs) < 1) return Number.POSITIVE_INFINITY;
    if (!isUrgent && this.#isExplained(nowMs)) return Number.POSITIVE_INFINITY;
    return Math.max(nowMs, this.#probeAtMs);
  }

  /** Read by a scheduler: the present window, and the end of the pause after a refusal. */
  read(nowMs: number): WindowState {
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

  /** True when a granted place must not be used: the venue has refused since, or reported less room. */
  isOverdrawn(place: Permit, nowMs: number): boolean {
    return place === 'place' && (nowMs < this.#pausedUntilMs || this.window.free(nowMs) < 0);
  }

  /** The request with a place never left. */
  giveBack(place: Permit): void {
    this.window.giveBack();
    if (place === 'probe') this.#isProbing = false;
  }

  /** The request left without an answer. */
  onSilence(place: Permit, nowMs: number): void {
    this.window.finish(nowMs);
    if (place === 'probe') this.#probeEnded(nowMs);
  }

  /** The request was answered. Returns how long a refusal holds back all but probes, ms; null without one. */
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
    // A new series of refusals.
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
    // A venue that refuses without reason and asks to return at once would refuse again.
    const leastMs = isExplained ? 0 : BACKOFF_MS.first / 2;
    const pauseMs = isBelieved ? Math.max(leastMs, askedMs) : grown * (0.5 + this.#random() / 2);
    this.#refusals += 1;
    this.#isFirm =
      genuine && isBelieved && isOwnUse && this.window.isPlausible(budget?.limit ?? this.window.limitAt(nowMs));
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
    return pauseMs;
  }

  /** A refusal that neither headers nor profile explain; one alone lowers nothing. */
  #doubt(nowMs: number): void {
    const isSecond = nowMs - this.#unexplainedMs < MINUTE_MS;
    this.#unexplainedMs = nowMs;
    if (isSecond) this.window.distrust(nowMs, this.#refusals > 1);
  }

  /** The venue accepted a request within its own pause: the pause is over, and the next probe need not wait. */
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
