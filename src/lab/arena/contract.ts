import type { Config, StrategyConfig } from '../../shell/config/config.js';
import { formatQuantity } from '../report/figures.js';

/** Conditions of a strategy's simulations. A world uses only the conditions that its field `conditions` lists. */
export interface Conditions {
  readonly markets: number;
  /** Maximum number of public and of signed requests per minute. */
  readonly publicPerMinute: number;
  readonly signedPerMinute: number;
  /** Round-trip time of every request, ms. */
  readonly delayMs: number;
  /** Standard deviation of the error of a strategy's feeds, in log-odds. */
  readonly feedSd: number;
  /** Delay of a strategy's feeds, s. */
  readonly feedLagS: number;
}

export type ConditionName = keyof Conditions;

/** Defaults: one market, request limits of the `paper` profile, a long-distance round trip, feeds with small errors. */
export const USUAL_CONDITIONS: Conditions = {
  markets: 1,
  publicPerMinute: 120,
  signedPerMinute: 300,
  delayMs: 150,
  feedSd: 0.1,
  feedLagS: 0,
};

export const FEED_CONDITIONS: readonly ConditionName[] = ['feedSd', 'feedLagS'];

export function conditionsText(names: readonly ConditionName[], values: Conditions): string {
  const { markets, publicPerMinute, signedPerMinute, delayMs } = values;
  const venue = `${publicPerMinute} public and ${signedPerMinute} signed requests a minute, round trip ${delayMs} ms`;
  const several = names.includes('markets') ? [`${formatQuantity(markets, 'market')} at once`] : [];
  return [...several, ...(names.includes('delayMs') ? [venue] : [])].join(', ');
}

export class Tally {
  readonly #startWorth: number;
  readonly #round: (value: number) => number;
  #uninformedEdge = 0;
  #informedEdge = 0;
  #fills = 0;
  #shares = 0;
  #highest: number;
  #drawdown = 0;

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

  mark(worth: number): void {
    this.#highest = Math.max(this.#highest, worth);
    this.#drawdown = Math.max(this.#drawdown, this.#highest - worth);
  }

  /** A simulation's edge is the sum over all fills of shares × (true probability − price), without settlement luck. */
  edges() {
    return {
      edge: this.#round(this.#uninformedEdge + this.#informedEdge),
      uninformedEdge: this.#uninformedEdge,
      informedEdge: this.#informedEdge,
      fills: this.#fills,
      shares: this.#round(this.#shares),
    };
  }

  /** `wealth`: value of cash and shares after settlement. `drawdown`: largest fall of the wealth below its maximum. */
  gains(wealth: number) {
    return { wealth, result: this.#round(wealth - this.#startWorth), drawdown: this.#drawdown };
  }
}

export type Entrant = StrategyConfig & Readonly<{ config: Config }>;

/** Result of one simulation of one strategy. Money values are in currency, amounts in shares. */
export interface SimulationResult extends Readonly<ReturnType<Tally['edges']> & ReturnType<Tally['gains']>> {
  readonly seed: number;
  readonly actions: number;
  /** Number of requests that the trader sent; null in a world without requests. */
  readonly requests: number | null;
  /** Number of halts by a risk limit; 0 in a world without a risk limit. */
  readonly halts: number;
  /** Gain in the trader's own ledger just before settlement, currency; null in a world without a trader. */
  readonly reported: number | null;
  /** Outcome of the market, 1 for YES; null with several markets. */
  readonly outcome: 0 | 1 | null;
  /** Broken rule or error that stopped the strategy; null if neither occurred. */
  readonly failure: string | null;
}

/** A kind of simulated market. Equal seeds of a world give equal markets for every strategy. */
export interface World {
  readonly name: string;
  readonly summary: string;
  readonly conditions: readonly ConditionName[];
  simulate(seed: number, entrant: Entrant, conditions: Conditions): SimulationResult | Promise<SimulationResult>;
}
