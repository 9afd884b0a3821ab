/** Signs requests with HMAC-SHA256 over timestamp, method, path with query, and the raw body. */

import { createHmac, timingSafeEqual } from 'node:crypto';

/** Parts of an HTTP request that the signature covers. */
export interface SignedParts {
  /** Timestamp in Unix seconds, decimal, exactly as in the timestamp header. */
  readonly timestamp: string;
  readonly method: string;
  /** Path and query of the request exactly as sent, e.g. `/orders/?limit=10`. */
  readonly pathWithQuery: string;
  /** Exact bytes of the body, or the body's text if it is UTF-8; empty without a body. */
  readonly body: string | Buffer;
}

/** Returns the text to sign: the request's four parts without separators, with the method in capitals. */
export const signedPayload = (parts: SignedParts): string => `${signedHead(parts)}${parts.body.toString()}`;

const signedHead = (parts: SignedParts) => `${parts.timestamp}${parts.method.toUpperCase()}${parts.pathWithQuery}`;

/** Returns the HMAC signature of a request in lowercase hex; the key is the API secret (UTF-8). */
export const requestSignature = (secret: string, parts: SignedParts): string =>
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(signedHead(parts)).update(parts.body).digest('hex');

/** Compares signatures in constant time. A signature that is not 64 lowercase hex characters does not match. */
export function signatureMatches(given: string, secret: string, parts: SignedParts): boolean {
  if (!/^[0-9a-f]{64}$/.test(given)) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(requestSignature(secret, parts), 'hex'));
}

/** Returns a venue's header names from the venue's prefix, e.g. `SVC-API-KEY`, `SVC-TIMESTAMP`, `SVC-SIGNATURE`. */
export const signatureHeaders = (prefix: string) =>
  ({ apiKey: `${prefix}-API-KEY`, timestamp: `${prefix}-TIMESTAMP`, signature: `${prefix}-SIGNATURE` }) as const;

/** Returns the text of a challenge; a wallet signs this text to get an API key. */
export const challengeText = (serviceName: string, wallet: string, nonce: string): string =>
  `Create ${serviceName} API credential | Wallet: ${wallet} | Nonce: ${nonce}`;

/** Returns a submitted signature without a leading `0x`; null if it is empty or longer than 128 characters. */
export function submittedSignature(signature: string): string | null {
  const hex = signature.startsWith('0x') ? signature.slice(2) : signature;
  return hex.length === 0 || hex.length > 128 ? null : hex;
}
