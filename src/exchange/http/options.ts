/** Inputs of the server from its exchange. */

import type { EndpointName, Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { ExchangeCore } from '../core/core.js';
import type { ExchangeClock } from './clock.js';

/** The exchange behind the server, and the served parts. */
export interface ServerOptions {
  readonly core: ExchangeCore;
  readonly clock: ExchangeClock;
  readonly profile: VenueProfile;
  readonly rateLimits: boolean;
  readonly controls: boolean;
  /** Does due work before a request, and returns the exchange's time, ms. Throws when the store failed. */
  readonly settle: () => number;
  /** Moves the clock forward, does the due work, and returns the new time, ms. */
  readonly advanceClock: (ms: number) => number;
  /** Reports unexpected errors: the error behind a 500, and its request. */
  readonly onError: (error: unknown, request: string) => void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Request budget of a call; `paper` calls use none. */
    scope?: Scope | 'paper';
    /** The call of the service served here. */
    call?: EndpointName;
  }
  interface FastifyRequest {
    /** The media type in lower case, without parameters; empty when absent. */
    bodyType: string;
  }
}

/** The service's ids are far shorter; a longer path parameter is a 404. */
export const MAX_PARAM_LENGTH = 256;

/** `{name}` of a template in the router's spelling. */
export const routeUrl = (template: string): string => template.replace(/\{(\w+)\}/g, ':$1');

/** Inverse of `routeUrl`. */
export const toTemplate = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

/** Every declared method of this path. */
export function listMethods(
  path: string,
  declarations: readonly { readonly method: string; readonly path: string }[],
): string[] {
  const segments = path.split('/');
  const matching = declarations.filter((declaration) => matches(segments, declaration.path.split('/')));
  return [...new Set(matching.map(({ method }) => method))];
}

const matches = (path: readonly string[], template: readonly string[]): boolean =>
  path.length === template.length &&
  template.every((segment, at) => (segment.startsWith('{') ? path[at] !== '' : segment === path[at]));
