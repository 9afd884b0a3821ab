/** Requests as bytes, refusals of the framework itself, and the last step of every answer. */

import { isUtf8 } from 'node:buffer';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { EndpointName, Scope } from '../../shared/protocol/endpoints.js';
import type { ErrorDetails, ServiceFault } from '../../shared/protocol/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { parseBySchema } from '../../shared/protocol/wire.js';
import type { Result } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { type Answer, badField, invalid, refuse } from '../service/answers.js';
import type { SignedRequest } from './authentication.js';
import type { ExchangeClock } from './ticker.js';

/** The exchange behind the server, and the served parts. */
export interface ServerOptions {
  readonly core: ExchangeCore;
  readonly clock: ExchangeClock;
  readonly profile: VenueProfile;
  readonly rateLimits: boolean;
  readonly controls: boolean;
  /** Does due work before a request, and returns the exchange's time, ms. Throws when the store failed. */
  readonly settle: () => number;
  /** Moves the clock forward, does the due work, and returns the new time, ms. */
  readonly advanceClock: (ms: number) => number;
  /** Reports unexpected errors: the error behind a 500, and its request. */
  readonly onError: (error: unknown, request: string) => void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Request budget of a call; `paper` calls use none. */
    scope?: Scope | 'paper';
    /** The call of the service served here. */
    call?: EndpointName;
  }
  interface FastifyRequest {
    /** The media type in lower case, without parameters; empty when absent. */
    bodyType: string;
  }
}

/** The service's ids are far shorter; a longer path parameter is a 404. */
export const MAX_PARAM_LENGTH = 256;

/** `{name}` of a template in the router's spelling. */
export const routeUrl = (template: string): string => template.replace(/\{(\w+)\}/g, ':$1');

/** Inverse of `routeUrl`. */
export const toTemplate = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

/** Lists all declared methods of a path. */
export function listMethods(
  path: string,
  declarations: readonly { readonly method: string; readonly path: string }[],
): string[] {
  const segments = path.split('/');
  const matching = declarations.filter((declaration) => matches(segments, declaration.path.split('/')));
  return [...new Set(matching.map(({ method }) => method))];
}

const matches = (path: readonly string[], template: readonly string[]): boolean =>
  path.length === template.length &&
  template.every((segment, at) => (segment.startsWith('{') ? path[at] !== '' : segment === path[at]));

/** Query parameters as parsed by the router: a repeated one is an array. */
export type RawQuery = Readonly<Record<string, string | string[] | undefined>>;

/** Unknown parameters are ignored, known ones may be given once. */
export function parseQuery<S extends z.ZodObject>(schema: S, query: RawQuery): Result<z.output<S>> {
  const known: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = query[name];
    if (Array.isArray(value)) return refuse(badField(name, 'This parameter was given more than once.'));
    if (value !== undefined) known[name] = value;
  }
  return parse(schema, known);
}

/** Parses a JSON body. The caller has checked its media type. */
function parseBody<S extends z.ZodType>(schema: S, raw: Buffer): Result<z.output<S>> {
  if (!isUtf8(raw)) return refuse(badField('body', 'The body must be UTF-8.'));
  let value: unknown;
  try {
    // JSON.parse makes `__proto__` an ordinary key and keeps the last of duplicate keys; the schema then copies only
    // known fields.
    value = JSON.parse(raw.toString('utf8'));
  } catch {
    return refuse(badField('body', 'Malformed JSON.'));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(badField('body', 'A JSON object is required.'));
  }
  return parse(schema, value);
}

function parse<S extends z.ZodType>(schema: S, value: object): Result<z.output<S>> {
  const parsed = parseBySchema(schema, value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return refuse(invalid(makeErrorDetails(parsed.error.issues, value)));
}

/** Creates one entry per field, in the schema's order. */
function makeErrorDetails(issues: readonly z.core.$ZodIssue[], value: object): ErrorDetails {
  const seen = new Map<string, string>();
  for (const issue of issues) {
    // The index within a list does not help a reader of `status=open,done`.
    const names = issue.path.filter((part) => typeof part === 'string');
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) seen.set([...names, key].join('.'), 'There is no such field.');
      continue;
    }
    const field = names.length === 0 ? 'body' : names.join('.');
    if (!seen.has(field)) seen.set(field, isMissing(value, issue.path) ? 'This field is required.' : issue.message);
  }
  return [...seen].map(([field, message]) => ({ [field]: message }));
}

function isMissing(value: object, path: readonly PropertyKey[]): boolean {
  let current: unknown = value;
  for (const key of path) {
    // A text that the schema reads as a list counts as present.
    if (typeof current !== 'object' || current === null) return false;
    if (!Object.hasOwn(current, key)) return true;
    current = (current as Record<PropertyKey, unknown>)[key]; // An own property, checked above.
  }
  return current === undefined;
}

/** The interface: a larger body is a 413. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Request line and headers together: more is a 431. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** Fault of a framework error; our own errors are `internal_error`. */
export function toServiceFault(error: FastifyError): ServiceFault {
  switch (error.statusCode) {
    case 413:
      return { slug: 'request_too_large' };
    case 415:
      return { slug: 'unsupported_media_type' };
    case undefined:
      return { slug: 'internal_error' };
    default:
      if (error.statusCode < 500) return badField('request', 'The request is malformed.');
      return { slug: 'internal_error' };
  }
}

/** Path and query as on the request line. */
export const readRawUrl = (request: FastifyRequest): string => request.raw.url ?? '/';

const NO_BYTES = Buffer.alloc(0);

/** Removes the media type before the framework can reject it: path and caller are checked first. */
export function takeMediaType(request: FastifyRequest): void {
  const named = request.headers['content-type'];
  if (named === undefined) return;
  request.bodyType = named.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  delete request.raw.headers['content-type'];
}

/** Returns the raw body; empty without a body. */
export const readBytes = (request: FastifyRequest): Buffer => (Buffer.isBuffer(request.body) ? request.body : NO_BYTES);

/** The signed parts of a request. */
export const readSignedParts = (request: FastifyRequest): SignedRequest => ({
  method: request.method,
  rawUrl: readRawUrl(request),
  headers: request.headers,
  body: readBytes(request),
});

/** Body of a call that declares one: checks the JSON media type, then the schema. */
export function readBody<S extends z.ZodObject>(request: FastifyRequest, schema: S): Result<z.output<S>> {
  const body = readBytes(request);
  if (body.length > 0 && request.bodyType !== 'application/json') return refuse({ slug: 'unsupported_media_type' });
  // A call without a body lacks every field.
  return parseBody(schema, body.length === 0 ? Buffer.from('{}') : body);
}

/** Sends an answer. No other answer may follow. */
export function send(reply: FastifyReply, answer: Answer): void {
  if (answer.location !== undefined) reply.header('location', answer.location);
  const type = answer.type ?? 'application/json; charset=utf-8';
  reply.code(answer.status).header('content-type', type).send(answer.text);
}
