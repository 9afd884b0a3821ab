import type { FastifyReply, FastifyRequest } from 'fastify';
import { MINUTE_MS, SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { type Answer, faultAnswer } from '../service/answers.js';
import { Authenticator } from './authentication.js';
import type { Faults } from './faults.js';
import { type ServerOptions, send } from './messages.js';
import type { ExchangeClock } from './ticker.js';

/** Maximum number of rate windows for unknown keys in a scope; bounds memory, because callers can invent keys. */
const MAX_STRANGERS = 10_000;
/** Minimum time between two cleanups of empty rate windows, ms, so that a flood of requests stays cheap. */
const SWEEP_EVERY_MS = 1000;

/** Result of counting one request: whether the limit allows it, and the values of the rate headers. */
type RateVerdict = Readonly<ReturnType<Window['take']>>;

class Window {
  readonly #minute = new SlidingMinute();

  isEmptyAt(nowMs: number): boolean {
    this.#minute.forget(nowMs);
    return this.#minute.size === 0;
  }

  take(nowMs: number, limit: number) {
    this.#minute.forget(nowMs);
    const allowed = this.#minute.size < limit;
    if (allowed) this.#minute.add(nowMs);
    const count = this.#minute.size;
    // `resetMs`: time at which one more request is allowed. If the limit was reduced, older requests must expire first.
    const resetMs = this.#minute.leavesMs(nowMs, Math.max(0, count - limit)) ?? nowMs + MINUTE_MS;
    return { allowed, limit, remaining: Math.max(0, limit - count), resetMs };
  }
}

/**
 * Counts the requests of one scope in exact sliding windows, one for each key. A request that is refused is not
 * counted. An existing API key always has its own window. If there are too many rate windows, new unknown keys share
 * one window, so that memory is bounded and no key exceeds the limit.
 */
export class RateLimit {
  readonly #limit: number;
  readonly #maxStrangers: number;
  readonly #windows = new Map<string, Window>();
  readonly #crowdedOut = new Window();
  #sweptMs = Number.NEGATIVE_INFINITY;

  /** `limit`: maximum requests in 60 seconds, at least 1. */
  constructor(limit: number, maxStrangers = MAX_STRANGERS) {
    this.#limit = limit;
    this.#maxStrangers = maxStrangers;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Counts a request of a key if `limit` allows it. `isHeld` returns true for an existing API key. */
  take(key: string, nowMs: number, isHeld: (key: string) => boolean = () => false, limit = this.#limit): RateVerdict {
    const window = this.#windows.get(key) ?? this.#windowFor(key, nowMs, isHeld);
    return window.take(nowMs, limit);
  }

  #windowFor(key: string, nowMs: number, isHeld: (key: string) => boolean): Window {
    if (!isHeld(key)) {
      if (this.#windows.size >= this.#maxStrangers) this.#sweep(nowMs);
      // A caller in the shared window must not get a second window.
      if (this.#windows.size >= this.#maxStrangers || !this.#crowdedOut.isEmptyAt(nowMs)) return this.#crowdedOut;
    }
    const fresh = new Window();
    this.#windows.set(key, fresh);
    return fresh;
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs < SWEEP_EVERY_MS) return;
    this.#sweptMs = nowMs;
    for (const [key, window] of this.#windows) if (window.isEmptyAt(nowMs)) this.#windows.delete(key);
  }
}

/** Makes the request counters of all scopes with a venue's limits. */
export const openRateLimits = (limits: VenueProfile['rate_limits']): Readonly<Record<Scope, RateLimit>> => ({
  public: new RateLimit(limits.public_per_minute),
  signed: new RateLimit(limits.signed_per_minute),
  bootstrap: new RateLimit(limits.bootstrap_per_minute),
});

/** Headers of an answer, in the order in which they are sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Counts every request of a caller, and refuses requests beyond the caller's limit. */
export class RateGuard {
  readonly #clock: ExchangeClock;
  readonly #authenticator: Authenticator;
  readonly #isHeld: (window: string) => boolean;
  readonly #limits: Readonly<Record<Scope, RateLimit>> | null;
  readonly #faults: Faults;

  /** If `rateLimits` is false, requests are not counted and answers have no rate headers. */
  constructor(options: Pick<ServerOptions, 'core' | 'clock' | 'profile' | 'rateLimits'>, faults: Faults) {
    const { core, clock, profile, rateLimits } = options;
    this.#faults = faults;
    this.#clock = clock;
    this.#authenticator = new Authenticator(options);
    this.#isHeld = (window) => core.identity.credential(window) !== null;
    this.#limits = rateLimits ? openRateLimits(profile.rate_limits) : null;
  }

  /** Counts a request against its scope's present limit, which simulated faults may change; null without limits. */
  #count(scope: Scope, key: string, nowMs: number): RateVerdict | null {
    const limit = this.#faults.inForce(nowMs).limits[scope];
    return this.#limits?.[scope].take(key, nowMs, this.#isHeld, limit) ?? null;
  }

  /** Sets the `Date` and rate headers. Answers 429 and returns false if the request exceeds the caller's limit. */
  admit(request: FastifyRequest, reply: FastifyReply, scope: Scope | 'paper'): boolean {
    const nowMs = this.#clock.nowMs();
    reply.header('date', this.#clock.dateHeader(nowMs));
    const verdict = scope === 'paper' ? null : this.#count(scope, this.#chooseKey(request, scope), nowMs);
    if (verdict === null) return true;
    for (const [name, value] of makeHeaders(verdict, nowMs)) reply.header(name, value);
    if (!verdict.allowed) send(reply, makeRefusal(verdict, nowMs));
    return verdict.allowed;
  }

  /** Counts invalid request bytes as a public request of the sender's address; returns headers and a refusal. */
  admitBytes(address: string) {
    const nowMs = this.#clock.nowMs();
    const date = ['date', this.#clock.dateHeader(nowMs)] as const;
    const verdict = this.#count('public', address, nowMs);
    if (verdict === null) return { headers: [date], refusal: null };
    const refusal = verdict.allowed ? null : makeRefusal(verdict, nowMs);
    return { headers: [date, ...makeHeaders(verdict, nowMs)], refusal };
  }

  /** Key of a request's rate window: the API key of a signed call, else the address, which never equals a key. */
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

/** Returns the seconds until one more request is allowed, rounded up, at least 1. */
const waitSeconds = (verdict: RateVerdict, nowMs: number) => Math.max(1, Math.ceil((verdict.resetMs - nowMs) / 1000));
