/** Input and output of the arena: worlds, simulations, and results of a strategy. */

import type { Config, StrategyConfig } from '../../shell/config/config.js';
import type { ConditionName, Conditions } from './conditions.js';
import type { Tally } from './tally.js';

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
