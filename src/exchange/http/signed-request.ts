/**
 * The exchange's view of a signed request, part by part, so that a caller with failing signatures can see which byte
 * differs. Contains only the caller's own data: no secret, no expected signature.
 */

import { signedPayload } from '../../shared/protocol/signing.js';
import type { ExchangeCore } from '../core/core.js';
import type { Authenticator, SignedRequest } from './authentication.js';

/** `data` of `/paper/signed-request/`. */
export interface SignedRequestReport {
  /** From its header; null without one. */
  readonly timestamp: string | null;
  readonly method: string;
  /** Path and query as on the request line. */
  readonly path: string;
  /** The raw body, read as UTF-8. */
  readonly body: string;
  /** Text that the signature must cover; null without a timestamp. */
  readonly payload: string | null;
  readonly signature_matches: boolean;
  /** Why the request is rejected; null when it is accepted. */
  readonly refusal: string | null;
}

/** Each part of a signed request as received, and the first failed check. */
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
