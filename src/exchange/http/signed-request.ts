/**
 * What the exchange makes of a signed request, part by part, so that a caller whose signatures fail can see which byte
 * differs from what he signed. Says nothing that the caller has not sent himself: no secret, no expected signature.
 */

import { signedPayload } from '../../shared/protocol/signing.js';
import type { ExchangeCore } from '../core/core.js';
import type { Authenticator, SignedRequest } from './authentication.js';

/** `data` of `/paper/signed-request/`. */
export interface SignedRequestReport {
  /** As its header said; null without one. */
  readonly timestamp: string | null;
  readonly method: string;
  /** Path and query as on the request line. */
  readonly path: string;
  /** The raw body, read as UTF-8. */
  readonly body: string;
  /** What the signature must be over; null without a timestamp. */
  readonly payload: string | null;
  readonly signature_matches: boolean;
  /** Why the caller is not believed; null when he is. */
  readonly refusal: string | null;
}

/** What each part of a signed request looked like to the exchange, and the first check that failed. */
export function reportOn(
  request: SignedRequest,
  authenticator: Authenticator,
  core: ExchangeCore,
  nowMs: number,
): SignedRequestReport {
  const timestamp = authenticator.readTimestamp(request.headers);
  const parts = { method: request.method, pathWithQuery: request.rawUrl, body: request.body.toString('utf8') };
  const caller = authenticator.authenticate(request, core, nowMs);
  return {
    timestamp,
    method: parts.method,
    path: parts.pathWithQuery,
    body: parts.body,
    payload: timestamp === null ? null : signedPayload({ timestamp, ...parts }),
    signature_matches: caller.ok,
    refusal: caller.ok ? null : (caller.fault.message ?? caller.fault.slug),
  };
}
