/** Sentences about a simulation, for tables and pages. */

import { decimal, formatQuantity } from '../report/figures.js';
import {
  type ArenaResult,
  type Conditions,
  FEED_CONDITIONS,
  type Mean,
  type NamedSimulation,
  USUAL_CONDITIONS,
  type World,
} from './contract.js';

/** The option of the command line that sets each. */
export const CONDITION_OPTIONS: Readonly<Record<keyof Conditions, string>> = {
  markets: '--markets',
  publicPerMinute: '--public',
  signedPerMinute: '--signed',
  delayMs: '--delay',
  feedSd: '--feed-sd',
  feedLagS: '--feed-lag',
};

const TEXTS: Readonly<Record<keyof Conditions, (value: number) => string>> = {
  markets: (value) => `${formatQuantity(value, 'market')} at once`,
  publicPerMinute: (value) => `${value} public requests a minute`,
  signedPerMinute: (value) => `${value} signed ones`,
  delayMs: (value) => `${value} ms there and back`,
  feedSd: (value) => `feeds that are off by ${value} in log-odds`,
  feedLagS: (value) => `feeds that are ${value} s late`,
};

/** What the whole trader had to do with in this world; empty in a world without one. */
export const conditionsText = ({ conditions }: Pick<World, 'conditions'>, values: Conditions): string =>
  pickShownConditions(conditions, values)
    .map((name) => TEXTS[name](values[name]))
    .join(', ');

/** Feeds are named where they were asked for: most strategies have none. */
const pickShownConditions = (conditions: World['conditions'], values: Conditions): World['conditions'] =>
  conditions.filter((name) => !FEED_CONDITIONS.some((one) => one === name) || values[name] !== USUAL_CONDITIONS[name]);

/** `+1.23 ± 0.45`, currency; without an error where there is only one simulation. */
export function meanText({ mean, standardError }: Mean, places = 2): string {
  const sign = mean >= 0.5 * 10 ** -places ? '+' : '';
  const error = standardError === null ? '' : ` ± ${decimal(standardError, places)}`;
  return `${sign}${decimal(mean, places)}${error}`;
}

/** The command that runs one simulation again. */
export function rerunCommand(result: ArenaResult, { world, strategy, seed }: NamedSimulation): string {
  const file = result.strategies.find(({ name }) => name === strategy)?.file ?? '';
  const found = result.worlds.find(({ name }) => name === world);
  const conditions = found === undefined ? '' : conditionOptions(found, result.conditions);
  return `./twinbook arena -c ${quoteWord(file)} --world ${world} --first ${seed} --seeds 1${conditions}`;
}

/** The options that ask for the same conditions again, those of this world only. */
const conditionOptions = ({ conditions }: Pick<World, 'conditions'>, values: Conditions): string =>
  pickShownConditions(conditions, values)
    .map((name) => ` ${CONDITION_OPTIONS[name]} ${values[name]}`)
    .join('');

/** As a shell takes it for one word. */
const quoteWord = (text: string): string =>
  /^[\w./@%+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
