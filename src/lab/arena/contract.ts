/** What the arena is told and what comes out: worlds, simulations, and what they say of a strategy. */

import type { Config, StrategyConfig } from '../../shell/config/types.js';
import type { ConditionName, Conditions } from './conditions.js';

/** What a world that judges a strategy by itself needs of it. */
export type ShownStrategy = Pick<StrategyConfig, 'name' | 'module' | 'params'>;

/** A strategy as it enters: a strategy file, read, and the trader that it was read with. */
export interface Entrant extends StrategyConfig {
  readonly config: Config;
}

/** What one simulation showed of one strategy. Money in currency, amounts in shares. */
export interface SimulationResult {
  readonly seed: number;
  /** Shares x (true probability - price) of all fills, and its two parts: the luck of the settlement is not in it. */
  readonly edge: number;
  readonly uninformedEdge: number;
  readonly informedEdge: number;
  readonly fills: number;
  readonly shares: number;
  /** Orders placed and canceled. */
  readonly actions: number;
  /** Requests that the trader sent; null in a world without requests. */
  readonly requests: number | null;
  /** How often a limit of risk halted the trader; 0 in a world without one. */
  readonly halts: number;
  /** Cash and shares after settlement. */
  readonly wealth: number;
  /** What was won or lost after settlement. */
  readonly result: number;
  /** What the trader itself says that it won or lost, right before settlement; null in a world without one. */
  readonly reported: number | null;
  /** Largest fall of wealth at the true probability from its highest before. */
  readonly drawdown: number;
  /** Of the market; null where there are several. */
  readonly outcome: 0 | 1 | null;
  /** The rule that an action broke, or what stopped the strategy; null when nothing did. */
  readonly failure: string | null;
}

/** A market of which the truth is known. The same seed is the same market, whatever the maker does in it. */
export interface World {
  /** Lower case, as in `--world NAME`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** Those that change it; of the others it knows nothing. */
  readonly conditions: readonly ConditionName[];
  simulate(seed: number, entrant: Entrant, conditions: Conditions): SimulationResult | Promise<SimulationResult>;
}

export interface NamedSimulation extends SimulationResult {
  readonly world: string;
  readonly strategy: string;
}
