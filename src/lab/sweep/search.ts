/** Parses the varied parameters of a sweep, and makes the combinations of values: a whole grid, or random draws. */

import { createHash } from 'node:crypto';
import { assert, TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import { closest } from '../../shared/base/text.js';
import type { Config, StrategyConfig } from '../../shell/config/config.js';
import { canonicalJson, shownParams } from '../../shell/config/shown.js';
import type { FieldSpec, ParamValues } from '../../trader/strategy/contract.js';
import { describeParam, readParams } from '../../trader/strategy/read-params.js';
import { type Axis, MAX_CONFIGURATIONS, type Search, type SweepAssumptions, type SweepCandidate } from './contract.js';

type RawValue = SweepCandidate['values'][number];

export const hashValue = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

export type SweepIdentity = ReturnType<typeof identityOf>;

/** Returns all inputs that identify a sweep. `latency` and `others`: inputs that are not part of the assumptions. */
export const identityOf = (
  { data: _, ...known }: SweepAssumptions,
  { kind, axes, candidates }: Search,
  latency: string,
  others: object,
) => ({
  ...known,
  latency,
  others,
  search: { kind, configurations: candidates.length, axes: axes.map(({ name, choice }) => ({ name, choice })) },
});

/** Time zone of this process, in which the quote hours of strategies are defined. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const FORMS = 'FROM:TO:STEP, a list such as 1,2,5, or with --random also FROM:TO or log:FROM:TO';

/** Parses a `--param` text, for example `maker.half_spread_ticks=1:5:1`. Throws `usage` with the expected form. */
export function readAxis(text: string, strategies: readonly StrategyConfig[], isRandom: boolean): Axis {
  const [, left, right] = /^([^=]+)=(.+)$/s.exec(text.trim()) ?? [];
  if (left === undefined || right === undefined)
    throw new TwinbookError('usage', `cannot read --param '${text}'`, `Wanted NAME=VALUES, where VALUES are ${FORMS}.`);
  const { strategy, path, spec } = findParam(left.trim(), strategies);
  const name = [strategy.name, ...path].join('.');
  return { name, strategy: strategy.name, path, choice: readChoice(right.trim(), name, spec, isRandom) };
}

function findParam(name: string, strategies: readonly StrategyConfig[]): ReturnType<typeof inStrategy> {
  const [first = '', ...rest] = name.split('.');
  const named = strategies.find((strategy) => strategy.name === first);
  if (named !== undefined && rest.length > 0) return inStrategy(named, rest, name);
  const having = strategies.filter(({ module }) => Object.hasOwn(module.params, first));
  const [only] = having;
  if (only === undefined) throw unknownParam(name, strategies);
  if (having.length === 1) return inStrategy(only, [first, ...rest], name);
  const names = having.map((strategy) => `${strategy.name}.${name}`).join(', ');
  throw new TwinbookError('usage', `several strategies have a parameter ${name}`, `Write one of: ${names}.`);
}

function inStrategy(strategy: StrategyConfig, words: readonly string[], name: string) {
  const [param = '', row, field] = words;
  const spec = Object.hasOwn(strategy.module.params, param) ? strategy.module.params[param] : undefined;
  if (spec === undefined) throw unknownParam(name, [strategy]);
  if (spec.kind !== 'rows') {
    if (words.length > 1) throw unknownParam(name, [strategy]);
    return { strategy, path: [param], spec } as const;
  }
  const inner = field !== undefined && Object.hasOwn(spec.fields, field) ? spec.fields[field] : undefined;
  const at = Number(row);
  const present = strategy.params[param];
  const rows = typeof present === 'object' ? present.length : 0;
  if (inner === undefined || words.length !== 3 || !Number.isInteger(at) || at < 0 || at >= rows) {
    const fields = Object.keys(spec.fields).join(', ');
    const hint = `Give one field of one row: ${strategy.name}.${param}.ROW.FIELD, ROW from 0 to ${rows - 1}, FIELD one of ${fields}.`;
    throw new TwinbookError('usage', `${name} is not a single parameter: ${param} is a list of rows`, hint);
  }
  return { strategy, path: [param, at, field ?? ''], spec: inner } as const;
}

function unknownParam(name: string, strategies: readonly StrategyConfig[]): TwinbookError {
  const known = strategies.flatMap(({ module }) => Object.keys(module.params));
  const meant = closest(name.split('.').at(-1) ?? '', known);
  const near = meant === null ? '' : ` Did you mean ${meant}?`;
  const list = strategies.map(({ name: strategy, module }) => `${strategy}: ${Object.keys(module.params).join(', ')}`);
  const hint = `Known parameters of ${list.join('; of ')}.`;
  return new TwinbookError('usage', `no strategy has a parameter ${name}.${near}`, hint);
}

function readChoice(text: string, name: string, spec: FieldSpec, isRandom: boolean): Axis['choice'] {
  const parts = text.split(':');
  if (parts.length === 1) {
    const values = text.split(',').map((word) => value(word, spec));
    return { kind: 'values', values: [...new Set(values)] };
  }
  if (spec.kind === 'boolean' || spec.kind === 'choice' || spec.kind === 'feed')
    throw bad(name, text, `a list of values, because the parameter is ${describeParam(spec).wanted}`);
  const isLog = parts[0] === 'log';
  const numbers = (isLog ? parts.slice(1) : parts).map((part) => part.trim());
  if (numbers.length < 2 || numbers.length > 3 || (isLog && numbers.length === 3) || !numbers.every(isDecimal))
    throw bad(name, text, FORMS);
  const [from = 0, to = 0] = numbers.map(Number);
  if (from > to) throw bad(name, text, `the smaller end first, as in ${numbers[1]}:${numbers[0]}`);
  if (numbers.length === 3) return { kind: 'values', values: steps(numbers, name, text, spec) };
  if (!isRandom) throw bad(name, text, 'a step, as in FROM:TO:STEP, or --random N to draw from the range');
  if (spec.kind === 'integer' && !(Number.isInteger(from) && Number.isInteger(to))) throw bad(name, text, 'integers');
  if (isLog && from <= 0) throw bad(name, text, 'FROM and TO above 0 on a logarithmic scale');
  return { kind: 'between', from, to, isLog, as: spec.kind };
}

const isDecimal = (text: string): boolean => /^-?\d{1,15}(\.\d{1,12})?$/.test(text);

function bad(name: string, came: string, want: string): TwinbookError {
  const hint = '`twinbook strategies` lists each strategy’s parameters with ranges.';
  return new TwinbookError('usage', `--param ${name}: got '${came}', wanted ${want}`, hint);
}

/** Returns the values FROM, FROM + STEP and so on up to TO, rounded to the most decimals of FROM, TO and STEP. */
function steps(numbers: readonly string[], name: string, text: string, spec: FieldSpec): readonly RawValue[] {
  const places = Math.max(...numbers.map((number) => (number.split('.')[1] ?? '').length));
  const [from = 0, to = 0, step = 0] = numbers.map(Number);
  if (step <= 0) throw bad(name, text, 'a step above 0');
  // The rounded quotient may be slightly too small, so a tolerance ensures that the end of the range is included.
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (count > MAX_CONFIGURATIONS) throw bad(name, text, `at most ${MAX_CONFIGURATIONS} values`);
  return Array.from({ length: count }, (_, at) => value(String(Number((from + at * step).toFixed(places))), spec));
}

function value(word: string, spec: FieldSpec): RawValue {
  const text = word.trim();
  if (spec.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (spec.kind === 'choice' || spec.kind === 'shares' || spec.kind === 'feed') return text;
  return /^-?(\d+\.?\d*|\.\d+)(e-?\d+)?$/i.test(text) ? Number(text) : text;
}

/** Maximum number of random draws per wanted combination, because small ranges have few different combinations. */
const DRAWS_PER_COMBINATION = 50;

export function gridSearch(config: Config, axes: readonly Axis[]): Search {
  requireAxes(axes);
  const lists = axes.map(({ choice }) => (choice.kind === 'values' ? choice.values : []));
  const size = lists.reduce((product, { length }) => product * length, 1);
  if (size > MAX_CONFIGURATIONS) {
    const factors = axes.map(({ name }, index) => `${name}: ${lists[index]?.length ?? 0}`).join(', ');
    const hint = 'Take larger steps or fewer parameters, or draw some of them with --random N.';
    const text = `the grid has ${size} configurations (${factors}), but at most ${MAX_CONFIGURATIONS} are allowed`;
    throw new TwinbookError('usage', text, hint);
  }
  checkEach(config, axes, lists);
  return makeSearch(config, axes, 'grid', size, combinations(lists));
}

/** Draws `count` different combinations evenly from the parameter ranges; fewer if the ranges have fewer. */
export function randomSearch(config: Config, axes: readonly Axis[], count: number, seed: number): Search {
  requireAxes(axes);
  if (count > MAX_CONFIGURATIONS) {
    const hint = 'Give a smaller --random, or divide the search into several sweeps.';
    throw new TwinbookError('usage', `--random ${count} is above the maximum, ${MAX_CONFIGURATIONS}`, hint);
  }
  const ends = axes.map(({ choice }) =>
    choice.kind === 'values' ? choice.values : [roundValue(choice.from, choice), roundValue(choice.to, choice)],
  );
  checkEach(config, axes, ends);
  return makeSearch(config, axes, 'random', count, drawCombinations(axes, count, seed));
}

function* drawCombinations(axes: readonly Axis[], count: number, seed: number): Generator<readonly RawValue[]> {
  const random = Random.fromSeed(seed, 'sweep');
  const seen = new Set<string>();
  for (let draws = 0; draws < count * DRAWS_PER_COMBINATION; draws++) {
    const values = axes.map(({ choice }) => draw(choice, random));
    const text = JSON.stringify(values);
    if (seen.has(text)) continue;
    seen.add(text);
    yield values;
  }
}

function requireAxes(axes: readonly Axis[]): void {
  if (axes.length === 0)
    throw new TwinbookError('usage', 'no parameter to vary', 'Give at least one --param NAME=FROM:TO:STEP.');
  const twin = axes.find(({ name }, index) => axes.findIndex((other) => other.name === name) !== index);
  if (twin !== undefined) throw new TwinbookError('usage', `--param ${twin.name} is given twice`, 'Keep one --param.');
}

/** Checks each value alone, with all other parameters as configured, so that an error names the invalid parameter. */
function checkEach(config: Config, axes: readonly Axis[], lists: readonly (readonly RawValue[])[]): void {
  axes.forEach((axis, index) => {
    for (const value of lists[index] ?? []) combine(config, [axis], [value]);
  });
}

function* combinations(lists: readonly (readonly RawValue[])[]): Generator<readonly RawValue[]> {
  const [first, ...rest] = lists;
  if (first === undefined) yield [];
  else for (const value of first) for (const others of combinations(rest)) yield [value, ...others];
}

function draw(choice: Axis['choice'], random: Random): RawValue {
  if (choice.kind === 'values') return choice.values[random.below(choice.values.length)] ?? 0;
  const { from, to, isLog } = choice;
  const share = random.uniform();
  // Draws from 0.5 below to 0.5 above the range and rounds, so that the end integers are as likely as the others.
  const half = choice.as === 'integer' ? 0.5 : 0;
  const [low, high] = [from - half, to + half];
  const value = isLog ? low * (high / low) ** share : low + (high - low) * share;
  return roundValue(Math.min(to, Math.max(from, value)), choice);
}

/** Rounds a drawn value to six significant digits, so that it can be copied exactly into a strategy file. */
function roundValue(value: number, { as }: Extract<Axis['choice'], { kind: 'between' }>): RawValue {
  if (as === 'integer') return Math.round(value);
  const rounded = Number(value.toPrecision(6));
  return as === 'number' ? rounded : String(Number(rounded.toFixed(6)));
}

function makeSearch(
  config: Config,
  axes: readonly Axis[],
  kind: Search['kind'],
  wanted: number,
  combined: Iterable<readonly RawValue[]>,
): Search {
  const candidates: SweepCandidate[] = [];
  const reasons = new Map<string, number>();
  for (const values of combined) {
    if (candidates.length === wanted) break;
    const params = combine(config, axes, values);
    if (typeof params === 'string') reasons.set(params, (reasons.get(params) ?? 0) + 1);
    // Equal settings give equal hashes, regardless of which parameters were varied.
    else {
      const hash = hashValue({ configHash: config.configHash, params });
      candidates.push({ number: candidates.length + 1, values, hash });
    }
  }
  const leftOut = [...reasons].map(([why, count]) => ({ why, count })).sort((a, b) => b.count - a.count);
  if (candidates.length === 0) {
    const hint = 'Give other values to --param; `twinbook strategies` lists each strategy’s parameters with ranges.';
    const text = `no combination of these values is possible: ${leftOut[0]?.why ?? 'there is none'}`;
    throw new TwinbookError('usage', text, hint);
  }
  return { kind, axes, candidates, leftOut, wanted };
}

/** Returns every strategy's parameters with the varied values, or the reason why the values cannot be combined. */
function combine(config: Config, axes: readonly Axis[], values: readonly RawValue[]): readonly ParamValues[] | string {
  const params: ParamValues[] = [];
  for (const strategy of config.strategies) {
    const { module } = strategy;
    const file: Record<string, unknown> = structuredClone(shownParams(module, strategy.params));
    const own = axes.filter((axis) => axis.strategy === strategy.name);
    for (const axis of own) put(file, axis.path, values[axes.indexOf(axis)]);
    const read = readParams(module, file);
    if (read.values === null) return describeProblems(strategy, own, read);
    params.push(read.values);
  }
  return params;
}

export function configWith(config: Config, axes: readonly Axis[], values: readonly RawValue[]): Config {
  const combined = combine(config, axes, values);
  assert(typeof combined !== 'string', 'a candidate has values that cannot be combined');
  const strategies = config.strategies.map((one, index) => ({ ...one, params: combined[index] ?? one.params }));
  return { ...config, strategies };
}

function put(raw: Record<string, unknown>, path: Axis['path'], value: RawValue | undefined): void {
  const [name = '', row, field] = path;
  const rows = raw[name];
  if (row === undefined || !Array.isArray(rows)) raw[name] = value;
  // This cast is safe, because the row was checked when the axis was parsed.
  else (rows[Number(row)] as Record<string, unknown>)[String(field)] = value;
}

/** Describes the reason why values cannot be combined. Throws if the value of a varied parameter is itself invalid. */
type Read = ReturnType<typeof readParams>;

function describeProblems({ name, module }: StrategyConfig, own: readonly Axis[], { problems }: Read): string {
  for (const axis of own) {
    const problem = problems.find(({ path }) => path.join('.') === axis.path.join('.'));
    if (problem === undefined) continue;
    const list = Object.entries(module.params).map(([param, spec]) => `${param} (${describeParam(spec).wanted})`);
    const hint = `Parameters of ${name}: ${list.join('; ')}.`;
    throw new TwinbookError('usage', `--param ${axis.name}: ${problem.message}`, hint);
  }
  return `${name}: ${problems.map(({ message }) => message).join('; ')}`;
}
