/** Parses requests into the declared call, or into the 400 that names the field. */

import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import type { ErrorDetails } from '../../shared/protocol/errors.js';
import { parseBySchema } from '../../shared/protocol/parse-by-schema.js';
import type { Result } from '../core/contract.js';
import { badField, invalid } from '../service/envelope.js';

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
export function parseBody<S extends z.ZodType>(schema: S, raw: Buffer): Result<z.output<S>> {
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

/** One entry per field, in the schema's order. */
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
    // A text that the schema reads as a list is present, whatever its words are.
    if (typeof current !== 'object' || current === null) return false;
    if (!Object.hasOwn(current, key)) return true;
    current = (current as Record<PropertyKey, unknown>)[key]; // An own property, checked above.
  }
  return current === undefined;
}

const refuse = (fault: ReturnType<typeof invalid>) => ({ ok: false, fault }) as const;
