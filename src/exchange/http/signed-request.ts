/**
 * The exchange's view of a signed request, part by part, so that a caller with failing signatures can see which byte
 * differs. Contains only the caller's own data: no secret, no expected signature.
 */

import { z } from 'zod';
import { signedPayload } from '../../shared/protocol/signing.js';
import type { ExchangeCore } from '../core/core.js';
import type { Authenticator, SignedRequest } from './authentication.js';

/** `data` of `/paper/signed-request/`. */
export const signedRequestReport = z.object({
  timestamp: z.string().nullable().describe('As its header said.'),
  method: z.string(),
  path: z.string().describe('Path and query as they arrived.'),
  body: z.string().describe('The raw body.'),
  payload: z.string().nullable().describe('The expected signed bytes; null without a timestamp.'),
  signature_matches: z.boolean(),
  refusal: z.string().nullable().describe('Why the caller is not believed; null when he is.'),
});
/** Its value. */
export type SignedRequestReport = z.output<typeof signedRequestReport>;

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
