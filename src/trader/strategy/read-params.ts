/** Reads declared parameters from a strategy file, and describes them as a table and as JSON Schema. */

import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { micros, parseDecimal } from '../../shared/base/micros.js';
import { closest } from '../../shared/base/text.js';
import {
  ASKED_EVENTS,
  type FieldSpec,
  LIVE_CLASSES,
  type ParamSpec,
  type ParamSpecs,
  type ParamValues,
  type Strategy,
} from './contract.js';

/** One invalid parameter; `path` is for example `['bands', 0, 'min_margin_ticks']`. */
export interface ParamProblem {
  readonly path: readonly (string | number)[];
  /** States the value and the accepted values, with unit and range; no full stop. */
  readonly message: string;
}

/** Result of reading a strategy file's parameters: values or problems, never both. */
export interface ParamsRead {
  /** Values of the parameters; null when there is any problem. */
  readonly values: ParamValues | null;
  readonly problems: readonly ParamProblem[];
}

/** Parses and checks the content `raw` of `params:`, which may be null or undefined. Missing values take defaults. */
export function readParams(strategy: Strategy, raw: unknown): ParamsRead {
  const given = raw ?? {};
  // `jitless`: compiling a schema does not pay off, because most are used once.
  const parsed = paramsSchema(strategy.params).safeParse(given, { jitless: true });
  const problems = [...listUnknown(strategy.params, given), ...listWrong(strategy.params, given, parsed.error)];
  if (!parsed.success || problems.length > 0) return { values: null, problems };
  const values = freezeRows(parsed.data);
  const relation = strategy.check?.(values) ?? null;
  return relation === null ? { values, problems } : { values: null, problems: [{ path: [], message: relation }] };
}

type ParamsSchema = z.ZodType<ParamValues>;
const schemas = new WeakMap<ParamSpecs, ParamsSchema>();

/** Returns the zod schema of declarations, cached because a sweep reads thousands of candidates. */
function paramsSchema(specs: ParamSpecs): ParamsSchema {
  const known = schemas.get(specs) ?? makeSchema(specs);
  schemas.set(specs, known);
  return known;
}

function makeSchema(specs: ParamSpecs): ParamsSchema {
  const shape = Object.entries(specs).map(([name, spec]) => {
    const value =
      spec.kind === 'rows' ? z.array(paramsSchema(spec.fields)).min(spec.minRows).max(spec.maxRows) : valueSchema(spec);
    return [name, value.prefault(spec.default as never).describe(spec.help)];
  });
  return z.strictObject(Object.fromEntries(shape)) as unknown as ParamsSchema;
}

function valueSchema(spec: FieldSpec): z.ZodType {
  switch (spec.kind) {
    case 'integer':
      return z.int().min(spec.min).max(spec.max);
    case 'number':
      return z.number().min(spec.min).max(spec.max);
    case 'shares':
      return sharesSchema(spec);
    case 'boolean':
      return z.boolean();
    case 'choice':
      return z.enum(spec.choices);
    case 'feed':
      return z.string().regex(spec.optional === true ? new RegExp(`^$|${FEED_NAME.source}`) : FEED_NAME);
  }
}

function sharesSchema({ min, max }: { readonly min: string; readonly max: string }): z.ZodType {
  const [low, high] = [parseDecimal(min), parseDecimal(max)];
  return z
    .string()
    .regex(/^\d+(\.\d{1,6})?$/)
    .transform((text) => parseDecimal(text) ?? micros(-1))
    .refine((value) => low !== null && high !== null && value >= low && value <= high);
}

function freezeRows(values: ParamValues): ParamValues {
  for (const rows of Object.values(values)) if (typeof rows === 'object') for (const row of rows) Object.freeze(row);
  return Object.freeze(values);
}

type Path = ParamProblem['path'];

/** Problems of parameter names that are not declared, rows included. */
function listUnknown(specs: ParamSpecs, given: unknown, path: Path = []): readonly ParamProblem[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const here = [...path, name];
    if (!Object.hasOwn(specs, name)) return [{ path: here, message: unknownName(name, specs) }];
    const spec = specs[name];
    if (spec?.kind !== 'rows' || !Array.isArray(value)) return [];
    return value.flatMap((row: unknown, index) => listUnknown(spec.fields, row, [...here, index]));
  });
}

function unknownName(name: string, specs: ParamSpecs): string {
  const names = Object.keys(specs);
  const meant = closest(name, names);
  return `unknown parameter '${name}'; ${meant === null ? `known are ${names.join(', ')}` : `did you mean ${meant}?`}`;
}

/** Problems of values outside their declaration, defaults included. */
const listWrong = (specs: ParamSpecs, given: unknown, error?: z.ZodError): readonly ParamProblem[] =>
  (error?.issues ?? []).flatMap(({ code, path: found }) => {
    if (code === 'unrecognized_keys') return [];
    // Zod's path consists of parameter names and row indexes.
    const path = found as Path;
    const [name = '', row, field = ''] = path;
    const outer = specs[name];
    const spec = outer?.kind === 'rows' && row !== undefined ? outer.fields[field] : outer;
    const written = path.reduce<unknown>((value, step) => Reflect.get(Object(value), step), given);
    const came = written === undefined ? spec?.default : written;
    if (spec === undefined) return { path, message: `got ${show(came)}, wanted parameters as \`name: value\` lines` };
    if (spec.kind !== 'rows') return { path, message: `got ${show(came)}, wanted ${describeWanted(spec)}` };
    const rows = Array.isArray(came) ? `${came.length} rows` : show(came);
    return { path, message: `got ${rows}, wanted a list of ${KINDS.rows.range(spec)}` };
  });

/** Pattern of a feed's name, in a trader's file and in a parameter. */
export const FEED_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** Names of the feeds in a strategy's parameters, each once. */
export function feedsNamed(specs: ParamSpecs, values: ParamValues): readonly string[] {
  const names = Object.entries(specs).flatMap(([name, spec]) => (spec.kind === 'feed' ? [String(values[name])] : []));
  return [...new Set(names)].filter((name) => name !== '');
}

/** Texts that describe one kind of parameter. */
interface Kind<S extends ParamSpec> {
  readonly unit: (spec: S) => string;
  /** Accepted values in short, for tables. */
  readonly range: (spec: S) => string;
  /** Accepted values with unit and range, for error messages. */
  readonly wanted: (spec: S) => string;
}

const range = ({ min, max }: { readonly min: number | string; readonly max: number | string }) => `${min} to ${max}`;

const KINDS: { readonly [K in ParamSpec['kind']]: Kind<Extract<ParamSpec, { readonly kind: K }>> } = {
  integer: {
    unit: ({ unit }) => unit,
    range,
    wanted: ({ unit, min, max }) => `a whole number of ${unit} from ${min} to ${max}`,
  },
  number: {
    unit: ({ unit }) => unit,
    range,
    wanted: ({ unit, min, max }) => `a number (${unit}) from ${min} to ${max}`,
  },
  shares: {
    unit: () => 'shares',
    range,
    wanted: ({ min, max }) => `an amount of shares in quotes from "${min}" to "${max}"`,
  },
  boolean: { unit: () => '', range: () => 'true, false', wanted: () => 'true or false' },
  choice: {
    unit: () => '',
    range: ({ choices }) => choices.join(', '),
    wanted: ({ choices }) => `one of ${choices.join(', ')}`,
  },
  feed: {
    unit: () => 'feed',
    range: ({ optional }) => (optional === true ? 'its name, or ""' : 'its name'),
    wanted: ({ optional }) =>
      `the name of a feed: lower case with dashes${optional === true ? ', or "" for none' : ''}`,
  },
  rows: {
    unit: () => 'rows',
    range: ({ minRows, maxRows }) => `${minRows} to ${maxRows} rows`,
    wanted: ({ minRows, maxRows, fields }) =>
      `a list of ${minRows} to ${maxRows} rows with ${Object.keys(fields).join(', ')}`,
  },
};

// Every entry of `KINDS` takes declarations of its own kind.
const kindOf = ({ kind }: ParamSpec) => KINDS[kind] as Kind<ParamSpec>;

/** Accepted values of a field, with unit and range: for error messages and tables. */
export const describeWanted = (spec: ParamSpec): string => kindOf(spec).wanted(spec);

/** One line of the table of parameters; all texts. */
export interface ParamRow {
  readonly name: string;
  readonly unit: string;
  readonly range: string;
  readonly default: string;
  /** How a running trader applies a new value: a `LiveClass`. */
  readonly live: string;
  readonly help: string;
}

/** The table of a strategy's parameters. Fields of a list follow it as `bands[].min_margin_ticks`. */
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

/** The JSON Schema (draft 2020-12) of the `params:` of a strategy. */
export const objectSchema = (specs: ParamSpecs): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...schema } = z.toJSONSchema(paramsSchema(specs), { io: 'input', unrepresentable: 'any' });
  return schema;
};

/** Renders a value of any type in at most 61 characters. */
function show(value: unknown): string {
  const text = typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/**
 * Returns the strategy that a module exports by default. `where` names the module in errors. Throws TwinbookError
 * `strategy_invalid` that names the missing part, or a default outside its range.
 */
export function strategyFrom(moduleExports: unknown, where: string): Strategy {
  const found = defaultExport(moduleExports);
  const wrong = found === null ? 'it has no default export' : wrongPart(found);
  if (found === null || wrong !== null) {
    const hint = 'export default defineStrategy({ name, summary, params, create }) from the module';
    throw new TwinbookError('strategy_invalid', `${where} is not a strategy: ${wrong}`, hint);
  }
  // The lines above have checked every part that the host uses.
  const strategy = found as unknown as Strategy;
  const [problem] = readParams(strategy, {}).problems;
  if (problem === undefined) return strategy;
  const at = problem.path.length === 0 ? '' : ` ${problem.path.join('.')}`;
  throw new TwinbookError(
    'strategy_invalid',
    `${where}: the default of parameter${at}: ${problem.message}`,
    'Put the default in the strategy’s module within its own range.',
  );
}

type Loose = Readonly<Record<string, unknown>>;

/** Loaders for CommonJS wrap the default export once more. */
function defaultExport(moduleExports: unknown): Loose | null {
  const outer = asRecord(asRecord(moduleExports)?.['default']);
  return asRecord(outer?.['default']) ?? outer;
}

function asRecord(value: unknown): Loose | null {
  // Reading any property of an object is safe, and its type stays unknown.
  return typeof value === 'object' && value !== null ? (value as Loose) : null;
}

function wrongPart(found: Loose): string | null {
  const { name, summary, params, create, check, state, takes, inputs, scope, observes } = found;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name)) return 'name must be lower case with dashes';
  if (typeof summary !== 'string') return 'summary must be text';
  if (typeof create !== 'function') return 'create must be a function';
  if (check !== undefined && typeof check !== 'function') return 'check must be a function';
  if (
    state !== undefined &&
    !(Number(asRecord(state)?.['version']) >= 1 && Number.isSafeInteger(asRecord(state)?.['version']))
  )
    return 'state must have a version, 1 or more';
  if (scope !== undefined && scope !== 'market' && scope !== 'event')
    return `scope must be 'market' or 'event', got ${JSON.stringify(scope)}`;
  if (inputs !== undefined && !isInputs(asRecord(inputs))) return 'inputs may only hold event: true';
  if (scope === 'event' && inputs !== undefined)
    return "inputs must be absent when scope is 'event': its view shows all markets";
  if (takes !== undefined && takes !== true) return 'takes must be true, or absent';
  if (observes !== undefined && !isObserves(observes)) return `observes must be a list of ${ASKED_EVENTS.join(', ')}`;
  const specs = asRecord(params);
  return specs === null ? 'params must be an object' : wrongSpec(specs);
}

const isInputs = (inputs: Loose | null): boolean =>
  inputs !== null && Object.entries(inputs).every(([name, value]) => name === 'event' && value === true);

const isObserves = (observes: unknown): boolean =>
  Array.isArray(observes) && observes.every((kind) => ASKED_EVENTS.some((known) => known === kind));

const NUMERIC = ['integer', 'number'];

function wrongSpec(specs: Loose): string | null {
  for (const [name, value] of Object.entries(specs)) {
    const spec = asRecord(value);
    if (spec === null || typeof spec['help'] !== 'string') return `parameter ${name} must have a help text`;
    const { kind, live } = spec;
    if (live !== undefined && !LIVE_CLASSES.some((known) => known === live))
      return `parameter ${name}: live must be one of ${LIVE_CLASSES.join(', ')}`;
    if (kind === 'rows') {
      const inner = asRecord(spec['fields']);
      const wrong = inner === null ? `parameter ${name} must have fields` : wrongSpec(inner);
      if (wrong !== null) return wrong;
    } else if (kind === 'choice') {
      if (!Array.isArray(spec['choices'])) return `parameter ${name} must have choices`;
    } else if (NUMERIC.includes(String(kind))) {
      if (typeof spec['unit'] !== 'string') return `parameter ${name} must have a unit`;
    } else if (kind !== 'shares' && kind !== 'boolean' && kind !== 'feed') {
      return `parameter ${name} is of unknown kind ${JSON.stringify(kind)}`;
    }
  }
  return null;
}
