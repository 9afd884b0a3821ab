/** Conditions of worlds, each declared once: option, usual value, range, and words for tables. */

import { GIVES_UP_MS } from '../backtest/contract.js';
import { formatQuantity } from '../report/figures.js';

interface ConditionRow {
  /** Its option, as the code spells it and as users do. */
  readonly flag: string;
  readonly option: string;
  readonly usual: number;
  readonly range: readonly [from: number, to: number];
  readonly isFraction?: true;
  readonly help: string;
  readonly describe: (value: number) => string;
}

const MOST_REQUESTS = 100_000;

/** Usual: one market, the limits of the `paper` and `worm` profiles, and a venue on another continent. */
export const CONDITIONS = {
  /** At once. */
  markets: {
    flag: 'markets',
    option: '--markets <n>',
    usual: 1,
    range: [1, 40],
    help: 'of rationed: markets at once, 1 to 40 (default: 1)',
    describe: (value) => `${formatQuantity(value, 'market')} at once`,
  },
  /** Request limits of the venue. */
  publicPerMinute: {
    flag: 'public',
    option: '--public <n>',
    usual: 120,
    range: [1, MOST_REQUESTS],
    help: 'of rationed and crowd: public requests a minute (default: 120)',
    describe: (value) => `${value} public requests a minute`,
  },
  signedPerMinute: {
    flag: 'signed',
    option: '--signed <n>',
    usual: 300,
    range: [1, MOST_REQUESTS],
    help: 'of rationed and crowd: signed requests a minute (default: 300)',
    describe: (value) => `${value} signed ones`,
  },
  /** Round trip of every request. */
  delayMs: {
    flag: 'delay',
    option: '--delay <ms>',
    usual: 150,
    range: [0, GIVES_UP_MS],
    help: 'of rationed and crowd: how long each request takes, there and back (default: 150)',
    describe: (value) => `${value} ms there and back`,
  },
  /** Error of a strategy's feeds: a standard deviation in log-odds. */
  feedSd: {
    flag: 'feedSd',
    option: '--feed-sd <log-odds>',
    usual: 0.1,
    range: [0, 10],
    isFraction: true,
    help: 'how far the feeds of strategies are off the truth, a standard deviation (default: 0.1)',
    describe: (value) => `feeds that are off by ${value} in log-odds`,
  },
  feedLagS: {
    flag: 'feedLag',
    option: '--feed-lag <s>',
    usual: 0,
    range: [0, 3600],
    help: 'how late they are (default: 0)',
    describe: (value) => `feeds that are ${value} s late`,
  },
} as const satisfies Record<string, ConditionRow>;

export type ConditionName = keyof typeof CONDITIONS;
/** Conditions of a strategy's simulations. */
export type Conditions = Readonly<Record<ConditionName, number>>;

export const CONDITION_ROWS: readonly (readonly [ConditionName, ConditionRow])[] =
  // The keys are those of its type.
  Object.entries(CONDITIONS) as [ConditionName, ConditionRow][];

export const USUAL_CONDITIONS = chooseConditions(() => undefined);

/** Defaults for all conditions that were not chosen. */
export function chooseConditions(choose: (name: ConditionName) => number | undefined): Conditions {
  // Every condition has a row.
  return Object.fromEntries(CONDITION_ROWS.map(([name, { usual }]) => [name, choose(name) ?? usual])) as Conditions;
}

/** Every world takes these. */
export const FEED_CONDITIONS: readonly ConditionName[] = ['feedSd', 'feedLagS'];

/** A world's conditions in words; empty without any. Feeds are named if their value was changed. */
export const conditionsText = (names: readonly ConditionName[], values: Conditions): string =>
  names
    .filter((name) => !FEED_CONDITIONS.includes(name) || values[name] !== USUAL_CONDITIONS[name])
    .map((name) => CONDITIONS[name].describe(values[name]))
    .join(', ');
