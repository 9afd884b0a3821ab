/** Answers of a hostile venue: bodies, statuses and headers that a client must not trust. */

import { gzipSync } from 'node:zlib';
import type { Random } from '../../../src/shared/base/random.js';
import type { Document, Json, Operation } from '../schema.js';
import { nastyJson, nastyName, nastyText, noise, pick, weighted } from '../values.js';
import { hostileBytes } from './framing.js';

export interface HostileAnswer {
  readonly kind: string;
  readonly bytes: Buffer;
  /** The end of the connection after the bytes. */
  readonly ending: 'keep' | 'close' | 'reset' | 'silence' | 'drip' | 'endless';
  /** The answer as a correct HTTP reader parses it; null if it is not a whole answer. */
  readonly meaning: Meaning | null;
  /** Reports budgets or clocks, which a client remembers. */
  readonly lasting: boolean;
}

export interface Meaning {
  readonly status: number;
  readonly text: string;
}

export interface Told {
  readonly random: Random;
  readonly document: Document;
  readonly operation: Operation;
  /** The mark with which the record was requested. */
  readonly mark: string;
}

/** Fields that identify a record. */
const NAMES = ['pubkey', 'position_pubkey', 'condition_id', 'market', 'key_id'];
/** Fields by which list rows name their record. */
const OWNER_NAMES = ['market_condition_id'];

type Body = Meaning & { readonly headers?: readonly string[] };

export function answerOf(told: Told): HostileAnswer {
  const [kind, make] = weighted<readonly [string, (told: Told) => Omit<HostileAnswer, 'kind'>]>(told.random, [
    [8, ['honest', (told) => framed(honest(told))]],
    [8, ['refusal', (told) => framed(refusal(told))]],
    [34, ['mutated', (told) => framed(mutated(told))]],
    [14, ['garbage', (told) => framed(garbage(told))]],
    [10, ['contradiction', (told) => framed(contradiction(told))]],
    [5, ['headers', (told) => ({ ...framed(withHeaders(told)), lasting: true })]],
    [18, ['framing', (told) => hostileBytes(told, honest(told))]],
  ]);
  return { kind, ...make(told) };
}

const envelope = (data: unknown, meta: unknown, error: unknown = null): string => JSON.stringify({ data, meta, error });

export function honest({ random, document, operation, mark }: Told): Body {
  const { data, ...rest } = document.sample(random, operation.success) as Json;
  return { status: operation.status, text: JSON.stringify({ data: named(data, mark), ...rest }) };
}

/** The requested record, or rows of it, whose own names vary. */
function named(data: unknown, mark: string, names: readonly string[] = NAMES): unknown {
  if (Array.isArray(data)) return data.map((row) => named(row, mark, OWNER_NAMES));
  if (typeof data !== 'object' || data === null) return data;
  const fields = Object.entries(data).map(([name, value]) => [
    name,
    names.includes(name) && typeof value === 'string' ? mark : value,
  ]);
  return Object.fromEntries(fields);
}

function framed({ status, text, headers = [] }: Body): Omit<HostileAnswer, 'kind'> {
  const body = Buffer.from(text, 'utf8');
  const first = [`HTTP/1.1 ${status} X`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
  const bytes = Buffer.concat([Buffer.from([...first, ...headers, '', ''].join('\r\n'), 'utf8'), body]);
  // These statuses have no body: later bytes belong to no answer.
  if (status === 204 || status === 304) return { bytes, ending: 'close', meaning: null, lasting: false };
  return { bytes, ending: 'keep', meaning: { status, text: body.toString('utf8') }, lasting: status === 429 };
}

const SLUGS: readonly [string, ...string[]] = [
  'invalid_request_params',
  ...'not_found authentication_failed order_not_cancelable brand_new'.split(' '),
];

function refusal({ random }: Told): Body {
  const details = weighted<() => unknown>(random, [
    [3, () => []],
    [1, () => null],
    [1, () => [{ [nastyName(random)]: nastyText(random) }]],
    [0.05, () => Array.from({ length: 300 }, () => ({ field: nastyText(random) }))],
  ])();
  const error = { code: -random.below(20), slug: pick(random, SLUGS), message: nastyText(random), details };
  return { status: pick(random, [400, 401, 403, 404, 409, 418, 451, 501]), text: envelope(null, null, error) };
}

/** An honest body with one altered place. */
function mutated(told: Told): Body {
  const { random } = told;
  const { status, text } = random.chance(0.8) ? honest(told) : refusal(told);
  const places = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|[{}[\],:]/g)];
  const place = places[random.below(places.length)];
  const [token = '', at] = [place?.[0], place?.index ?? 0];
  const instead = weighted(random, [
    [6, () => nastyJson(random)],
    [1, () => ''],
    [1, () => `${token}${token}`],
    [1, () => pick(random, ['{', '}', '[', ']', ',', ':', '"', '\u0000', '\\'])],
    [1, () => JSON.stringify(nastyName(random))],
    [1, () => (token.startsWith('"') ? token.slice(1, -1) : `"${token}"`)],
  ])();
  return { status, text: text.slice(0, at) + instead + text.slice(at + token.length) };
}

const DEEPER = 100_000;
const DEEP_OBJECT = `${'{"a":'.repeat(DEEPER)}1${'}'.repeat(DEEPER)}`;
const envelopeOf = (error: string): string => `{"data":null,"meta":null,"error":${error}}`;

function garbage(told: Told): Body {
  const { random } = told;
  const { status, text } = honest(told);
  const instead = weighted(random, [
    [3, () => text.slice(0, random.below(text.length))],
    [2, () => '<!DOCTYPE html><html><body>502 Bad Gateway</body></html>'],
    [1, () => ''],
    [1, () => `\uFEFF${text}`],
    [1, () => `${text}${text}`],
    [1, () => `)]}',\n${text}`],
    [1, () => `callback(${text})`],
    [1, () => JSON.stringify(text)],
    [2, () => nastyJson(random)],
    [1, () => noise(random, 500).toString('latin1')],
    [0.1, () => `{"data":${'['.repeat(DEEPER)}${']'.repeat(DEEPER)},"meta":{},"error":null}`],
    [0.1, () => envelopeOf(`{"code":1,"slug":"x","message":"x","details":${DEEP_OBJECT}}`)],
    [0.1, () => `{"data":[${'{},'.repeat(50_000)}{}],"meta":{"limit":100,"next_cursor":null},"error":null}`],
  ])();
  return {
    status: random.chance(0.6) ? status : pick(random, [200, 201, 400, 403, 404, 500, 502, 503]),
    text: instead,
  };
}

/** Contradicting status, data, meta and error; redirects. */
function contradiction(told: Told): Body {
  const { random } = told;
  const statuses = [
    200, 201, 202, 204, 206, 300, 301, 302, 304, 307, 308, 400, 404, 429, 500, 501, 502, 503, 504, 599, 600, 999,
  ] as const;
  const status = pick(random, statuses);
  const { data, meta } = JSON.parse(honest(told).text) as { data: unknown; meta: unknown };
  const slug = pick(random, ['internal_error', 'gringotts_unavailable', 'throttled']);
  const error = { code: -3, slug, message: 'x', details: [] };
  const text = weighted(random, [
    [2, () => envelope(data, meta)],
    [2, () => envelope(null, null, error)],
    [1, () => envelope(data, meta, error)],
    [1, () => envelope(null, null)],
    [1, () => envelope([data], meta)],
    [1, () => JSON.stringify({ data, meta })],
    [1, () => JSON.stringify({ error })],
  ])();
  return { status, text, headers: status >= 300 && status < 400 ? [`Location: ${pick(random, PLACES)}`] : [] };
}

const PLACES: readonly [string, ...string[]] = [
  '',
  ...'/elsewhere/ http://127.0.0.1:1/ https://evil.example/ file:///etc/passwd //x'.split(' '),
];
const NUMBERS: readonly [string, ...string[]] = [
  '0',
  ...'-1 1 1e9 999999999999 9999999999999999999 NaN'.split(' '),
  ...['', '1.5', '120, 120', '0x10', '∞'],
];
const DATES: readonly [string, ...string[]] = [
  'Thu, 01 Jan 1970 00:00:00 GMT',
  ...['Fri, 31 Dec 9999 23:59:59 GMT', 'Mon, 01 Jan 0001 00:00:00 GMT', 'yesterday'],
  ...['+275760-09-13T00:00:00.000Z', '-271821-04-20T00:00:00.000Z', '0', '1e99', 'Sat, 30 Feb 2026 00:00:00 GMT'],
];

/** A plausible body under implausible headers. */
function withHeaders(told: Told): Body {
  const { random } = told;
  const throttled = { code: -17, slug: 'throttled', message: 'x', details: [] };
  const clock = { code: -12, slug: 'authentication_failed', message: 'Timestamp out of range', details: [] };
  const body = weighted<() => Body>(random, [
    [2, () => honest(told)],
    [2, () => ({ status: 429, text: envelope(null, null, throttled) })],
    [1, () => ({ status: 401, text: envelope(null, null, clock) })],
    [1, () => ({ status: 429, text: '<html>slow down</html>' })],
  ])();
  const budget = ['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}: ${pick(random, NUMBERS)}`);
  const date = `Date: ${pick(random, DATES)}`;
  const retry = `Retry-After: ${pick(random, [...DATES, ...NUMBERS])}`;
  const lines = [...budget, date, retry, `Age: ${pick(random, NUMBERS)}`].filter(() => random.chance(0.6));
  return { ...body, headers: random.chance(0.2) ? [...lines, ...lines] : lines };
}

/** A few kilobytes that unpack to more than the maximum size of an answer. */
export const BOMB: Buffer = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '));
