/** Requests as they are made, and as the bytes that travel. */

import type { TestTrader } from '../../exchange/http/harness.js';

export type Header = readonly [name: string, value: string];

export interface HostileRequest {
  readonly method: string;
  /** As on the request line. */
  readonly target: string;
  /** Beside `Host`, the length of the body and, with a signer, the three of a signed request. */
  readonly headers: readonly Header[];
  readonly body: Buffer | null;
  /** Whose credentials sign these very bytes when they leave; null for nobody's. */
  readonly signer: TestTrader | null;
}

/** What an answer must be, whatever else it is. */
export type Duty =
  | 'anything'
  /** A caller who is not believed learns and does nothing: 401. */
  | 'unauthorised'
  /** Another's record, or a stranger: whatever the reason, no success. */
  | 'refused';

/** One request of the fuzzer, and what is known of it beforehand. */
export interface Case {
  /** Which kind of hostility. */
  readonly kind: string;
  readonly request: HostileRequest;
  /** The declared path that serves it; null when that is for the router to say. */
  readonly path: string | null;
  readonly duty: Duty;
  /** What is no request, right behind it: this one must be answered first all the same. */
  readonly followedBy?: Buffer;
}

/** What would end the line of a request early; on a connection that is shared with other requests nothing may. */
export const lineSafe = (target: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not stand there
  target.replace(/[\u0000-\u0020\u007f]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not stand there
export const headerSafe = (value: string): string => value.replace(/[\u0000-\u001f\u007f]/g, '');

export function bytesOf(request: HostileRequest): Buffer {
  const { method, target, headers, body } = request;
  const length: Header[] =
    body === null || names(headers, 'transfer-encoding') ? [] : [['Content-Length', `${body.length}`]];
  const all: Header[] = [
    ['Host', 'localhost'],
    ...(names(headers, 'content-length') ? [] : length),
    ...headers,
    ...signatureOf(request),
  ];
  const head = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );
  const bytes = Buffer.from(head, 'utf8');
  return body === null ? bytes : Buffer.concat([bytes, body]);
}

const names = (headers: readonly Header[], wanted: string): boolean =>
  headers.some(([name]) => name.toLowerCase() === wanted);

function signatureOf({ method, target, body, signer }: HostileRequest): readonly Header[] {
  if (signer === null) return [];
  // The server reads the request line byte by byte, and the body as UTF-8.
  const path = Buffer.from(target, 'utf8').toString('latin1');
  return Object.entries(signer.headersFor(method, path, body === null ? '' : body.toString('utf8')));
}

export const JSON_TYPE: Header = ['Content-Type', 'application/json'];

export function withJson(text: string): Pick<HostileRequest, 'headers' | 'body'> {
  return { headers: [JSON_TYPE], body: Buffer.from(text, 'utf8') };
}
