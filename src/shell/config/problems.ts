/** Describes problems of a configuration: file and line, field, value and expected form. */

import { relative } from 'node:path';
import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { closest } from '../../shared/base/text.js';
import { parseBySchema } from '../../shared/protocol/wire.js';

export interface Problem {
  /** Place of the problem for the operator: `FILE:LINE:COLUMN`, or `environment TWINBOOK__…`. */
  readonly where: string;
  /** Line and column of the problem, counted from 1, for sorting; absent for environment variables. */
  readonly place?: { readonly line: number; readonly column: number };
  /** Name of the setting, such as `risk.max_loss_day`; empty for the whole file. */
  readonly field: string;
  readonly text: string;
}

/** Maximum number of problems shown, because later problems usually follow from the first ones. */
const SHOWN = 12;

const LOOK_UP = '`twinbook config explain` lists every setting with its range, default and meaning.';

export const configError = (problems: readonly Problem[], hint = LOOK_UP): TwinbookError =>
  new ConfigInvalid(problems, hint);

/** Error with a list of problems. `ProblemList` joins the lists of several errors in one message. */
class ConfigInvalid extends TwinbookError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], hint: string) {
    super('config_invalid', formatLines(problems), hint);
    this.problems = problems;
  }
}

/** Writes one line for each problem: first the environment's problems, then each file's from the top. */
function formatLines(problems: readonly Problem[]): string {
  const getFile = ({ where, place }: Problem): string => (place === undefined ? '' : where.replace(/:\d+:\d+$/, ''));
  const files = ['', ...new Set(problems.map(getFile))];
  const placed = problems.map((problem) => {
    const { place = { line: 0, column: 0 } } = problem;
    return { ...problem, ...place, rank: files.indexOf(getFile(problem)) };
  });
  const lines = placed
    .sort((a, b) => a.rank - b.rank || a.line - b.line || a.column - b.column)
    .slice(0, SHOWN)
    .map(({ where, field, text }) => `${where}: ${field === '' ? '' : `${field}: `}${text}`);
  if (problems.length > SHOWN) lines.push(`… and ${problems.length - SHOWN} more`);
  return lines.join('\n');
}

/** Collects problems from several parts of a configuration for one message. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  readonly #hints = new Set<string>();

  add(...problems: readonly Problem[]): void {
    this.#problems.push(...problems);
  }

  /** Returns the result of `work`. If `work` throws problems of the configuration, collects them and returns null. */
  attempt<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      return this.keep(error);
    }
  }

  /** Throws `config_invalid` with all collected problems, if there are any. */
  throwIfAny(): void {
    if (this.#problems.length > 0) throw configError(this.#problems, [...this.#hints].join('\n  '));
  }

  /** Collects the problems of an error. Throws all other errors. */
  readonly keep = (error: unknown): null => {
    if (!(error instanceof ConfigInvalid)) throw error;
    this.add(...error.problems);
    if (error.hint !== '') this.#hints.add(error.hint);
    return null;
  };
}

/** Returns a file's path for messages: relative to the working folder if at most two levels above it, else absolute. */
export function shownPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === '' || path.startsWith('../../..') ? file : path;
}

/** Formats a path such as `['risk', 'rows', 2, 'x']` as `risk.rows[2].x`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, '');
}

/** Describes a value for an error message, by its kind and its shortened text. */
function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'nothing (an empty value)';
  if (typeof value === 'string') return `the text ${shorten(JSON.stringify(value))}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : String(value);
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 56)}…"` : text);

/** Joins words to `a, b or c` for messages. */
export const joinWithOr = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** A node of JSON Schema, limited to the features that our schemas use. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  /** Schema of the entries whose names the operator chooses; false if the group has no such entries. */
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly 'x-path'?: boolean;
}

/** Returns a zod schema's permitted input as JSON Schema (draft 2020-12). */
export function jsonSchema(schema: z.ZodType): SchemaNode {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // The cast is safe: all fields of SchemaNode are optional, and it has only the fields that we read.
  return JSON.parse(JSON.stringify(made), split) as SchemaNode;
}

/** Converts `type: [string, null]` to `anyOf`, so that readers of the schema need to handle only `anyOf`. */
function split(_: string, node: unknown): unknown {
  if (typeof node !== 'object' || node === null || !('type' in node) || !Array.isArray(node.type)) return node;
  const { type: types, ...rest } = node;
  return { ...rest, anyOf: types.map((type: unknown) => ({ type })) };
}

/** Returns the schema of a field; null if the schema has no such field. */
function describedAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode | null {
  let node: SchemaNode | undefined = root;
  for (const step of path) {
    if (typeof step === 'number') node = node.items;
    else node = new Map(Object.entries(asMapping(node))).get(String(step)) ?? getEntrySchema(node);
    if (node === undefined) return null;
  }
  return node;
}

export const knownKeys = (node: SchemaNode | null) => (node === null ? [] : Object.keys(asMapping(node)));

/** For each settings key, the names of the groups that contain it. */
type KeyGroups = ReadonlyMap<string, readonly string[]>;

function placesBelow(root: SchemaNode): KeyGroups {
  const places = new Map<string, string[]>();
  const walk = (node: SchemaNode, path: string): void => {
    for (const [key, inner] of Object.entries(asMapping(node))) {
      if (path !== '') places.set(key, [...(places.get(key) ?? []), path]);
      walk(inner, path === '' ? key : `${path}.${key}`);
    }
  };
  walk(root, '');
  return places;
}

/** Lists every setting that is not a group, in the order of the schema, with its full name such as `risk.max_fills`. */
export function listSettings(
  root: SchemaNode,
  group = '',
): readonly { readonly name: string; readonly node: SchemaNode; readonly isRequired: boolean }[] {
  return Object.entries(asMapping(root)).flatMap(([key, node]) => {
    const name = group === '' ? key : `${group}.${key}`;
    const own = getEntrySchema(node);
    const inner = own === undefined ? listSettings(node, name) : listSettings(own, `${name}.NAME`);
    return inner.length > 0 ? inner : [{ name, node, isRequired: root.required?.includes(key) ?? false }];
  });
}

const getEntrySchema = ({ additionalProperties: inner }: SchemaNode): SchemaNode | undefined =>
  typeof inner === 'object' && inner.properties !== undefined ? inner : undefined;

const asMapping = (node: SchemaNode): Readonly<Record<string, SchemaNode>> =>
  node.properties ?? node.anyOf?.find((option) => option.properties !== undefined)?.properties ?? {};

/** Makes a `Problem` whose place is a field of a file. */
export type At = (path: readonly PropertyKey[], text: string, part?: 'key' | 'value') => Problem;

/** Parses settings. Throws `config_invalid` with all problems. `addPlaces`: more keys and their groups. */
export function readBySchema<S extends z.ZodType>(schema: S, value: unknown, at: At, addPlaces?: () => KeyGroups) {
  const parsed = parseBySchema(schema, value);
  if (parsed.success) return parsed.data;
  const node = jsonSchema(schema);
  const places = new Map([...placesBelow(node), ...(addPlaces?.() ?? [])]);
  throw configError(parsed.error.issues.flatMap((issue) => explainIssue(issue, value, node, places, at)));
}

/** Required and optional keys of each kind of a configuration entry. */
export type KindKeys<K extends string> = Readonly<
  Record<K, { readonly wants: readonly string[]; readonly may: readonly string[] }>
>;

/** Returns a problem for each required key that the entry lacks, and for each key that only other kinds have. */
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
    ...missing.map((key) => at(path, `a ${what} of kind ${kind} needs the key '${key}'`)),
    ...foreign.map((key) => at([...path, key], `a ${what} of kind ${kind} has no key '${key}'; remove it`)),
  ];
}

/** Reads each field of a mapping separately; an unreadable field is undefined. */
export function readParts<F extends Readonly<Record<string, z.ZodType>>>(fields: F, value: unknown) {
  const raw = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const read = Object.entries(fields).map(([name, field]) => [name, parseBySchema(field, raw.get(name)).data]);
  // The cast is safe: every field was parsed by its own schema.
  return Object.fromEntries(read) as { readonly [K in keyof F]: z.output<F[K]> | undefined };
}

function explainIssue(issue: z.core.$ZodIssue, input: unknown, schema: SchemaNode, places: KeyGroups, at: At) {
  const { path } = issue;
  const node = describedAt(schema, path);
  const came = valueAt(input, path);
  const complain = (text: string) => [at(path, text)];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => at([...path, key], unknownKey(key, knownKeys(node), places), 'key'));
    case 'invalid_type':
      return complain(wrongKind(issue.expected, came, node));
    case 'invalid_value':
      return complain(wrongWord(issue.values.map(String), came));
    case 'too_small':
    case 'too_big':
      return complain(outOfRange(issue, came, node));
    case 'invalid_key':
      return [at(path, issue.issues[0]?.message ?? issue.message, 'key')];
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

/** Maximum number of settings groups that an error message lists. */
const MOST_PLACES = 3;

export function unknownKey(key: string, known: readonly string[], places: KeyGroups = new Map()): string {
  const homes = places.get(key) ?? [];
  if (homes.length > 0 && homes.length <= MOST_PLACES)
    return `unknown key '${key}' here; it belongs under ${joinWithOr(homes)}`;
  const near = closest(key, known);
  if (near !== null) return `unknown key '${key}'; did you mean '${near}'?`;
  return known.length === 0
    ? `unknown key '${key}'`
    : `unknown key '${key}'; known here: ${[...known].sort().join(', ')}`;
}

function wrongKind(expected: string, came: unknown, node: SchemaNode | null): string {
  const wanted = `wants ${node === null ? expected : describeKind(node)}`;
  if (came === undefined) return `missing; ${wanted}`;
  const told = `${wanted}, got ${shownValue(came)}`;
  if (expected === 'string' && (typeof came === 'number' || typeof came === 'boolean'))
    return `${told}; write it in quotes: "${came}"`;
  const isNumber = expected === 'number' || expected === 'int';
  if (isNumber && typeof came === 'string' && /^-?\d+(\.\d+)?$/.test(came))
    return `${told}; write it without quotes: ${came}`;
  return told;
}

function wrongWord(values: readonly string[], came: unknown): string {
  const near = typeof came === 'string' ? closest(came, values) : null;
  const list = joinWithOr(values.map((value) => JSON.stringify(value)));
  return `wants ${list}, got ${shownValue(came)}${near === null ? '' : `; did you mean "${near}"?`}`;
}

function outOfRange(
  issue: Extract<z.core.$ZodIssue, { code: 'too_small' | 'too_big' }>,
  came: unknown,
  node: SchemaNode | null,
): string {
  const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  if (issue.origin === 'array')
    return `wants ${bound} entries, got ${Array.isArray(came) ? came.length : shownValue(came)}`;
  if (issue.origin === 'string') return came === '' ? 'must not be empty' : `wants ${bound} characters`;
  return `wants ${describeKind(node)}, got ${shownValue(came)}`;
}

/** Describes the expected value of a field, such as `a whole number from 1 to 100`. */
export function describeKind(node: SchemaNode | null): string {
  if (node === null) return 'another kind of value';
  if (node.anyOf !== undefined)
    return joinWithOr(node.anyOf.map((option) => (option.type === 'null' ? 'null' : describeKind(option))));
  if (node.enum !== undefined) return joinWithOr(node.enum.map((value) => JSON.stringify(value)));
  if (node.type === 'integer' || node.type === 'number')
    return `${node.type === 'integer' ? 'a whole number' : 'a number'}${describeRange(node)}`;
  return node.type === 'string' ? stringKind(node) : (KINDS[node.type ?? ''] ?? 'another kind of value');
}

const KINDS: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping (lines of key: value)',
};

function describeRange({ minimum: low = -UNBOUNDED, maximum: high = UNBOUNDED }: SchemaNode): string {
  if (low > -UNBOUNDED) return high < UNBOUNDED ? ` from ${low} to ${high}` : ` of at least ${low}`;
  return high < UNBOUNDED ? ` of at most ${high}` : '';
}

/** Limit that zod writes into the JSON Schema of an integer without a bound. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

const stringKind = (node: SchemaNode): string =>
  /decimal string/i.test(node.description ?? '') || /^\d+(\.\d+)?$/.test(String(node.default))
    ? 'a decimal string'
    : 'a text';

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    // The cast is safe: only own keys of parsed YAML are read, and the schema checks their content.
    value = (value as Readonly<Record<PropertyKey, unknown>>)[step];
  }
  return value;
}
