/** Combinations that a sweep tries: a whole grid, or random draws. */

import { assert, TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import type { Config, StrategyConfig } from '../../shell/config/config.js';
import type { ParamValues } from '../../trader/strategy/params.js';
import { describeWanted, type ParamsRead, readParams } from '../../trader/strategy/read-params.js';
import { rawParams } from './axes.js';
import { MAX_CONFIGURATIONS } from './bounds.js';
import type { Axis, Candidate, Choice, RawValue, Search } from './contract.js';
import { hashValue } from './identity.js';

/** Maximum draws per wanted combination; a small space runs out of new ones early. */
const DRAWS_PER_COMBINATION = 50;

export function gridSearch(config: Config, axes: readonly Axis[]): Search {
  requireAxes(axes);
  const lists = axes.map(({ choice }) => (choice.kind === 'values' ? choice.values : []));
  const size = lists.reduce((product, { length }) => product * length, 1);
  if (size > MAX_CONFIGURATIONS) {
    const factors = axes.map(({ name }, index) => `${name}: ${lists[index]?.length ?? 0}`).join(', ');
    throw new TwinbookError(
      'usage',
      `the grid has ${size} configurations (${factors}), more than ${MAX_CONFIGURATIONS}`,
      'Take larger steps or fewer parameters, or draw some of them with --random N.',
    );
  }
  checkEach(config, axes, lists);
  return makeSearch(config, axes, 'grid', size, combinations(lists));
}

/** This many different combinations, drawn evenly from the axes; fewer in a small space. */
export function randomSearch(config: Config, axes: readonly Axis[], count: number, seed: number): Search {
  requireAxes(axes);
  if (count > MAX_CONFIGURATIONS) {
    throw new TwinbookError(
      'usage',
      `--random ${count}: at most ${MAX_CONFIGURATIONS} configurations are tried`,
      'Give a smaller --random, or divide the search into several sweeps.',
    );
  }
  checkEach(
    config,
    axes,
    axes.map(({ choice }) =>
      choice.kind === 'values' ? choice.values : [roundValue(choice.from, choice), roundValue(choice.to, choice)],
    ),
  );
  return makeSearch(config, axes, 'random', count, drawCombinations(axes, count, seed));
}

/** Different ones, until a small space is probably exhausted. */
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
  if (axes.length > 0) return;
  throw new TwinbookError('usage', 'nothing to vary', 'Give at least one --param NAME=FROM:TO:STEP.');
}

/** Each value alone, with the others' present ones, so that an error names its parameter. */
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

function draw(choice: Choice, random: Random): RawValue {
  if (choice.kind === 'values') return choice.values[random.below(choice.values.length)] ?? 0;
  const { from, to, isLog } = choice;
  const share = random.uniform();
  // Whole numbers each stand for the interval around them, so that both ends are drawn as often as the others.
  const half = choice.as === 'integer' ? 0.5 : 0;
  const [low, high] = [from - half, to + half];
  const value = isLog ? low * (high / low) ** share : low + (high - low) * share;
  return roundValue(Math.min(to, Math.max(from, value)), choice);
}

/** Six significant digits: can be written into a strategy file with the same meaning. */
function roundValue(value: number, { as }: Extract<Choice, { kind: 'between' }>): RawValue {
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
  const candidates: Candidate[] = [];
  const reasons = new Map<string, number>();
  for (const values of combined) {
    if (candidates.length === wanted) break;
    const result = combine(config, axes, values);
    if (result.ok)
      candidates.push({ number: candidates.length + 1, values, hash: candidateHash(config, result.params) });
    else reasons.set(result.why, (reasons.get(result.why) ?? 0) + 1);
  }
  const leftOut = [...reasons].map(([why, count]) => ({ why, count })).sort((a, b) => b.count - a.count);
  if (candidates.length === 0) {
    const [most] = leftOut;
    throw new TwinbookError(
      'usage',
      `no combination of these values is possible: ${most?.why ?? 'there is none'}`,
      'Give other values to --param; `twinbook strategies` lists the parameters of each with their ranges.',
    );
  }
  return { kind, axes, candidates, leftOut, wanted };
}

/** Parameters of every strategy in order, or why these values cannot be combined. */
type Combined =
  | { readonly ok: true; readonly params: readonly ParamValues[] }
  | { readonly ok: false; readonly why: string };

/**
 * Values for these axes, checked by the strategies. An invalid value is a TwinbookError `usage`; values that cannot be
 * combined are a result, since a grid may contain some.
 */
function combine(config: Config, axes: readonly Axis[], values: readonly RawValue[]): Combined {
  const params: ParamValues[] = [];
  for (const strategy of config.strategies) {
    const own = axes.flatMap((axis, index) =>
      axis.strategy === strategy.name ? [{ axis, value: values[index] }] : [],
    );
    const read = readWith(strategy, own);
    if (read.values === null) return { ok: false, why: why(strategy, own, read) };
    params.push(read.values);
  }
  return { ok: true, params };
}

export function configWith(config: Config, axes: readonly Axis[], values: readonly RawValue[]): Config {
  const combined = combine(config, axes, values);
  assert(combined.ok, 'values that were combined before');
  const strategies = config.strategies.map((strategy, index) => ({
    ...strategy,
    params: combined.params[index] ?? strategy.params,
  }));
  return { ...config, strategies };
}

/** Equal for equal settings, whichever were varied. */
const candidateHash = ({ configHash }: Config, params: readonly ParamValues[]): string =>
  hashValue({ configHash, params });

type Own = readonly { readonly axis: Axis; readonly value: RawValue | undefined }[];

function readWith(strategy: StrategyConfig, own: Own): ParamsRead {
  const raw = structuredClone(rawParams(strategy));
  for (const { axis, value } of own) put(raw, axis.path, value);
  return readParams(strategy.module, raw);
}

/** Into the parameter, or into the field of one of its rows. */
function put(raw: Record<string, unknown>, path: Axis['path'], value: RawValue | undefined): void {
  const [name = '', row, field] = path;
  const rows = raw[name];
  if (row === undefined || !Array.isArray(rows)) raw[name] = value;
  // Rows are records; this one was found when the axis was parsed.
  else (rows[Number(row)] as Record<string, unknown>)[String(field)] = value;
}

function why(strategy: StrategyConfig, own: Own, { problems }: ParamsRead): string {
  for (const { axis } of own) {
    const problem = problems.find(({ path }) => path.join('.') === axis.path.join('.'));
    if (problem !== undefined) throw makeAxisError(strategy, axis, problem.message);
  }
  return `${strategy.name}: ${problems.map(({ message }) => message).join('; ')}`;
}

function makeAxisError({ name, module }: StrategyConfig, axis: Axis, message: string): TwinbookError {
  const list = Object.entries(module.params).map(([param, spec]) => `${param} (${describeWanted(spec)})`);
  return new TwinbookError('usage', `--param ${axis.name}: ${message}`, `Parameters of ${name}: ${list.join('; ')}.`);
}
