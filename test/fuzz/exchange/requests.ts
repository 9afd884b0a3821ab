/** Requests, and their bytes on the connection. */

import type { TestTrader } from '../../exchange/http/harness.js';

export type Header = readonly [name: string, value: string];

export interface HostileRequest {
  readonly method: string;
  /** As written on the request line. */
  readonly target: string;
  /** Without `Host`, the body's length and, with a signer, the three headers of a signed request. */
  readonly headers: readonly Header[];
  readonly body: Buffer | null;
  /** The account whose credentials sign these bytes when they are sent; null for none. */
  readonly signer: TestTrader | null;
}

/** A minimum requirement for the answer. */
export type Duty =
  | 'anything'
  /** A caller without valid credentials gets 401 and has no effect. */
  | 'unauthorised'
  /** A record of another user, or an unknown user: no success, for any reason. */
  | 'refused';

/** One request of the fuzzer, with its known facts. */
export interface Case {
  /** Kind of attack. */
  readonly kind: string;
  readonly request: HostileRequest;
  /** The declared path that serves it; null if the router decides. */
  readonly path: string | null;
  readonly duty: Duty;
  /** Bytes after it that are not a request: this one must still be answered first. */
  readonly followedBy?: Buffer;
}

/** Encodes characters that would end the request line early, which other requests on the connection must not suffer. */
export const lineSafe = (target: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes them
  target.replace(/[\u0000-\u0020\u007f]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: removes them
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
