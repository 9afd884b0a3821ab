/** Counts every request against its budget and reports it in the answer's headers. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { type Answer, faultAnswer } from '../service/answers.js';
import { Authenticator } from './authentication.js';
import type { Faults } from './faults.js';
import { type ServerOptions, send } from './messages.js';
import type { ExchangeClock } from './ticker.js';

/** Windows of unknown keys per scope; a caller may name any number of keys. */
const MAX_STRANGERS = 10_000;
/** Interval of the cleanup of empty windows, ms: a flood stays cheap. */
const SWEEP_EVERY_MS = 1000;

/** Values of the rate headers. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Time from which one more request is allowed, ms. */
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
    // Excess requests must leave first after a limit was lowered below the count.
    const resetMs = this.#minute.leavesMs(nowMs, Math.max(0, count - limit)) ?? nowMs + MINUTE_MS;
    return { allowed, limit, remaining: Math.max(0, limit - count), resetMs };
  }
}

/**
 * The exact sliding windows of one scope, per key. A refused request does not count. A held key always has its own
 * window. Beyond a bound, new unknown keys share one window: memory stays bounded, and no key exceeds the limit.
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

  /** Counts a request of this key at this time, if it fits. Calls `isHeld` only for a key without a window. */
  take(key: string, nowMs: number, isHeld: (key: string) => boolean = () => false): RateVerdict {
    const window = this.#windows.get(key) ?? this.#windowFor(key, nowMs, isHeld);
    return window.take(nowMs, this.#limit);
  }

  #windowFor(key: string, nowMs: number, isHeld: (key: string) => boolean): Window {
    if (!isHeld(key) && this.#isCrowded(nowMs)) return this.#crowdedOut;
    const fresh = new Window();
    this.#windows.set(key, fresh);
    return fresh;
  }

  /** True also for a non-empty shared window: its callers must not start again in own windows. */
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

/** The windows of every scope, by a venue's limits. */
export const openRateLimits = (limits: VenueProfile['rate_limits']): Readonly<Record<Scope, RateLimit>> => ({
  public: new RateLimit(limits.public_per_minute),
  signed: new RateLimit(limits.signed_per_minute),
  bootstrap: new RateLimit(limits.bootstrap_per_minute),
});

/** Headers of an answer, in order. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Takes every request from its caller's budget, and refuses it once that is used up. */
export class RateGuard {
  readonly #clock: ExchangeClock;
  readonly #authenticator: Authenticator;
  readonly #isHeld: (window: string) => boolean;
  readonly #limits: Readonly<Record<Scope, RateLimit>> | null;
  readonly #faults: Faults;

  /** Without `rateLimits`, requests are not counted and answers have no rate headers. */
  constructor(options: Pick<ServerOptions, 'core' | 'clock' | 'profile' | 'rateLimits'>, faults: Faults) {
    const { core, clock, profile, rateLimits } = options;
    this.#faults = faults;
    this.#clock = clock;
    this.#authenticator = new Authenticator(profile);
    this.#isHeld = (window) => core.identity.credential(window) !== null;
    this.#limits = rateLimits ? openRateLimits(profile.rate_limits) : null;
  }

  /** Budget of a scope under its present limit. */
  #budget(limits: Readonly<Record<Scope, RateLimit>>, scope: Scope, nowMs: number): RateLimit {
    limits[scope].changeLimit(this.#faults.inForce(nowMs).limits[scope]);
    return limits[scope];
  }

  /** Sets the `Date` and rate headers; answers 429 and returns false when the request exceeds its budget. */
  admit(request: FastifyRequest, reply: FastifyReply, scope: Scope | 'paper'): boolean {
    const nowMs = this.#clock.nowMs();
    reply.header('date', this.#clock.dateHeader(nowMs));
    if (this.#limits === null || scope === 'paper') return true;
    const verdict = this.#budget(this.#limits, scope, nowMs).take(this.#chooseKey(request, scope), nowMs, this.#isHeld);
    for (const [name, value] of makeHeaders(verdict, nowMs)) reply.header(name, value);
    if (!verdict.allowed) send(reply, makeRefusal(verdict, nowMs));
    return verdict.allowed;
  }

  /** The same for bytes that are no request: they count as a public one of their address. */
  admitBytes(address: string) {
    const nowMs = this.#clock.nowMs();
    const date = ['date', this.#clock.dateHeader(nowMs)] as const;
    if (this.#limits === null) return { headers: [date], refusal: null };
    const verdict = this.#budget(this.#limits, 'public', nowMs).take(address, nowMs);
    return {
      headers: [date, ...makeHeaders(verdict, nowMs)],
      refusal: verdict.allowed ? null : makeRefusal(verdict, nowMs),
    };
  }

  /** A signed request counts against the key that it names, any other against its address, which cannot equal a key. */
  #chooseKey(request: FastifyRequest, scope: Scope): string {
    if (scope !== 'signed') return request.ip;
    return this.#authenticator.keyNamed(request.headers) ?? ` ${request.ip}`;
  }
}

function makeHeaders(verdict: RateVerdict, nowMs: number): HeaderList {
  const headers: [string, string][] = [
    ['x-ratelimit-limit', String(verdict.limit)],
    ['x-ratelimit-remaining', String(verdict.remaining)],
    ['x-ratelimit-reset', String(Math.ceil(verdict.resetMs / 1000))],
  ];
  if (!verdict.allowed) headers.push(['retry-after', String(waitSeconds(verdict, nowMs))]);
  return headers;
}

const makeRefusal = (verdict: RateVerdict, nowMs: number): Answer =>
  faultAnswer({
    slug: 'throttled',
    message: `Request was throttled. Expected available in ${waitSeconds(verdict, nowMs)} seconds.`,
  });

/** Whole seconds, rounded up: after this wait a request passes. */
const waitSeconds = (verdict: RateVerdict, nowMs: number) => Math.max(1, Math.ceil((verdict.resetMs - nowMs) / 1000));
