import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { EndpointName, Scope } from '../../shared/protocol/endpoints.js';
import type { ErrorDetails } from '../../shared/protocol/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import { parseBySchema } from '../../shared/protocol/wire.js';
import { invalid, ok, type Result, refuse } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import type { Answer } from '../service/answers.js';
import type { ExchangeClock } from './ticker.js';

/** The server's options and the exchange that the server makes available. */
export interface ServerOptions {
  readonly core: ExchangeCore;
  readonly clock: ExchangeClock;
  readonly profile: VenueProfile;
  readonly rateLimits: boolean;
  readonly controls: boolean;
  /** Runs due work before a request and returns the exchange's time, Unix ms. Throws if the store has failed. */
  readonly settle: () => number;
  /** Moves the exchange's clock forward, runs the due work and returns the new time, Unix ms. */
  readonly advanceClock: (ms: number) => number;
  /** Callback for each unexpected error, with its request. Such an error is answered with status 500. */
  readonly onError: (error: unknown, request: string) => void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: Scope | 'paper';
    call?: EndpointName;
  }
  interface FastifyRequest {
    /** Media type of the request's body in lower case, without parameters; empty if absent. */
    bodyType: string;
  }
}

/** Maximum length of a path parameter; a longer parameter is answered with 404. The service's ids are much shorter. */
export const MAX_PARAM_LENGTH = 256;

/** Converts the parameters of a path template from `{name}` to the router's spelling `:name`. */
export const routeUrl = (template: string): string => template.replace(/\{(\w+)\}/g, ':$1');

/** Query parameters as parsed by the router. A repeated parameter is an array. */
type RawQuery = Readonly<Record<string, string | string[] | undefined>>;

/** Parses query parameters. Unknown query parameters are ignored. A known query parameter may be given only once. */
export function parseQuery<S extends z.ZodObject>(schema: S, query: RawQuery): Result<z.output<S>> {
  const known: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = query[name];
    if (Array.isArray(value)) return invalid(name, 'This parameter was given more than once.');
    if (value !== undefined) known[name] = value;
  }
  return parse(schema, known);
}

function parse<S extends z.ZodType>(schema: S, value: object): Result<z.output<S>> {
  const parsed = parseBySchema(schema, value);
  if (parsed.success) return ok(parsed.data);
  const details = makeErrorDetails(parsed.error.issues, value);
  return { ok: false, fault: { slug: 'invalid_request_params', details } };
}

function makeErrorDetails(issues: readonly z.core.$ZodIssue[], value: object): ErrorDetails {
  const seen = new Map<string, string>();
  for (const issue of issues) {
    // Field names omit list indexes, which do not help the sender of a list such as `status=open,done`.
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
    // The elements of a list that was sent as comma-separated text count as present.
    if (typeof current !== 'object' || current === null) return false;
    if (!Object.hasOwn(current, key)) return true;
    current = (current as Record<PropertyKey, unknown>)[key]; // The key is an own property, as checked above.
  }
  return current === undefined;
}

/** Path and query of a request, as received. */
export const readRawUrl = (request: FastifyRequest): string => request.raw.url ?? '/';

const readBytes = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

/** Parts of a request that its signature covers. */
export const readSignedParts = (request: FastifyRequest) => ({
  method: request.method,
  rawUrl: readRawUrl(request),
  headers: request.headers,
  body: readBytes(request),
});

/** Reads the body of a call that has a declared body: checks the JSON media type, then the schema. */
export function readBody<S extends z.ZodObject>(request: FastifyRequest, schema: S): Result<z.output<S>> {
  const bytes = readBytes(request);
  if (bytes.length > 0 && request.bodyType !== 'application/json') return refuse('unsupported_media_type');
  if (!isUtf8(bytes)) return invalid('body', 'The body must be UTF-8.');
  let value: unknown;
  try {
    // A missing body is read as an object without fields. JSON.parse treats `__proto__` as an ordinary key and keeps
    // the last duplicate. The schema copies only known fields.
    value = JSON.parse(bytes.length === 0 ? '{}' : bytes.toString('utf8'));
  } catch {
    return invalid('body', 'Malformed JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid('body', 'A JSON object is required.');
  return parse(schema, value);
}

/** Sends an answer. Call this function only once per request. */
export function send(reply: FastifyReply, answer: Answer): void {
  if (answer.location !== undefined) reply.header('location', answer.location);
  const type = answer.type ?? 'application/json; charset=utf-8';
  reply.code(answer.status).header('content-type', type).send(answer.text);
}
