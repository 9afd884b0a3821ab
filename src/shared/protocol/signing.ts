/** Signs requests with HMAC-SHA256 over timestamp, method, path with query, and the raw body. */

import { createHmac, timingSafeEqual } from 'node:crypto';

/** The parts of an HTTP request that its signature covers. */
export interface SignedParts {
  /** Decimal Unix seconds, exactly as in the timestamp header. */
  readonly timestamp: string;
  readonly method: string;
  /** Path and query exactly as sent, with leading slash, e.g. `/orders/?limit=10`. */
  readonly pathWithQuery: string;
  /** The exact bytes of the body, or their text where they are UTF-8; empty for a request without one. */
  readonly body: string | Buffer;
}

/** The exact text that is signed: the four parts joined without a separator, the method in capital letters. */
export const signedPayload = (parts: SignedParts): string => `${signedHead(parts)}${parts.body.toString()}`;

const signedHead = (parts: SignedParts) => `${parts.timestamp}${parts.method.toUpperCase()}${parts.pathWithQuery}`;

/** Lowercase hex signature of the parts under a secret (its UTF-8 bytes are the key). */
export const requestSignature = (secret: string, parts: SignedParts): string =>
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(signedHead(parts)).update(parts.body).digest('hex');

/** Constant-time comparison; anything but the 64 hex characters of a signature is invalid. */
export function signatureMatches(given: string, secret: string, parts: SignedParts): boolean {
  if (!/^[0-9a-f]{64}$/.test(given)) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(requestSignature(secret, parts), 'hex'));
}

/** Returns a venue's header names from the venue's prefix, e.g. `SVC-API-KEY`, `SVC-TIMESTAMP`, `SVC-SIGNATURE`. */
export const signatureHeaders = (prefix: string) =>
  ({ apiKey: `${prefix}-API-KEY`, timestamp: `${prefix}-TIMESTAMP`, signature: `${prefix}-SIGNATURE` }) as const;

/** The exact text of a credential challenge. */
export const challengeText = (serviceName: string, wallet: string, nonce: string): string =>
  `Create ${serviceName} API credential | Wallet: ${wallet} | Nonce: ${nonce}`;

/** A signature as accepted by a submit call, without a leading `0x`; null when empty or too long. */
export function submittedSignature(signature: string): string | null {
  const hex = signature.startsWith('0x') ? signature.slice(2) : signature;
  return hex.length === 0 || hex.length > 128 ? null : hex;
}
