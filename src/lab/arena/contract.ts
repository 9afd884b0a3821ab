/** Input and output of the arena: worlds and their conditions, simulations, and results of a strategy. */

import type { Config, StrategyConfig } from '../../shell/config/config.js';
import { formatQuantity } from '../report/figures.js';

/** Conditions of a strategy's simulations; a world uses those of its `conditions`. */
export interface Conditions {
  /** Number of simultaneous markets. */
  readonly markets: number;
  /** Request limits of the venue. */
  readonly publicPerMinute: number;
  readonly signedPerMinute: number;
  /** Round trip of every request. */
  readonly delayMs: number;
  /** Error of a strategy's feeds: a standard deviation in log-odds. */
  readonly feedSd: number;
  /** How late the feeds are. */
  readonly feedLagS: number;
}

export type ConditionName = keyof Conditions;

/** One market, the limits of the `paper` and `worm` profiles, a venue on another continent, and feeds near the truth. */
export const USUAL_CONDITIONS: Conditions = {
  markets: 1,
  publicPerMinute: 120,
  signedPerMinute: 300,
  delayMs: 150,
  feedSd: 0.1,
  feedLagS: 0,
};

/** Feed conditions, which every world accepts. */
export const FEED_CONDITIONS: readonly ConditionName[] = ['feedSd', 'feedLagS'];

/** A world's markets and venue in words; empty without any. */
export function conditionsText(names: readonly ConditionName[], values: Conditions): string {
  const { markets, publicPerMinute, signedPerMinute, delayMs } = values;
  const venue = `${publicPerMinute} public requests a minute, ${signedPerMinute} signed ones, ${delayMs} ms there and back`;
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

  /** `round`: rounds every sum. */
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

/** Parts of a strategy for a world that judges one strategy. */
export type ShownStrategy = Pick<StrategyConfig, 'name' | 'module' | 'params'>;

/** An entered strategy: its parsed file, and the trader that it was read with. */
export interface Entrant extends StrategyConfig {
  readonly config: Config;
}

/** Result of one simulation of one strategy. Money in currency, amounts in shares. */
export interface SimulationResult extends Readonly<ReturnType<Tally['edges']> & ReturnType<Tally['gains']>> {
  readonly seed: number;
  /** Number of order placements and cancels. */
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

/** A market with a known truth. Equal seeds give equal markets for any maker. */
export interface World {
  /** Lower case, as in `--world NAME`. */
  readonly name: string;
  /** Sentence that describes the world. */
  readonly summary: string;
  /** Conditions that affect this world; the world ignores the others. */
  readonly conditions: readonly ConditionName[];
  simulate(seed: number, entrant: Entrant, conditions: Conditions): SimulationResult | Promise<SimulationResult>;
}

export interface NamedSimulation extends SimulationResult {
  readonly world: string;
  readonly strategy: string;
}
