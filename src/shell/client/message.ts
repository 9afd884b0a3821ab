/** One call as the bytes on the wire: written once, so that the signed bytes are the sent bytes. */

import { TwinbookError } from '../../shared/base/errors.js';
import { type Declaration, fillPath, writeQuery } from '../../shared/protocol/endpoints.js';
import { requestSignature, signatureHeaders } from '../../shared/protocol/signing.js';
import type { Credentials } from '../wallet/credentials.js';

/** A request as sent, without its headers. */
export interface Message {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  /** Path and query exactly as the request line will carry them. */
  readonly pathWithQuery: string;
  /** The body's exact text; empty for a call without one. */
  readonly body: string;
}

/** The parts of a call, whatever its endpoint. */
export interface CallParts {
  readonly params?: unknown;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** The message of a call, or the text of what makes it impossible to send. */
export function writeMessage(base: URL, declaration: Declaration, parts: CallParts): Message | string {
  const { method, path, body } = declaration;
  const params = parts.params ?? {};
  // Path parameters are strings by type; other values are rejected here.
  const values: Record<string, string> = {};
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value: unknown = Object.entries(params).find(([key]) => key === name)?.[1];
    // `.` and `..` survive percent-encoding and would change the path that was signed.
    if (typeof value !== 'string' || !/^(?!\.{1,2}$).{1,256}$/s.test(value)) {
      return `path parameter ${name} cannot be sent`;
    }
    values[name] = value;
  }
  try {
    const url = new URL(`${base.href.replace(/\/$/, '')}${fillPath(path, values)}${writeQuery(parts.query ?? {})}`);
    const text = body === null ? '' : JSON.stringify(parts.body ?? {});
    return { method, url, pathWithQuery: `${url.pathname}${url.search}`, body: text };
  } catch {
    return 'the query or the body cannot be written'; // a lone surrogate, or a body that refers to itself
  }
}

/** Headers of one attempt. Signed each time, because the signature covers the timestamp. */
export function writeHeaders(
  message: Message,
  prefix: string,
  credentials: Credentials | null,
  venueSeconds: number,
): Record<string, string | false> {
  const { method, pathWithQuery, body } = message;
  const headers: Record<string, string | false> = {
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
    'User-Agent': 'twinbook',
    // `false` keeps axios from announcing a form where no body is sent.
    'Content-Type': body === '' ? false : 'application/json',
  };
  if (credentials === null) return headers;
  const names = signatureHeaders(prefix);
  const timestamp = String(venueSeconds);
  headers[names.apiKey] = credentials.apiKey;
  headers[names.timestamp] = timestamp;
  headers[names.signature] = requestSignature(credentials.secret, { timestamp, method, pathWithQuery, body });
  return headers;
}

/** Checks a base address and drops its trailing slashes. Throws TwinbookError config_invalid. */
export function checkedBaseUrl(text: string): URL {
  const hint = 'Write it like https://api.example.com or, on this machine, http://127.0.0.1:8787.';
  const invalid = (what: string) => new TwinbookError('config_invalid', `base_url ${what}`, hint);
  if (!URL.canParse(text)) throw invalid('is not an address');
  const url = new URL(text);
  // The address itself may hold a password: it is shown only once that is ruled out.
  if (url.username !== '' || url.password !== '') throw invalid('must not hold a user name or password');
  if (url.search !== '' || url.hash !== '') throw invalid(`${text} must not hold a query or a fragment`);
  const isPlain = url.protocol === 'http:';
  if (!isPlain && url.protocol !== 'https:') throw invalid(`${text} must begin with https://`);
  if (isPlain && !isLoopback(url.hostname))
    throw invalid(`${text} must begin with https:// (only loopback may be plain)`);
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Whether a host of a URL is this machine itself, so that plain HTTP leaves no wire to listen on. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
