/** What the arena is told and what comes out: worlds, simulations, and what they say of a strategy. */

import type { StrategyConfig } from '../../shell/config/types.js';

/** A strategy as it enters: a strategy file, read. */
export type Entrant = Pick<StrategyConfig, 'name' | 'module' | 'params'>;

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
  /** Cash and shares after settlement. */
  readonly wealth: number;
  /** What was won or lost after settlement. */
  readonly result: number;
  /** Largest fall of wealth at the true probability from its highest before. */
  readonly drawdown: number;
  readonly outcome: 0 | 1;
  /** The rule that an action broke, or what stopped the strategy; null when nothing did. */
  readonly failure: string | null;
}

/** A market of which the truth is known. The same seed is the same market, whatever the maker does in it. */
export interface World {
  /** Lower case, as in `--world NAME`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  simulate(seed: number, entrant: Entrant): SimulationResult;
}

/** A mean over simulations; the standard error is null below two of them. */
export interface Mean {
  readonly mean: number;
  readonly standardError: number | null;
}

/** What all simulations say of one strategy in one world. */
export interface Standing {
  readonly world: string;
  readonly strategy: string;
  readonly simulations: number;
  readonly edge: Mean;
  readonly uninformedEdge: Mean;
  readonly informedEdge: Mean;
  readonly belowZero: number;
  readonly fills: Mean;
  readonly shares: Mean;
  readonly actions: Mean;
  readonly result: Mean;
  readonly drawdown: Mean;
  /** Simulations that ended early, and the first reason. */
  readonly failed: number;
  readonly firstFailure: string | null;
}

/** Edge of one strategy minus that of another over the same seeds. */
export interface EdgeDifference {
  readonly world: string;
  readonly strategy: string;
  readonly against: string;
  readonly edge: Mean;
  readonly better: number;
  readonly simulations: number;
}

export interface ArenaResult {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly standings: readonly Standing[];
  readonly differences: readonly EdgeDifference[];
  /** Every simulation: by world, then strategy, then seed. */
  readonly simulations: readonly (SimulationResult & { readonly world: string; readonly strategy: string })[];
}
