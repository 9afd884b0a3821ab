/** What a strategy is tried on, and what is said of it. */

import type { MarketFacts, MarketView } from '../../trader/market/view.js';
import type { Strategy, StrategyEvent } from '../../trader/strategy/contract.js';
import type { ParamValues } from '../../trader/strategy/params.js';

/** A strategy with the parameters that it is tried with. */
export interface TriedStrategy {
  readonly strategy: Strategy;
  readonly params: ParamValues;
}

/** One look at a market; `events` are told before its quotes are asked for. */
export interface ShownLook {
  readonly view: MarketView;
  readonly events: readonly StrategyEvent[];
}

/** Looks at one market in the order of our clock; one quoter sees them all. */
export interface ShownMarket {
  readonly facts: MarketFacts;
  readonly looks: readonly ShownLook[];
}

/** The markets of a trial. Both lists are as long, and a market and its mirror stand at the same place. */
export interface ShownMarkets {
  readonly markets: readonly ShownMarket[];
  /** The same markets with YES and NO exchanged; null where none can be made, as of a recording. */
  readonly mirrored: readonly ShownMarket[] | null;
}

/** What one check found. `not asked`: what it needs is not there, and `text` says what. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: 'ok' | 'failed' | 'not asked';
  /** One sentence: how much was looked at, or the first thing that is wrong and where. */
  readonly text: string;
}
