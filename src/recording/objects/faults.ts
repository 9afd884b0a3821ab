/** What went wrong with an object, as an error for the user: bucket, key, what came, what is wanted. Never a key or a signature. */

import { TwinbookError } from '../../shared/base/errors.js';
import { type ObjectCredentials, type ObjectPlace, showKey } from './place.js';

/** An answer that is no success. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  /** The beginning of its body. */
  readonly text: string;
}

const CLOCK_MAY_DIFFER_MS = 5 * 60_000;
const KEYS = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';

export class ObjectFaults {
  readonly #place: ObjectPlace;
  readonly #credentials: ObjectCredentials | null;

  constructor(place: ObjectPlace, credentials: ObjectCredentials | null) {
    this.#place = place;
    this.#credentials = credentials;
  }

  /** Its answer was `refusal`. `nowMs` is our clock, Unix ms. */
  refused(what: string, key: string, refusal: Refusal, nowMs: number): TwinbookError {
    const { status, headers, text } = refusal;
    const code = readTag(text, 'Code');
    const message = this.#hideSecrets(readTag(text, 'Message') ?? '');
    const said = [code, message].filter((part) => part !== null && part !== '').join(': ');
    const got = `the server answered ${status}${said === '' ? '' : ` (${said})`}`;
    const [more, hint] = this.#explain(status, code, headers, nowMs);
    return this.#fault('objects_unreadable', what, key, `${got}${more}`, hint);
  }

  /** No answer came, or it broke off. */
  broken(what: string, key: string, tries: number, error: unknown): TwinbookError {
    const reason = this.#hideSecrets(describeFailure(error));
    const times = tries === 1 ? '' : `, asked ${tries} times`;
    const hint = 'Check the network, the endpoint (AWS_ENDPOINT_URL) and whether the server runs.';
    return this.#fault('objects_unreadable', what, key, `${reason}${times} (${this.#place.endpoint})`, hint, error);
  }

  /** The answer came and is not what it should be. */
  wrong(what: string, key: string, got: string, wanted: string, hint = ''): TwinbookError {
    return this.#fault('recording_invalid', what, key, `got ${this.#hideSecrets(got)}, wanted ${wanted}`, hint);
  }

  #fault(
    code: 'objects_unreadable' | 'recording_invalid',
    what: string,
    key: string,
    got: string,
    hint: string,
    cause?: unknown,
  ): TwinbookError {
    return new TwinbookError(code, `cannot ${what} ${showKey(this.#place, key)}: ${got}`, hint, { cause });
  }

  #explain(status: number, code: string | null, headers: Headers, nowMs: number): [more: string, hint: string] {
    const theirs = Date.parse(headers.get('date') ?? '');
    const aheadMs = nowMs - theirs;
    if (code === 'RequestTimeTooSkewed' || (status === 403 && Math.abs(aheadMs) > CLOCK_MAY_DIFFER_MS)) {
      const by = Number.isFinite(aheadMs)
        ? `: it is ${describeSkew(aheadMs)} the server's, wanted less than 15 minutes`
        : '';
      return [`; this machine's clock differs too much${by}`, 'Set the clock, by NTP for instance, and try again.'];
    }
    if (status >= 300 && status < 400) {
      const region = headers.get('x-amz-bucket-region');
      const where = region === null ? '' : `; the bucket lies in the region ${region}, asked was ${this.#place.region}`;
      return [
        where,
        'Redirects are not followed. Give the region (AWS_REGION or ?region=) and the endpoint of the bucket.',
      ];
    }
    if (status === 401 || status === 403) {
      const unsigned = this.#credentials === null;
      return [
        unsigned ? `; the request was not signed, for ${KEYS} are not set` : '',
        unsigned ? `Set ${KEYS}.` : 'Check the keys, and whether they may list, read and (to record) write there.',
      ];
    }
    if (status === 404) return ['', 'Check bucket, prefix and endpoint.'];
    return ['', ''];
  }

  #hideSecrets(text: string): string {
    const { accessKeyId, secretAccessKey, sessionToken } = this.#credentials ?? {};
    let hidden = text;
    for (const secret of [secretAccessKey, sessionToken, accessKeyId])
      if (secret) hidden = hidden.replaceAll(secret, '…');
    return hidden.replaceAll(/\s+/g, ' ').slice(0, 300);
  }
}

/** The text between `<name>` and `</name>`; null where there is none. */
export function readTag(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found === undefined ? null : decodeEntities(found);
}

export const decodeEntities = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&amp;', '&');

function describeSkew(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const length = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
  return `${length} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}

/** What Node says of a connection lies in the cause. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error && cause.message !== '' ? `${error.message}: ${cause.message}` : error.message;
}

/** Whether nobody listens there at all: asking on for long would only hide a mistyped address. */
export function isNobodyThere(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return (
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    code === 'ERR_TLS_CERT_ALTNAME_INVALID' ||
    code === 'CERT_HAS_EXPIRED'
  );
}
