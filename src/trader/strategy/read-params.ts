/** From the values of a strategy file to the typed parameters of `create`, or to sentences that say what is wrong. */

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
  const read = fieldValue(spec, value);
  if (read !== null) return read;
  problems.push({ path, message: `got ${show(value)}, wanted ${describeWanted(spec)}` });
  return false;
}

function fieldValue(spec: FieldSpec, value: unknown): FieldValue | null {
  switch (spec.kind) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && within(value, spec) ? value : null;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) && within(value, spec) ? value : null;
    case 'shares': {
      const micros = typeof value === 'string' ? parseDecimal(value) : null;
      const [min, max] = [parseDecimal(spec.min), parseDecimal(spec.max)];
      return micros !== null && min !== null && max !== null && within(micros, { min, max }) ? micros : null;
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'choice':
      return typeof value === 'string' && spec.choices.includes(value) ? value : null;
    case 'feed':
      return typeof value === 'string' && (FEED_NAME.test(value) || (spec.optional === true && value === ''))
        ? value
        : null;
  }
}

/** How a feed may be called, in a trader's file and in a parameter. */
export const FEED_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** The feeds that a strategy's parameters name, each once. */
export function feedsNamed(specs: ParamSpecs, values: ParamValues): readonly string[] {
  const names = Object.entries(specs).flatMap(([name, spec]) => (spec.kind === 'feed' ? [String(values[name])] : []));
  return [...new Set(names)].filter((name) => name !== '');
}

const within = (value: number, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  value >= min && value <= max;

/** What a field takes, with unit and range: for error messages and tables. */
export function describeWanted(spec: ParamSpec): string {
  switch (spec.kind) {
    case 'integer':
      return `a whole number of ${spec.unit} from ${spec.min} to ${spec.max}`;
    case 'number':
      return `a number (${spec.unit}) from ${spec.min} to ${spec.max}`;
    case 'shares':
      return `an amount of shares in quotes from "${spec.min}" to "${spec.max}"`;
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${spec.choices.join(', ')}`;
    case 'feed':
      return `the name of a feed: lower case with dashes${spec.optional === true ? ', or "" for none' : ''}`;
    case 'rows':
      return `a list of ${spec.minRows} to ${spec.maxRows} rows with ${Object.keys(spec.fields).join(', ')}`;
  }
}

/** Shortened: what came may be anything of any length. */
function show(value: unknown): string {
  const text = typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
