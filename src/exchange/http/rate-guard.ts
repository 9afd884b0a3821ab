/** Counts every request against its budget and reports it in the answer's headers. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../shared/protocol/endpoints.js';
import { type Answer, faultAnswer } from '../service/envelope.js';
import { openRateLimits, type RateLimit, type RateVerdict } from '../service/rate-limits.js';
import { Authenticator } from './authentication.js';
import type { ExchangeClock } from './clock.js';
import type { Faults } from './faults.js';
import { send } from './messages.js';
import type { ServerOptions } from './options.js';

/** Headers of an answer, in order. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Takes every request from its caller's budget, and refuses it once that is used up. */
export class RateGuard {
  readonly #clock: ExchangeClock;
  readonly #authenticator: Authenticator;
  readonly #isHeld: (window: string) => boolean;
  readonly #limits: Readonly<Record<Scope, RateLimit>> | null;
  readonly #faults: Faults;

  /** Without `rateLimits` nothing is counted and no answer has rate headers. */
  constructor(options: Pick<ServerOptions, 'core' | 'clock' | 'profile' | 'rateLimits'>, faults: Faults) {
    const { core, clock, profile, rateLimits } = options;
    this.#faults = faults;
    this.#clock = clock;
    this.#authenticator = new Authenticator(profile);
    this.#isHeld = (window) => core.identity.credential(window) !== null;
    this.#limits = rateLimits ? openRateLimits(profile.rate_limits) : null;
  }

  /** Budget of a scope, by its present limit. */
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

  /**
   * A signed request counts against the key that it names, accepted or not; any other against its address. Header
   * values never begin with a space, so an address cannot equal a key.
   */
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
const waitSeconds = (verdict: RateVerdict, nowMs: number): number =>
  Math.max(1, Math.ceil((verdict.resetMs - nowMs) / 1000));
