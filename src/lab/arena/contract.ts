/** Input and output of the arena: worlds and their conditions, simulations, and results of a strategy. */

import type { Config, StrategyConfig } from '../../shell/config/config.js';
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

export class Tally {
  readonly #startWorth: number;
  readonly #round: (value: number) => number;
  #uninformedEdge = 0;
  #informedEdge = 0;
  #fills = 0;
  #shares = 0;
  #highest: number;
  #drawdown = 0;

  /** `round`: of every sum. */
  constructor(startWorth: number, round = (value: number): number => value) {
    this.#startWorth = startWorth;
    this.#highest = startWorth;
    this.#round = round;
  }

  countFill(shares: number, edge: number, isInformed: boolean): void {
    if (isInformed) this.#informedEdge = this.#round(this.#informedEdge + edge);
    else this.#uninformedEdge = this.#round(this.#uninformedEdge + edge);
    this.#fills++;
    this.#shares += shares;
  }

  /** Notes the present wealth at the truth. */
  mark(worth: number): void {
    this.#highest = Math.max(this.#highest, worth);
    this.#drawdown = Math.max(this.#drawdown, this.#highest - worth);
  }

  /** Edge: shares x (true probability - price) over all fills, without the luck of the settlement. */
  edges() {
    return {
      edge: this.#round(this.#uninformedEdge + this.#informedEdge),
      uninformedEdge: this.#uninformedEdge,
      informedEdge: this.#informedEdge,
      fills: this.#fills,
      shares: this.#round(this.#shares),
    };
  }

  /** `wealth`: cash and shares after settlement. Drawdown: its largest fall from its previous maximum, at the truth. */
  gains(wealth: number) {
    return { wealth, result: this.#round(wealth - this.#startWorth), drawdown: this.#drawdown };
  }
}

/** Parts of a strategy for a world that judges it alone. */
export type ShownStrategy = Pick<StrategyConfig, 'name' | 'module' | 'params'>;

/** An entered strategy: its parsed file, and the trader that it was read with. */
export interface Entrant extends StrategyConfig {
  readonly config: Config;
}

/** Result of one simulation of one strategy. Money in currency, amounts in shares. */
export interface SimulationResult extends Readonly<ReturnType<Tally['edges']> & ReturnType<Tally['gains']>> {
  readonly seed: number;
  /** Orders placed and canceled. */
  readonly actions: number;
  /** Requests that the trader sent; null in a world without requests. */
  readonly requests: number | null;
  /** Halts by a risk limit; 0 in a world without one. */
  readonly halts: number;
  /** The trader's own result right before settlement; null in a world without one. */
  readonly reported: number | null;
  /** Outcome of the market; null with several. */
  readonly outcome: 0 | 1 | null;
  /** The broken rule, or the error that stopped the strategy; null without either. */
  readonly failure: string | null;
}

/** A market with a known truth. Equal seeds give equal markets, whatever the maker does. */
export interface World {
  /** Lower case, as in `--world NAME`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** Conditions that change it; it ignores the others. */
  readonly conditions: readonly ConditionName[];
  simulate(seed: number, entrant: Entrant, conditions: Conditions): SimulationResult | Promise<SimulationResult>;
}

export interface NamedSimulation extends SimulationResult {
  readonly world: string;
  readonly strategy: string;
}
