/** What a strategy is tried on, and what is said of it. */

import type { EventFacts, MarketFacts, MarketView, WholeEventView } from '../../trader/market/view.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import type { AnyEvent } from '../../trader/strategy/events.js';
import type { ParamValues } from '../../trader/strategy/params.js';

/** A strategy with the parameters that it is tried with. */
export interface TriedStrategy {
  readonly strategy: Strategy;
  readonly params: ParamValues;
}

/** One look at a market; `events` are told before its quotes are asked for. */
export interface ShownLook {
  readonly view: MarketView;
  readonly events: readonly AnyEvent[];
}

/** Looks at one market in the order of our clock; one quoter sees them all. */
export interface ShownMarket {
  readonly facts: MarketFacts;
  readonly looks: readonly ShownLook[];
}

/** One look at all markets of an event; what happened before it, in which market. */
export interface ShownEventLook {
  readonly view: WholeEventView;
  readonly events: readonly { readonly conditionId: string; readonly event: AnyEvent }[];
}

/** Looks at one event, for strategies that quote whole ones. */
export interface ShownEvent {
  readonly event: EventFacts;
  /** Whether none of its markets charges fees. */
  readonly isFree: boolean;
  readonly looks: readonly ShownEventLook[];
}

/** What one quoter sees. */
export type ShownSubject = ShownMarket | ShownEvent;

/** The markets or events of a trial. Both lists are as long, and one and its mirror stand at the same place. */
export interface ShownMarkets<S extends ShownSubject = ShownSubject> {
  readonly markets: readonly S[];
  /** The same with YES and NO exchanged; null where none can be made, as of a recording. */
  readonly mirrored: readonly S[] | null;
}

/** What one check found. `not asked`: what it needs is not there, and `text` says what. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: 'ok' | 'failed' | 'not asked';
  /** One sentence: how much was looked at, or the first thing that is wrong and where. */
  readonly text: string;
}
