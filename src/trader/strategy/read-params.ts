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
interface ParamProblem {
  readonly path: readonly (string | number)[];
  /** Describes the given value, the accepted values, unit and range; without a full stop at the end. */
  readonly message: string;
}

/** Result of reading a strategy file's parameters: values or problems, never both. */
interface ParamsRead {
  /** Values of all parameters; null if there is any problem. */
  readonly values: ParamValues | null;
  readonly problems: readonly ParamProblem[];
}

/** Parses and checks the content `raw` of `params:`, which may be null or undefined; missing values get defaults. */
export function readParams(strategy: Strategy, raw: unknown): ParamsRead {
  const given = raw ?? {};
  // `jitless`: most schemas are used only once, so compiling a schema costs more than it saves.
  const parsed = paramsSchema(strategy.params).safeParse(given, { jitless: true });
  const problems = [...listUnknown(strategy.params, given), ...listWrong(strategy.params, given, parsed.error)];
  if (!parsed.success || problems.length > 0) return { values: null, problems };
  const values = freezeRows(parsed.data);
  const relation = strategy.check?.(values) ?? null;
  return relation === null ? { values, problems } : { values: null, problems: [{ path: [], message: relation }] };
}

type ParamsSchema = z.ZodType<ParamValues>;
const schemas = new WeakMap<ParamSpecs, ParamsSchema>();

/** Returns the zod schema of parameter declarations. It is cached, because a sweep reads thousands of files. */
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

type ParamPath = ParamProblem['path'];

/** Lists given parameter names that are not declared, including names within rows. */
function listUnknown(specs: ParamSpecs, given: unknown, path: ParamPath = []): readonly ParamProblem[] {
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
  return `unknown parameter '${name}'; ${meant === null ? `known parameters: ${names.join(', ')}` : `did you mean ${meant}?`}`;
}

/** Lists parameter values, including defaults, that are outside their declared range or of a wrong type. */
const listWrong = (specs: ParamSpecs, given: unknown, error?: z.ZodError): readonly ParamProblem[] =>
  (error?.issues ?? []).flatMap(({ code, path: found }) => {
    if (code === 'unrecognized_keys') return [];
    // Zod's path consists of parameter names and row indexes.
    const path = found as ParamPath;
    const [name = '', row, field = ''] = path;
    const outer = specs[name];
    const spec = outer?.kind === 'rows' && row !== undefined ? outer.fields[field] : outer;
    const written = path.reduce<unknown>((value, step) => Reflect.get(Object(value), step), given);
    const came = written === undefined ? spec?.default : written;
    if (spec === undefined) return { path, message: `got ${show(came)}, wanted parameters as \`name: value\` lines` };
    const { range, wanted } = describeParam(spec);
    if (spec.kind !== 'rows') return { path, message: `got ${show(came)}, wanted ${wanted}` };
    const rows = Array.isArray(came) ? `${came.length} rows` : show(came);
    return { path, message: `got ${rows}, wanted a list of ${range}` };
  });

/** Pattern of a feed's name in a trader's file and in a parameter. */
export const FEED_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** Names of the feeds that a strategy's parameters name, without duplicates. */
export function feedsNamed(specs: ParamSpecs, values: ParamValues): readonly string[] {
  const names = Object.entries(specs).flatMap(([name, spec]) => (spec.kind === 'feed' ? [String(values[name])] : []));
  return [...new Set(names)].filter((name) => name !== '');
}

/** Describes a parameter: its unit, and its accepted values for tables (`range`) and for error messages (`wanted`). */
export function describeParam(spec: ParamSpec): Readonly<Record<'unit' | 'range' | 'wanted', string>> {
  switch (spec.kind) {
    case 'integer':
    case 'number': {
      const { kind, unit, min, max } = spec;
      const range = `${min} to ${max}`;
      const number = kind === 'integer' ? `a whole number of ${unit}` : `a number (${unit})`;
      return { unit, range, wanted: `${number} from ${range}` };
    }
    case 'shares': {
      const { min, max } = spec;
      const wanted = `shares as a decimal string from "${min}" to "${max}"`;
      return { unit: 'shares', range: `${min} to ${max}`, wanted };
    }
    case 'boolean':
      return { unit: '', range: 'true, false', wanted: 'true or false' };
    case 'choice': {
      const range = spec.choices.join(', ');
      return { unit: '', range, wanted: `one of ${range}` };
    }
    case 'feed': {
      const [orNone, orEmpty] = spec.optional === true ? [', or ""', ', or "" for no feed'] : ['', ''];
      const wanted = `the name of a feed: lower case with dashes${orEmpty}`;
      return { unit: 'feed', range: `its name${orNone}`, wanted };
    }
    case 'rows': {
      const range = `${spec.minRows} to ${spec.maxRows} rows`;
      return { unit: 'rows', range, wanted: `a list of ${range} with ${Object.keys(spec.fields).join(', ')}` };
    }
  }
}

/** One row of the table that describes a strategy's parameters, as texts. */
type ParamRow = ReturnType<typeof paramRow>;

/** Returns the table of a strategy's parameters. Rows for a list's fields follow it, as `bands[].min_margin_ticks`. */
export function paramTable(strategy: Strategy): readonly ParamRow[] {
  return Object.entries(strategy.params).flatMap(([name, spec]) => {
    const row = paramRow(name, spec);
    if (spec.kind !== 'rows') return [row];
    return [row, ...Object.entries(spec.fields).map(([field, inner]) => paramRow(`${name}[].${field}`, inner))];
  });
}

function paramRow(name: string, spec: ParamSpec) {
  const { unit, range } = describeParam(spec);
  const usual = typeof spec.default === 'object' ? JSON.stringify(spec.default) : String(spec.default);
  // `live` is a `LiveClass`: how a running trader applies a new value.
  return { name, unit, range, default: usual, live: spec.live ?? 'restart', help: spec.help } as const;
}

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
 * Returns the strategy that a module exports by default. `where` names the module in error messages. Throws
 * TwinbookError `strategy_invalid`, which names the missing part or the default outside its range.
 */
export function strategyFrom(moduleExports: unknown, where: string): Strategy {
  const found = defaultExport(moduleExports);
  const wrong = found === null ? 'the module has no default export' : wrongPart(found);
  if (found === null || wrong !== null) {
    const hint = 'Write `export default defineStrategy({ name, summary, params, create })` in the module.';
    throw new TwinbookError('strategy_invalid', `${where} is not a strategy: ${wrong}`, hint);
  }
  // The checks above cover every part of the module that the host uses.
  const strategy = found as unknown as Strategy;
  const [problem] = readParams(strategy, {}).problems;
  if (problem === undefined) return strategy;
  const at = problem.path.length === 0 ? '' : ` ${problem.path.join('.')}`;
  throw new TwinbookError(
    'strategy_invalid',
    `${where}: invalid default for parameter${at}: ${problem.message}`,
    'Change the default in the strategy’s module to a value within the range.',
  );
}

type Loose = Readonly<Record<string, unknown>>;

/** Returns the module's default export, or null. CommonJS loaders wrap the export in a second `default`. */
function defaultExport(moduleExports: unknown): Loose | null {
  const outer = asRecord(asRecord(moduleExports)?.['default']);
  return asRecord(outer?.['default']) ?? outer;
}

function asRecord(value: unknown): Loose | null {
  // The cast is safe: any property of an object can be read, and its type stays unknown.
  return typeof value === 'object' && value !== null ? (value as Loose) : null;
}

function wrongPart(found: Loose): string | null {
  const { name, summary, params, create, check, state, takes, inputs, scope, observes } = found;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name)) return 'name must be lower case with dashes';
  if (typeof summary !== 'string') return 'summary must be text';
  if (typeof create !== 'function') return 'create must be a function';
  if (check !== undefined && typeof check !== 'function') return 'check must be a function';
  const version = asRecord(state)?.['version'];
  if (state !== undefined && !(Number(version) >= 1 && Number.isSafeInteger(version)))
    return 'state.version must be a whole number of 1 or more';
  if (scope !== undefined && scope !== 'market' && scope !== 'event')
    return `scope must be 'market' or 'event', got ${JSON.stringify(scope)}`;
  const isWrongInput = ([key, value]: [string, unknown]): boolean => key !== 'event' || value !== true;
  if (inputs !== undefined && (asRecord(inputs) === null || Object.entries(asRecord(inputs) ?? {}).some(isWrongInput)))
    return 'inputs must be absent or { event: true }';
  if (scope === 'event' && inputs !== undefined)
    return "inputs must be absent when scope is 'event': event views hold all markets";
  if (takes !== undefined && takes !== true) return 'takes must be true, or absent';
  const isAsked = (kind: unknown): boolean => ASKED_EVENTS.some((known) => known === kind);
  if (observes !== undefined && !(Array.isArray(observes) && observes.every(isAsked)))
    return `observes must be a list of the kinds ${ASKED_EVENTS.join(', ')}`;
  const specs = asRecord(params);
  return specs === null ? 'params must be an object' : wrongSpec(specs);
}

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
    } else if (kind === 'integer' || kind === 'number') {
      if (typeof spec['unit'] !== 'string') return `parameter ${name} must have a unit`;
    } else if (kind !== 'shares' && kind !== 'boolean' && kind !== 'feed') {
      return `parameter ${name} has the unknown kind ${JSON.stringify(kind)}`;
    }
  }
  return null;
}
