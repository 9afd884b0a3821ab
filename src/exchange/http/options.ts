/** What the server needs from the exchange around it. */

import type { EndpointName, Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { ExchangeCore } from '../core/core.js';
import type { ExchangeClock } from './clock.js';

/** The exchange behind the server, and what of it is served. */
export interface ServerOptions {
  readonly core: ExchangeCore;
  readonly clock: ExchangeClock;
  readonly profile: VenueProfile;
  readonly rateLimits: boolean;
  readonly controls: boolean;
  /** Does what is due before a request is served, and returns the exchange's time, ms. Throws when the store failed. */
  readonly settle: () => number;
  /** Moves the clock forward, does what became due, and returns the new time, ms. */
  readonly advanceClock: (ms: number) => number;
  /** For what must never happen: the error behind a 500, and the request. */
  readonly onError: (error: unknown, request: string) => void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which budget a call uses; `paper` calls use none. */
    scope?: Scope | 'paper';
    /** The call of the service that is served here. */
    call?: EndpointName;
  }
  interface FastifyRequest {
    /** The media type in lower case, without its parameters; empty when the request names none. */
    bodyType: string;
  }
}
