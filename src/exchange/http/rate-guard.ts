/** Counts every request against its budget and says so in the headers of its answer. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../protocol/endpoints.js';
import type { VenueProfile } from '../../protocol/profile.js';
import { Authenticator } from './authentication.js';
import type { ExchangeClock } from './clock.js';
import { faultAnswer } from './envelope.js';
import { RateLimit } from './rate-limits.js';

export class RateGuard {
  readonly #clock: ExchangeClock;
  readonly #authenticator: Authenticator;
  readonly #limits: Readonly<Record<Scope, RateLimit>> | null;

  /** Without limits nothing is counted and no answer carries rate headers. */
  constructor(profile: VenueProfile, clock: ExchangeClock, enabled: boolean) {
    this.#clock = clock;
    this.#authenticator = new Authenticator(profile);
    const { public_per_minute, signed_per_minute, bootstrap_per_minute } = profile.rate_limits;
    this.#limits = enabled
      ? {
          public: new RateLimit(public_per_minute),
          signed: new RateLimit(signed_per_minute),
          bootstrap: new RateLimit(bootstrap_per_minute),
        }
      : null;
  }

  /** Sets the `Date` and rate headers; answers 429 and returns false when the request does not fit its budget. */
  admit(request: FastifyRequest, reply: FastifyReply, scope: Scope | 'paper'): boolean {
    const nowMs = this.#clock.nowMs();
    reply.header('date', this.#clock.dateHeader(nowMs));
    if (this.#limits === null || scope === 'paper') return true;
    const verdict = this.#limits[scope].take(this.#keyOf(request, scope), nowMs);
    reply.header('x-ratelimit-limit', verdict.limit);
    reply.header('x-ratelimit-remaining', verdict.remaining);
    reply.header('x-ratelimit-reset', Math.ceil(verdict.resetMs / 1000));
    if (verdict.allowed) return true;
    const waitS = Math.max(1, Math.ceil((verdict.resetMs - nowMs) / 1000));
    const message = `Request was throttled. Expected available in ${waitS} seconds.`;
    const { status, text } = faultAnswer({ slug: 'throttled', message });
    reply
      .code(status)
      .header('retry-after', waitS)
      .header('content-type', 'application/json; charset=utf-8')
      .send(text);
    return false;
  }

  /** A signed request counts against the key that it names, any other against its address. */
  #keyOf(request: FastifyRequest, scope: Scope): string {
    const named = scope === 'signed' ? this.#authenticator.keyNamed(request.headers) : null;
    return named === null ? `address ${request.ip}` : `key ${named}`;
  }
}
