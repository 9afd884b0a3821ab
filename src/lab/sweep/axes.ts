/** Parses `--param`: the varied parameter and its values. */

import { closest } from '../../shared/base/closest.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { micros } from '../../shared/base/micros.js';
import type { StrategyConfig } from '../../shell/config/config.js';
import type { FieldSpec, ParamSpec, ParamValue, ParamValues } from '../../trader/strategy/params.js';
import { describeWanted } from '../../trader/strategy/read-params.js';
import { MAX_CONFIGURATIONS } from './bounds.js';
import type { Axis, Choice, RawValue } from './contract.js';

const FORMS = 'FROM:TO:STEP, a list such as 1,2,5, or with --random also FROM:TO or log:FROM:TO';

/**
 * The axis of one `--param` text, for example `maker.half_spread_ticks=1:5:1`. The strategy's name is optional when
 * only one has such a parameter. Throws TwinbookError `usage` with the parameter, the value and the expected form.
 */
export function readAxis(text: string, strategies: readonly StrategyConfig[], isRandom: boolean): Axis {
  const [, left, right] = /^([^=]+)=(.+)$/s.exec(text.trim()) ?? [];
  if (left === undefined || right === undefined) {
    throw new TwinbookError('usage', `cannot read --param '${text}'`, `Wanted NAME=VALUES, where VALUES are ${FORMS}.`);
  }
  const { strategy, path, spec } = findParam(left.trim(), strategies);
  const name = [strategy.name, ...path].join('.');
  return { name, strategy: strategy.name, path, choice: readChoice(right.trim(), name, spec, isRandom) };
}

export function requireDifferent(axes: readonly Axis[]): void {
  const twin = axes.find(({ name }, index) => axes.findIndex((other) => other.name === name) !== index);
  if (twin !== undefined) throw new TwinbookError('usage', `--param ${twin.name} is given twice`, 'Keep one of them.');
}

/** A strategy's parameters in file form, all written out. */
export function rawParams({ module, params }: StrategyConfig): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, raw(module.params[name], value)]));
}

function raw(spec: ParamSpec | undefined, value: ParamValue): unknown {
  if (spec?.kind === 'shares' && typeof value === 'number') return formatDecimal(micros(value));
  if (spec?.kind !== 'rows' || typeof value !== 'object') return value;
  return value.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, inner]) => [name, raw(spec.fields[name], inner)])),
  );
}

interface Found {
  readonly strategy: StrategyConfig;
  readonly path: readonly (string | number)[];
  readonly spec: FieldSpec;
}

function findParam(name: string, strategies: readonly StrategyConfig[]): Found {
  const [first = '', ...rest] = name.split('.');
  const named = strategies.find((strategy) => strategy.name === first);
  if (named !== undefined && rest.length > 0) return inStrategy(named, rest, name);
  const having = strategies.filter(({ module }) => Object.hasOwn(module.params, first));
  const [only, second] = having;
  if (only !== undefined && second === undefined) return inStrategy(only, [first, ...rest], name);
  if (only !== undefined) {
    const names = having.map((strategy) => `${strategy.name}.${name}`).join(', ');
    throw new TwinbookError('usage', `several strategies have a parameter ${name}`, `Write which: ${names}.`);
  }
  throw unknownParam(name, strategies);
}

function inStrategy(strategy: StrategyConfig, words: readonly string[], name: string): Found {
  const [param = '', row, field] = words;
  const spec = Object.hasOwn(strategy.module.params, param) ? strategy.module.params[param] : undefined;
  if (spec === undefined) throw unknownParam(name, [strategy]);
  if (spec.kind !== 'rows') {
    if (words.length > 1) throw unknownParam(name, [strategy]);
    return { strategy, path: [param], spec };
  }
  const inner = field !== undefined && Object.hasOwn(spec.fields, field) ? spec.fields[field] : undefined;
  const at = Number(row);
  const rows = countRows(strategy.params, param);
  if (inner === undefined || words.length !== 3 || !Number.isInteger(at) || at < 0 || at >= rows) {
    const fields = Object.keys(spec.fields).join(', ');
    const hint = `Name one field of one row, as ${strategy.name}.${param}.ROW.FIELD: rows 0 to ${rows - 1}, fields ${fields}.`;
    throw new TwinbookError('usage', `${name} is no single parameter: ${param} is a list of rows`, hint);
  }
  return { strategy, path: [param, at, field ?? ''], spec: inner };
}

function countRows(params: ParamValues, name: string): number {
  const value = params[name];
  return typeof value === 'object' ? value.length : 0;
}

function unknownParam(name: string, strategies: readonly StrategyConfig[]): TwinbookError {
  const known = strategies.flatMap((strategy) =>
    Object.keys(strategy.module.params).map((param) => `${strategy.name}.${param}`),
  );
  const meant = closest(
    name.split('.').at(-1) ?? '',
    known.map((full) => full.split('.').at(-1) ?? ''),
  );
  const near = meant === null ? '' : ` Did you mean ${meant}?`;
  const list = strategies.map(({ name: strategy, module }) => `${strategy}: ${Object.keys(module.params).join(', ')}`);
  return new TwinbookError(
    'usage',
    `no strategy has a parameter ${name}.${near}`,
    `There are, of ${list.join('; of ')}.`,
  );
}

function readChoice(text: string, name: string, spec: FieldSpec, isRandom: boolean): Choice {
  const parts = text.split(':');
  if (parts.length === 1) return { kind: 'values', values: distinct(text.split(',').map((word) => value(word, spec))) };
  if (spec.kind === 'boolean' || spec.kind === 'choice' || spec.kind === 'feed') {
    throw bad(name, text, `a list, for it is ${describeWanted(spec)}`);
  }
  const isLog = parts[0] === 'log';
  const numbers = (isLog ? parts.slice(1) : parts).map((part) => part.trim());
  if (numbers.length < 2 || numbers.length > 3 || (isLog && numbers.length === 3) || !numbers.every(isDecimal)) {
    throw bad(name, text, FORMS);
  }
  const [from = 0, to = 0] = numbers.map(Number);
  if (from > to) throw bad(name, text, `the smaller end first, as in ${numbers[1]}:${numbers[0]}`);
  if (numbers.length === 3) return { kind: 'values', values: steps(numbers, name, text, spec) };
  if (!isRandom) throw bad(name, text, 'a step, as in FROM:TO:STEP, or --random N to draw from the range');
  if (spec.kind === 'integer' && !(Number.isInteger(from) && Number.isInteger(to))) throw bad(name, text, 'whole ends');
  if (isLog && from <= 0) throw bad(name, text, 'ends above 0 on a logarithmic scale');
  return { kind: 'between', from, to, isLog, as: spec.kind };
}

const isDecimal = (text: string): boolean => /^-?\d{1,15}(\.\d{1,12})?$/.test(text);

const bad = (name: string, came: string, want: string): TwinbookError =>
  new TwinbookError(
    'usage',
    `--param ${name}: got '${came}', wanted ${want}`,
    '`twinbook strategies` lists the parameters of each with their ranges.',
  );

/** From, from + step, ... up to and including the end, each with the decimals as written. */
function steps(numbers: readonly string[], name: string, text: string, spec: FieldSpec): readonly RawValue[] {
  const places = Math.max(...numbers.map((number) => (number.split('.')[1] ?? '').length));
  const [from = 0, to = 0, step = 0] = numbers.map(Number);
  if (step <= 0) throw bad(name, text, 'a step above 0');
  // The end is included although a division of decimals may fall short of it.
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (count > MAX_CONFIGURATIONS) throw bad(name, text, `at most ${MAX_CONFIGURATIONS} values`);
  return Array.from({ length: count }, (_, index) =>
    value(String(Number((from + index * step).toFixed(places))), spec),
  );
}

/** In file form; the strategy's own reader checks it. */
function value(word: string, spec: FieldSpec): RawValue {
  const text = word.trim();
  if (spec.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (spec.kind === 'choice' || spec.kind === 'shares' || spec.kind === 'feed') return text;
  return /^-?(\d+\.?\d*|\.\d+)(e-?\d+)?$/i.test(text) ? Number(text) : text;
}

const distinct = (values: readonly RawValue[]): readonly RawValue[] => [...new Set(values)];
