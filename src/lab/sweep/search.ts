/** Combinations that a sweep tries: a whole grid, or random draws. */

import { TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import type { Config } from '../../shell/config/types.js';
import { MAX_CONFIGURATIONS } from './bounds.js';
import { candidateHash, combine } from './candidates.js';
import type { Axis, Candidate, Choice, RawValue, Search } from './contract.js';

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
