/** Declared parameters: read from a strategy file or refused with sentences, shown as a table, written as JSON Schema. */

import { closest } from '../../shared/base/closest.js';
import { parseDecimal } from '../../shared/base/decimal.js';
import type { Strategy } from './contract.js';
import type {
  FieldSpec,
  FieldSpecs,
  FieldValue,
  ParamSpec,
  ParamSpecs,
  ParamValue,
  ParamValues,
  RowsParam,
} from './params.js';

/** One thing that is wrong, and where: `['bands', 0, 'min_margin_ticks']`. */
export interface ParamProblem {
  readonly path: readonly (string | number)[];
  /** Names what came and what is wanted, with unit and range; ends without a full stop. */
  readonly message: string;
}

/** What came of reading a strategy file's parameters: values or problems, never both. */
export interface ParamsRead {
  /** Null when there is any problem. */
  readonly values: ParamValues | null;
  readonly problems: readonly ParamProblem[];
}

/** `raw` is what stands under `params:` (null and undefined: nothing). Defaults fill what is missing. */
export function readParams(strategy: Strategy, raw: unknown): ParamsRead {
  const problems: ParamProblem[] = [];
  const values = readRecord(strategy.params, raw ?? {}, [], problems, readParam);
  if (problems.length === 0) {
    const relation = strategy.check?.(values) ?? null;
    if (relation !== null) problems.push({ path: [], message: relation });
  }
  return { values: problems.length === 0 ? values : null, problems };
}

type Path = ParamProblem['path'];

function readRecord<S extends ParamSpec, V extends ParamValue>(
  specs: Readonly<Record<string, S>>,
  raw: unknown,
  path: Path,
  problems: ParamProblem[],
  read: (spec: S, value: unknown, path: Path, problems: ParamProblem[]) => V,
): Readonly<Record<string, V>> {
  const given = asRecord(raw);
  if (given === null) {
    problems.push({ path, message: `got ${show(raw)}, wanted parameters as \`name: value\` lines` });
    return {};
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(specs, name)) problems.push({ path: [...path, name], message: unknownName(name, specs) });
  }
  const values: Record<string, V> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const value = Object.hasOwn(given, name) ? given[name] : spec.default;
    values[name] = read(spec, value, [...path, name], problems);
  }
  return Object.freeze(values);
}

function asRecord(raw: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return null;
  // Any object that is not an array can be read by name; what a name holds stays unknown.
  return raw as Readonly<Record<string, unknown>>;
}

function unknownName(name: string, specs: Readonly<Record<string, ParamSpec>>): string {
  const names = Object.keys(specs);
  const meant = closest(name, names);
  return `unknown parameter '${name}'; ${meant === null ? `known are ${names.join(', ')}` : `did you mean ${meant}?`}`;
}

function readParam(spec: ParamSpec, value: unknown, path: Path, problems: ParamProblem[]): ParamValue {
  return spec.kind === 'rows' ? readRows(spec, value, path, problems) : readField(spec, value, path, problems);
}

function readRows(spec: RowsParam, value: unknown, path: Path, problems: ParamProblem[]): ParamValue {
  if (!Array.isArray(value) || value.length < spec.minRows || value.length > spec.maxRows) {
    const came = Array.isArray(value) ? `${value.length} rows` : show(value);
    problems.push({ path, message: `got ${came}, wanted a list of ${spec.minRows} to ${spec.maxRows} rows` });
    return [];
  }
  const fields: FieldSpecs = spec.fields;
  return value.map((row: unknown, index) => readRecord(fields, row, [...path, index], problems, readField));
}

/** The field's value; when it is wrong a problem is noted and the result is never used. */
function readField(spec: FieldSpec, value: unknown, path: Path, problems: ParamProblem[]): FieldValue {
  const read = kindOf(spec).read?.(spec, value) ?? null;
  if (read !== null) return read;
  problems.push({ path, message: `got ${show(value)}, wanted ${describeWanted(spec)}` });
  return false;
}

/** How a feed may be called, in a trader's file and in a parameter. */
export const FEED_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** The feeds that a strategy's parameters name, each once. */
export function feedsNamed(specs: ParamSpecs, values: ParamValues): readonly string[] {
  const names = Object.entries(specs).flatMap(([name, spec]) => (spec.kind === 'feed' ? [String(values[name])] : []));
  return [...new Set(names)].filter((name) => name !== '');
}

/** A JSON Schema (draft 2020-12) node, as far as parameters need one. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Everything that depends on the kind of a parameter. */
interface Kind<S extends ParamSpec> {
  readonly unit: (spec: S) => string;
  /** For tables. */
  readonly range: (spec: S) => string;
  /** With unit and range, for error messages. */
  readonly wanted: (spec: S) => string;
  readonly schema: (spec: S) => JsonSchema;
  /** Null for a value that the parameter does not take; rows are read field by field. */
  readonly read?: (spec: S, value: unknown) => FieldValue | null;
}

const within = (value: number, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  value >= min && value <= max;

const range = ({ min, max }: { readonly min: number | string; readonly max: number | string }) => `${min} to ${max}`;

const KINDS: { readonly [K in ParamSpec['kind']]: Kind<Extract<ParamSpec, { readonly kind: K }>> } = {
  integer: {
    unit: ({ unit }) => unit,
    range,
    wanted: ({ unit, min, max }) => `a whole number of ${unit} from ${min} to ${max}`,
    schema: ({ min, max }) => ({ type: 'integer', minimum: min, maximum: max }),
    read: (spec, value) => (typeof value === 'number' && Number.isInteger(value) && within(value, spec) ? value : null),
  },
  number: {
    unit: ({ unit }) => unit,
    range,
    wanted: ({ unit, min, max }) => `a number (${unit}) from ${min} to ${max}`,
    schema: ({ min, max }) => ({ type: 'number', minimum: min, maximum: max }),
    read: (spec, value) => (typeof value === 'number' && Number.isFinite(value) && within(value, spec) ? value : null),
  },
  shares: {
    unit: () => 'shares',
    range,
    wanted: ({ min, max }) => `an amount of shares in quotes from "${min}" to "${max}"`,
    schema: () => ({ type: 'string', pattern: '^\\d+(\\.\\d{1,6})?$' }),
    read: (spec, value) => {
      const micros = typeof value === 'string' ? parseDecimal(value) : null;
      const [min, max] = [parseDecimal(spec.min), parseDecimal(spec.max)];
      return micros !== null && min !== null && max !== null && within(micros, { min, max }) ? micros : null;
    },
  },
  boolean: {
    unit: () => '',
    range: () => 'true, false',
    wanted: () => 'true or false',
    schema: () => ({ type: 'boolean' }),
    read: (_, value) => (typeof value === 'boolean' ? value : null),
  },
  choice: {
    unit: () => '',
    range: ({ choices }) => choices.join(', '),
    wanted: ({ choices }) => `one of ${choices.join(', ')}`,
    schema: ({ choices }) => ({ type: 'string', enum: choices }),
    read: ({ choices }, value) => (typeof value === 'string' && choices.includes(value) ? value : null),
  },
  feed: {
    unit: () => 'feed',
    range: ({ optional }) => (optional === true ? 'its name, or ""' : 'its name'),
    wanted: ({ optional }) =>
      `the name of a feed: lower case with dashes${optional === true ? ', or "" for none' : ''}`,
    schema: ({ optional }) => ({
      type: 'string',
      pattern: optional === true ? `^$|${FEED_NAME.source}` : FEED_NAME.source,
    }),
    read: ({ optional }, value) =>
      typeof value === 'string' && (FEED_NAME.test(value) || (optional === true && value === '')) ? value : null,
  },
  rows: {
    unit: () => 'rows',
    range: ({ minRows, maxRows }) => `${minRows} to ${maxRows} rows`,
    wanted: ({ minRows, maxRows, fields }) =>
      `a list of ${minRows} to ${maxRows} rows with ${Object.keys(fields).join(', ')}`,
    schema: ({ minRows, maxRows, fields }) => ({
      type: 'array',
      minItems: minRows,
      maxItems: maxRows,
      items: objectSchema(fields),
    }),
  },
};

// The entry of a kind takes the specs of that kind.
const kindOf = ({ kind }: ParamSpec) => KINDS[kind] as Kind<ParamSpec>;

/** What a field takes, with unit and range: for error messages and tables. */
export const describeWanted = (spec: ParamSpec): string => kindOf(spec).wanted(spec);

/** One line of the table of parameters; all texts. */
export interface ParamRow {
  readonly name: string;
  readonly unit: string;
  readonly range: string;
  readonly default: string;
  /** How a running trader takes up another value: `LiveClass`. */
  readonly live: string;
  readonly help: string;
}

/** The rows of a strategy's parameters; the fields of a list follow it as `bands[].min_margin_ticks`. */
export function paramTable(strategy: Strategy): readonly ParamRow[] {
  return Object.entries(strategy.params).flatMap(([name, spec]) => {
    const row = paramRow(name, spec);
    if (spec.kind !== 'rows') return [row];
    return [row, ...Object.entries(spec.fields).map(([field, inner]) => paramRow(`${name}[].${field}`, inner))];
  });
}

const paramRow = (name: string, spec: ParamSpec): ParamRow => ({
  name,
  unit: kindOf(spec).unit(spec),
  range: kindOf(spec).range(spec),
  default: typeof spec.default === 'object' ? JSON.stringify(spec.default) : String(spec.default),
  live: spec.live ?? 'restart',
  help: spec.help,
});

/** The schema of the `params:` of a strategy, or of one row of a list. */
export const objectSchema = (specs: ParamSpecs): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      { ...kindOf(spec).schema(spec), default: spec.default, description: spec.help },
    ]),
  ),
});

/** Shortened: what came may be anything of any length. */
function show(value: unknown): string {
  const text = typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
