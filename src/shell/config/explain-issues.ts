/** Reads values by a schema, and turns its issues into sentences for the author of the file. */

import type { z } from 'zod';
import { closest } from '../../shared/base/text.js';
import { parseBySchema } from '../../shared/protocol/wire.js';
import { configError, joinWithOr, type Problem, shownValue } from './problems.js';
import { describedAt, jsonSchema, knownKeys, placesBelow, type SchemaNode } from './schema-tree.js';

/** One complaint about a value: its field, and whether the key or the value is wrong. */
interface Complaint {
  readonly path: readonly PropertyKey[];
  readonly part: 'key' | 'value';
  readonly text: string;
}

/** Groups that hold a key, by the key. */
type Places = ReadonlyMap<string, readonly string[]>;

/** Makes the problem of a field. */
export type At = (path: readonly PropertyKey[], text: string, part?: 'key' | 'value') => Problem;

/** The value as the schema reads it. Throws `config_invalid` with every issue. `addPlaces`: more right places of misplaced keys. */
export function readBySchema<S extends z.ZodType>(
  schema: S,
  value: unknown,
  at: At,
  addPlaces?: () => Places,
): z.output<S> {
  const parsed = parseBySchema(schema, value);
  if (parsed.success) return parsed.data;
  const node = jsonSchema(schema);
  const places = new Map([...placesBelow(node), ...(addPlaces?.() ?? [])]);
  const complaints = parsed.error.issues.flatMap((issue) => explainIssue(issue, value, node, places));
  throw configError(complaints.map(({ path, text, part }) => at(path, text, part)));
}

/** Keys of an entry by its kind. */
export type KindKeys<K extends string> = Readonly<
  Record<K, { readonly wants: readonly string[]; readonly may: readonly string[] }>
>;

/** Missing keys of an entry's kind, and keys of another kind. */
export function kindProblems<K extends string>(
  what: string,
  entry: { readonly kind: K },
  keys: KindKeys<K>,
  path: readonly PropertyKey[],
  at: At,
): readonly Problem[] {
  const { kind } = entry;
  const { wants, may } = keys[kind];
  const own = [...wants, ...may];
  const given = new Set(Object.entries(entry).flatMap(([key, value]) => (value === undefined ? [] : [key])));
  const every = new Set(Object.values<KindKeys<K>[K]>(keys).flatMap((rule) => [...rule.wants, ...rule.may]));
  const missing = wants.filter((key) => !given.has(key));
  const foreign = [...every].filter((key) => given.has(key) && !own.includes(key));
  return [
    ...missing.map((key) => at(path, `a ${what} of kind ${kind} wants ${key}`)),
    ...foreign.map((key) => at([...path, key], `a ${what} of kind ${kind} has no ${key}; remove it`)),
  ];
}

/** The fields of a mapping that can be read, each by itself; undefined where one cannot. */
export function readParts<F extends Readonly<Record<string, z.ZodType>>>(
  fields: F,
  value: unknown,
): { readonly [K in keyof F]: z.output<F[K]> | undefined } {
  const raw = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const read = Object.entries(fields).map(([name, field]) => [name, parseBySchema(field, raw.get(name)).data]);
  // Each field by its own schema.
  return Object.fromEntries(read) as { readonly [K in keyof F]: z.output<F[K]> | undefined };
}

function explainIssue(
  issue: z.core.$ZodIssue,
  input: unknown,
  schema: SchemaNode,
  places: Places,
): readonly Complaint[] {
  const { path } = issue;
  const node = describedAt(schema, path);
  const came = valueAt(input, path);
  const complain = (text: string): readonly Complaint[] => [{ path, part: 'value', text }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        part: 'key',
        text: unknownKey(key, knownKeys(node), places),
      }));
    case 'invalid_type':
      return complain(wrongKind(issue.expected, came, node));
    case 'invalid_value':
      return complain(wrongWord(issue.values.map(String), came));
    case 'too_small':
    case 'too_big':
      return complain(outOfRange(issue, came, node));
    case 'invalid_key':
      return [{ path, part: 'key', text: issue.issues[0]?.message ?? issue.message }];
    case 'invalid_union':
      return complain(`wants ${describeKind(node)}, got ${shownValue(came)}`);
    default:
      return complain(
        issue.message.includes(', got ') ? issue.message : `${sentence(issue.message)}, got ${shownValue(came)}`,
      );
  }
}

const sentence = (message: string): string =>
  message.startsWith('Invalid URL') ? 'wants an address such as https://example.org' : message;

/** Maximum number of groups that a message names. */
const MOST_PLACES = 3;

export function unknownKey(key: string, known: readonly string[], places: Places = new Map()): string {
  const homes = places.get(key) ?? [];
  if (homes.length > 0 && homes.length <= MOST_PLACES)
    return `unknown key '${key}' here; it belongs under ${joinWithOr(homes)}`;
  const near = closest(key, known);
  if (near !== null) return `unknown key '${key}'; did you mean '${near}'?`;
  const farther = closest(key, [...places.keys()]);
  const groups = farther === null ? [] : (places.get(farther) ?? []);
  if (groups.length > 0 && groups.length <= MOST_PLACES) {
    return `unknown key '${key}'; did you mean '${farther}', which belongs under ${joinWithOr(groups)}?`;
  }
  return known.length === 0
    ? `unknown key '${key}'`
    : `unknown key '${key}'; known here: ${[...known].sort().join(', ')}`;
}

function wrongKind(expected: string, came: unknown, node: SchemaNode | null): string {
  if (came === undefined) return `missing; ${describeWanted(expected, node)}`;
  if (expected === 'string' && (typeof came === 'number' || typeof came === 'boolean')) {
    return `wants ${stringKind(node)}, got ${shownValue(came)}; write it in quotes: "${came}"`;
  }
  if ((expected === 'number' || expected === 'int') && typeof came === 'string' && /^-?\d+(\.\d+)?$/.test(came)) {
    return `wants ${describeKind(node)}, got ${shownValue(came)}; write it without quotes: ${came}`;
  }
  if (expected === 'boolean' && typeof came === 'string') return `wants true or false, got ${shownValue(came)}`;
  return `${describeWanted(expected, node)}, got ${shownValue(came)}`;
}

const describeWanted = (expected: string, node: SchemaNode | null): string =>
  `wants ${node === null ? expected : describeKind(node)}`;

function wrongWord(values: readonly string[], came: unknown): string {
  const near = typeof came === 'string' ? closest(came, values) : null;
  const list = values.map((value) => JSON.stringify(value));
  return `wants ${joinWithOr(list)}, got ${shownValue(came)}${near === null ? '' : `; did you mean "${near}"?`}`;
}

function outOfRange(
  issue: Extract<z.core.$ZodIssue, { code: 'too_small' | 'too_big' }>,
  came: unknown,
  node: SchemaNode | null,
): string {
  if (issue.origin === 'array') {
    const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
    return `wants ${bound} entries, got ${Array.isArray(came) ? came.length : shownValue(came)}`;
  }
  if (issue.origin === 'string') {
    if (came === '') return 'must not be empty';
    return issue.code === 'too_small'
      ? `wants at least ${issue.minimum} characters`
      : `wants at most ${issue.maximum} characters`;
  }
  return `wants ${describeKind(node)}, got ${shownValue(came)}`;
}

/** `a whole number from 1 to 100`, `a decimal string in quotes`, `one of …`. */
export function describeKind(node: SchemaNode | null): string {
  if (node === null) return 'another kind of value';
  if (node.anyOf !== undefined)
    return joinWithOr(node.anyOf.map((option) => (option.type === 'null' ? 'null' : describeKind(option))));
  if (node.enum !== undefined) return joinWithOr(node.enum.map((value) => JSON.stringify(value)));
  switch (node.type) {
    case 'integer':
    case 'number':
      return `${node.type === 'integer' ? 'a whole number' : 'a number'}${describeRange(node)}`;
    case 'string':
      return stringKind(node);
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a list';
    case 'object':
      return 'a mapping (lines of key: value)';
    default:
      return 'another kind of value';
  }
}

function describeRange(node: SchemaNode): string {
  const low = node.minimum ?? node.exclusiveMinimum;
  const high = node.maximum ?? node.exclusiveMaximum;
  const bounded = high !== undefined && Math.abs(high) < Number.MAX_SAFE_INTEGER;
  if (low !== undefined && Math.abs(low) < Number.MAX_SAFE_INTEGER)
    return bounded ? ` from ${low} to ${high}` : ` of at least ${low}`;
  return bounded ? ` of at most ${high}` : '';
}

const stringKind = (node: SchemaNode | null): string =>
  /decimal string/i.test(node?.description ?? '') || /^\d+(\.\d+)?$/.test(String(node?.default))
    ? 'a decimal string'
    : 'a text';

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    // Only own keys of parsed YAML are read; their content is checked by the schema.
    value = (value as Readonly<Record<PropertyKey, unknown>>)[step];
  }
  return value;
}
