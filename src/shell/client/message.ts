/** Encodes one call as bytes, and classifies the answer. The signature covers exactly the bytes that are sent. */

import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { parseJson } from '../../shared/base/text.js';
import {
  type DataOf,
  type Declaration,
  type EndpointName,
  fillPath,
  writeQuery,
} from '../../shared/protocol/endpoints.js';
import { type ErrorDetails, errorObject } from '../../shared/protocol/errors.js';
import { draft } from '../../shared/protocol/records.js';
import type { Outcome, UnreadRow } from '../../shared/protocol/seam.js';
import { requestSignature, signatureHeaders } from '../../shared/protocol/signing.js';
import { parseBySchema } from '../../shared/protocol/wire.js';
import type { Credentials } from '../wallet/key-file.js';
import { secrets } from '../wallet/secrets.js';

/** A request with method, path and body, but without headers. */
export interface Message {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly pathWithQuery: string;
  /** The exact text of the request's body; empty for a call without a body. */
  readonly body: string;
}

/** Path parameters, query and request body of a call. */
interface CallParts {
  readonly params?: unknown;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** Returns the message for a call, or the reason why the call cannot be sent. */
export function writeMessage(base: URL, declaration: Declaration, parts: CallParts): Message | string {
  const { method, path, body } = declaration;
  const params = parts.params ?? {};
  // TypeScript requires string parameters; untyped callers may pass other values, which are rejected here.
  const values: Record<string, string> = {};
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value: unknown = Object.entries(params).find(([key]) => key === name)?.[1];
    // The values `.` and `..` are rejected: percent-encoding keeps them, and the URL parser would change the path.
    if (typeof value !== 'string' || !/^(?!\.{1,2}$).{1,256}$/s.test(value))
      return `path parameter ${name} cannot be sent`;
    values[name] = value;
  }
  try {
    const url = new URL(`${base.href.replace(/\/$/, '')}${fillPath(path, values)}${writeQuery(parts.query ?? {})}`);
    const text = body === null ? '' : JSON.stringify(parts.body ?? {});
    return { method, url, pathWithQuery: `${url.pathname}${url.search}`, body: text };
  } catch {
    return 'the query or the body cannot be written'; // Causes: a lone surrogate, or a cyclic body.
  }
}

/** Returns the headers of one attempt. Every attempt has a new signature, which covers the timestamp. */
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
    // Without `false`, axios would send a form's content type even if the request has no body.
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

/** Checks a base address, and removes slashes at its end. Throws TwinbookError config_invalid. */
export function checkedBaseUrl(text: string): URL {
  const hint = 'Write it like https://api.example.com or, on this machine, http://127.0.0.1:8787.';
  const invalid = (what: string) => new TwinbookError('config_invalid', `base_url ${what}`, hint);
  if (!URL.canParse(text)) throw invalid('is not an address');
  const url = new URL(text);
  // The base address may contain a password, so messages contain the address only after this check.
  if (url.username !== '' || url.password !== '') throw invalid('must not contain a user name or password');
  if (url.search !== '' || url.hash !== '') throw invalid(`${text} must not contain a query or a fragment`);
  const isPlain = url.protocol === 'http:';
  if (!isPlain && url.protocol !== 'https:') throw invalid(`${text} must begin with https://`);
  if (isPlain && !isLoopback(url.hostname))
    throw invalid(`${text} must begin with https:// (http:// only on this machine)`);
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Returns true if a URL's host is this machine: then plain HTTP does not cross a network. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);

/** Content of a venue's answer, with its classification. */
interface Classification {
  readonly outcome: Outcome;
  /** True if the service sent the answer; false for a proxy's page, which lacks the service's clock and budget. */
  readonly genuine: boolean;
  /** Page size that a page of a list reports; null if the page reports none, or the call returns no list. */
  readonly pageLimit: number | null;
}

const refusal = z.object({ data: z.null().optional(), meta: z.null().optional(), error: errorObject });
const success = z.object({ data: z.unknown(), meta: z.unknown(), error: z.null() });
const listMeta = z.object({
  next_cursor: z.string().max(4096).nullable(),
  limit: z.number().int().min(1).nullable().catch(null),
});

/**
 * Classifies an answer. The classes *answered* and *refused* need the service's complete envelope with the right
 * status. Every other answer is *unknown*: if a successful write counted as refused, a caller would repeat it.
 *
 * `text` is the whole body of the answer; null if it is not UTF-8. `asked`: parameters of the call that was answered.
 */
export function classify(
  declaration: Declaration,
  status: number,
  text: string | null,
  asked: CallParts = {},
): Classification {
  const json = text === null ? undefined : parseJson(text);
  if (json === undefined) return strange(`HTTP ${status}: the body is not JSON`);
  try {
    return status >= 200 && status <= 299 ? readSuccess(declaration, status, json, asked) : readFailure(status, json);
  } catch {
    return strange(`HTTP ${status}: the body cannot be read`);
  }
}

/** Maximum rows of a page: the largest page size of the service. */
const LARGEST_PAGE = 200;
/** Maximum elements of an array inside another value, such as a side of a book. A book has at most 100 levels. */
const LONGEST_NESTED = 1_000;
/** Maximum elements of all arrays of an answer. A price chart of 30 days has 8,640 bars. */
const MOST_ELEMENTS = 10_000;

/** Returns true if the data has too many array elements: parsing many invalid elements would take minutes. */
function isOverlong(data: unknown, largest: number): boolean {
  let elements = 0;
  const waiting: unknown[] = [data];
  for (const value of waiting) {
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      elements += value.length;
      if (elements > MOST_ELEMENTS || value.length > (value === data ? largest : LONGEST_NESTED)) return true;
    }
    for (const part of Object.values(value)) waiting.push(part);
  }
  return false;
}

function readSuccess(declaration: Declaration, status: number, json: unknown, asked: CallParts): Classification {
  const envelope = parseBySchema(success, json);
  if (!envelope.success) return strange(`HTTP ${status}: the body has no success envelope`);
  const largest = declaration.page === undefined ? MOST_ELEMENTS : LARGEST_PAGE;
  if (isOverlong(envelope.data.data, largest)) return believe(makeUnknown(`HTTP ${status}, data has too many items`));
  let data = parseBySchema(declaration.data, envelope.data.data);
  let unread: readonly UnreadRow[] = [];
  if (!data.success && declaration.looseRow !== undefined) {
    const readable = leaveOutUnread(declaration.looseRow, envelope.data.data);
    data = parseBySchema(declaration.data, readable.rows);
    unread = readable.unread;
  }
  if (!data.success) return believe(makeUnknown(`HTTP ${status}, ${firstIssue(data.error, 'data')}`));
  const other = otherThanAsked(declaration, asked, data.data);
  if (other !== null) return believe(makeUnknown(`HTTP ${status}, ${other}`));
  // A page without a valid `next_cursor` would be mistaken for the last page.
  const meta = declaration.page === undefined ? null : parseBySchema(listMeta, envelope.data.meta);
  if (meta?.success === false) return believe(makeUnknown(`HTTP ${status}, ${firstIssue(meta.error, 'meta')}`));
  const nextCursor = meta?.data.next_cursor || null;
  // The cast is safe, because the endpoint's schema has parsed `data.data`.
  const answered = { kind: 'answered', data: data.data as DataOf<EndpointName>, nextCursor } as const;
  return believe(unread.length === 0 ? answered : { ...answered, unread }, meta?.data.limit);
}

/** Leaves out the unreadable rows of a page. A page without a readable row is invalid, unless each row names its id. */
function leaveOutUnread(looseRow: z.ZodType, data: unknown): { rows: unknown; unread: readonly UnreadRow[] } {
  if (!Array.isArray(data)) return { rows: data, unread: [] };
  const unread: UnreadRow[] = [];
  const rows = data.filter((row: unknown) => {
    const read = parseBySchema(looseRow, row);
    if (!read.success) unread.push({ conditionId: nameMarket(row), problem: problemOf(read.error, row) });
    return read.success;
  });
  const isInvalid = rows.length === 0 && unread.some(({ conditionId }) => conditionId === null);
  return isInvalid ? { rows: data, unread: [] } : { rows, unread };
}

function nameMarket(row: unknown): string | null {
  const id = fieldOf(row, 'condition_id') ?? fieldOf(fieldOf(row, 'summary'), 'condition_id');
  return typeof id === 'string' ? harmless(id, 100) : null;
}

const fieldOf = (row: unknown, name: PropertyKey): unknown =>
  typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined;

function problemOf(error: z.ZodError, row: unknown): string {
  const came = error.issues[0]?.path.reduce(fieldOf, row);
  return harmless(`${firstIssue(error, 'market')}; got ${JSON.stringify(plain(came))}`, 300);
}

function readFailure(status: number, json: unknown): Classification {
  const envelope = isOverlong(json, MOST_ELEMENTS) ? null : parseBySchema(refusal, json);
  if (!envelope?.success) return strange(`HTTP ${status}: the body has no error envelope`);
  const { slug, message, details } = envelope.data.error;
  const told = { slug: harmless(slug, 100), message: harmless(message, 500) };
  if (!refuses(status, slug)) return believe(makeUnknown(`HTTP ${status} ${told.slug}: ${told.message}`));
  return believe({ kind: 'refused', status, ...told, details: readDetails(details) });
}

/** True if the answer proves that the request had no effect. Most answers with a status 5xx do not prove this. */
const refuses = (status: number, slug: string): boolean =>
  (status >= 400 && status <= 499) || status === 501 || (status === 503 && slug === 'gringotts_unavailable');

const readDetails = (rows: readonly Readonly<Record<string, unknown>>[]): ErrorDetails =>
  rows.slice(0, 50).map((row) => Object.fromEntries(Object.entries(row).slice(0, 50).map(cleanDetail)));

const cleanDetail = ([name, value]: [string, unknown]) => [harmless(name, 100), harmless(plain(value), 500)] as const;

/** Removes the API secret, then shortens a venue's text and replaces control characters, which could fake log lines. */
const harmless = (text: string, characters: number): string =>
  secrets
    .clean(text)
    .slice(0, characters)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');

function plain(value: unknown): string {
  return Array.isArray(value) ? value.slice(0, 10).map(showValue).join(' ') : showValue(value);
}

/** Shows nested values as `…`, because a deeply nested value would overflow the stack. */
const showValue = (value: unknown): string => (typeof value === 'object' && value !== null ? '…' : String(value));

function firstIssue(error: z.ZodError, root: string): string {
  const issue = error.issues[0];
  if (issue === undefined) return `${root} does not match the interface`;
  return `${[root, ...issue.path.map(String)].join('.').slice(0, 200)}: ${issue.message.slice(0, 200)}`;
}

const makeUnknown = (reason: string): Outcome => ({ kind: 'unknown', reason, sent: true });
const strange = (reason: string): Classification => ({ outcome: makeUnknown(reason), genuine: false, pageLimit: null });
const believe = (outcome: Outcome, pageLimit: number | null = null): Classification => ({
  outcome,
  genuine: true,
  pageLimit,
});

/** Fields of a record or row that repeat a parameter of the request. */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  pubkey: ['pubkey', 'position_pubkey'],
  condition_id: ['condition_id', 'market', 'market_condition_id'],
  key_id: ['key_id'],
  // A wrong `is_yes` means that either the prices or the flag are of the outcome that was not requested.
  is_yes: ['is_yes'],
};

/** Returns how the answer contradicts the call's parameters, such as another order's record; null if it does not. */
function otherThanAsked(declaration: Declaration, asked: CallParts, data: unknown): string | null {
  // A cancel's draft may have another pubkey than its order; the signer compares the draft's content instead.
  if (declaration.data === draft) return null;
  const rows: readonly unknown[] = Array.isArray(data) ? data : [data];
  for (const [name, wanted] of Object.entries({ ...asked.query, ...(asked.params ?? {}) })) {
    for (const field of REPEATED[name] ?? [])
      if (rows.some((row) => isOther(row, field, wanted))) return `data.${field} differs from the requested value`;
  }
  return null;
}

function isOther(row: unknown, field: string, wanted: unknown): boolean {
  const found = fieldOf(row, field);
  return typeof found === typeof wanted && found !== wanted;
}
