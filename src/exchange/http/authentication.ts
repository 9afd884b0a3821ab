/** Authenticates a signed request by its three headers: present, in time, key known, signature valid. */

import type { IncomingHttpHeaders } from 'node:http';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { signatureHeaders, signatureMatches } from '../../shared/protocol/signing.js';
import type { AccountSlot, Result } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { refuse } from '../service/answers.js';

/** The signed parts of a request. */
export interface SignedRequest {
  readonly method: string;
  readonly rawUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Longer keys cannot exist and get no rate window. */
const MAX_KEY_LENGTH = 128;

/** Checks the three headers of signed requests and returns the account. */
export class Authenticator {
  readonly #keyHeader: string;
  readonly #timestampHeader: string;
  readonly #signatureHeader: string;
  readonly #toleranceS: number;

  constructor(profile: VenueProfile) {
    const names = signatureHeaders(profile.header_prefix);
    // Node gives header names in lower case.
    this.#keyHeader = names.apiKey.toLowerCase();
    this.#timestampHeader = names.timestamp.toLowerCase();
    this.#signatureHeader = names.signature.toLowerCase();
    this.#toleranceS = profile.clock_tolerance_s;
  }

  /** The key named by a request, for its rate window; null without a plausible one. */
  keyNamed(headers: IncomingHttpHeaders): string | null {
    const key = readHeader(headers[this.#keyHeader]);
    return key === null || key.length > MAX_KEY_LENGTH ? null : key;
  }

  /** The caller's account, or the reason for a rejection. `nowMs`: exchange clock. */
  authenticate(request: SignedRequest, core: ExchangeCore, nowMs: number): Result<AccountSlot> {
    const key = readHeader(request.headers[this.#keyHeader]);
    const timestamp = readHeader(request.headers[this.#timestampHeader]);
    const signature = readHeader(request.headers[this.#signatureHeader]);
    if (this.#isUnsigned(request.headers)) return refuse({ slug: 'not_authenticated' });
    if (key === null || timestamp === null || signature === null) {
      return failAuthentication('Missing required authentication headers');
    }
    if (!this.#isRecent(timestamp, nowMs)) return failAuthentication('Timestamp out of range');
    const credential = core.identity.credential(key);
    if (credential === null) return failAuthentication('Invalid API key');
    const parts = {
      timestamp,
      method: request.method,
      pathWithQuery: request.rawUrl,
      body: request.body,
    };
    if (!signatureMatches(signature, credential.secret, parts)) return failAuthentication('Invalid signature');
    return { ok: true, value: credential.account };
  }

  /** True when all three are missing. A present one without a value is a faulty signed request. */
  #isUnsigned(headers: IncomingHttpHeaders): boolean {
    const names = [this.#keyHeader, this.#timestampHeader, this.#signatureHeader];
    return names.every((name) => headers[name] === undefined);
  }

  #isRecent(timestamp: string, nowMs: number): boolean {
    if (!/^\d{1,12}$/.test(timestamp)) return false;
    return Math.abs(Number(timestamp) - Math.floor(nowMs / 1000)) <= this.#toleranceS;
  }
}

const readHeader = (value: string | string[] | undefined) => (typeof value === 'string' && value !== '' ? value : null);

const failAuthentication = (message: string) => refuse({ slug: 'authentication_failed', message });
