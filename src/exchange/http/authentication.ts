import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { signatureHeaders, signatureMatches, signedPayload } from '../../shared/protocol/signing.js';
import { type AccountSlot, ok, type Result, refuse } from '../core/contract.js';
import type { readSignedParts, ServerOptions } from './messages.js';

/** Field `data` of the answer of `/paper/signed-request/`. */
export const signedRequestReport = z.object({
  timestamp: z.string().nullable().describe('Timestamp of the request’s header; null without the header.'),
  method: z.string(),
  path: z.string().describe('Path and query of the request, as received.'),
  body: z.string().describe('Body of the request, as received.'),
  payload: z.string().nullable().describe('The text that the caller must sign; null without a timestamp.'),
  signature_matches: z.boolean(),
  refusal: z.string().nullable().describe('Reason why the authentication failed; null if it succeeded.'),
});

type SignedRequest = ReturnType<typeof readSignedParts>;

/** Reports the parts of a signed request as received, without secrets, and its first failed check. */
export function reportOn(request: SignedRequest, authenticator: Authenticator) {
  const timestamp = authenticator.readTimestamp(request.headers);
  const { method, rawUrl: pathWithQuery } = request;
  const body = request.body.toString('utf8');
  const caller = authenticator.authenticate(request);
  return {
    timestamp,
    method,
    path: pathWithQuery,
    body,
    payload: timestamp === null ? null : signedPayload({ timestamp, method, pathWithQuery, body }),
    signature_matches: caller.ok,
    refusal: caller.ok ? null : (caller.fault.message ?? caller.fault.slug),
  };
}

/** Maximum length of an API key. Longer keys cannot exist, so they get no separate rate window. */
const MAX_KEY_LENGTH = 128;

/** Checks the three headers of signed requests and finds the caller's account. */
export class Authenticator {
  /** Names of the headers in lower case, as Node.js writes them. */
  readonly #names: Readonly<Record<'key' | 'timestamp' | 'signature', string>>;
  readonly #exchange: Pick<ServerOptions, 'core' | 'clock' | 'profile'>;

  constructor(exchange: Pick<ServerOptions, 'core' | 'clock' | 'profile'>) {
    this.#exchange = exchange;
    const { apiKey: key, timestamp, signature } = signatureHeaders(exchange.profile.header_prefix);
    this.#names = { key: key.toLowerCase(), timestamp: timestamp.toLowerCase(), signature: signature.toLowerCase() };
  }

  /** Returns a request's API key, which determines its rate window; null if the key is missing or too long. */
  keyNamed(headers: IncomingHttpHeaders): string | null {
    const key = readHeader(headers[this.#names.key]);
    return key === null || key.length > MAX_KEY_LENGTH ? null : key;
  }

  readTimestamp(headers: IncomingHttpHeaders): string | null {
    return readHeader(headers[this.#names.timestamp]);
  }

  /** Returns the signed request's account, or refuses the request. */
  authenticate(request: SignedRequest): Result<AccountSlot> {
    const { core, clock, profile } = this.#exchange;
    const key = readHeader(request.headers[this.#names.key]);
    const timestamp = this.readTimestamp(request.headers);
    const signature = readHeader(request.headers[this.#names.signature]);
    // A request without these headers is unsigned. A request with empty headers counts as wrongly signed.
    if (Object.values(this.#names).every((name) => request.headers[name] === undefined))
      return refuse('not_authenticated');
    if (key === null || timestamp === null || signature === null)
      return failAuthentication('Missing required authentication headers');
    // After the machine's clock was set back, a caller may sign with either the machine's or the `Date` header's time.
    const isFar = (ms: number) => Math.abs(Number(timestamp) - Math.floor(ms / 1000)) > profile.clock_tolerance_s;
    if (!/^\d{1,12}$/.test(timestamp) || (isFar(clock.nowMs()) && isFar(clock.machineMs())))
      return failAuthentication('Timestamp out of range');
    const credential = core.identity.credential(key);
    if (credential === null) return failAuthentication('Invalid API key');
    const parts = { timestamp, method: request.method, pathWithQuery: request.rawUrl, body: request.body };
    if (!signatureMatches(signature, credential.secret, parts)) return failAuthentication('Invalid signature');
    return ok(credential.account);
  }
}

const readHeader = (value: string | string[] | undefined) => (typeof value === 'string' && value !== '' ? value : null);

const failAuthentication = (message: string) => refuse('authentication_failed', message);
