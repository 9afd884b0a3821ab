/** The contract that strategies are written against. */

import type { Micros } from '../../shared/base/micros.js';
import type { EventFacts, MarketFacts, MarketView, WholeEventView } from '../market/view.js';
import type { AskedEvent, EventKind, StrategyEvent } from './events.js';
import type { ParamSpecs, ParamsOf, ParamValues } from './params.js';

/** Wanted shares at a price, in YES space. */
export interface QuoteLevel {
  /** On the market's tick, within its price limits (1 - price too: an ask may be worked as a buy of NO). */
  readonly priceMicros: Micros;
  /** Shares, on the market's lot, within its amount limits. */
  readonly amountMicros: Micros;
  /** True: a probe, which is sent for information. Orders that are no probes are sent first. Absent: false. */
  readonly isProbe?: boolean;
}

/** Complete sets that a strategy wants to hold, to sell either outcome. */
export interface SetsWish {
  /** Sets to hold; missing ones are split from currency in batches, within `max_core_sets`. 0: none. */
  readonly coreSharesMicros: Micros;
  /** `auto`: sets beyond the core are merged. `never`: none are, until everything is flattened. */
  readonly merge: 'auto' | 'never';
}

/** Our wanted side of the book. Not orders: the engine finds the fewest requests to get there. */
export interface Quotes {
  /** The strategy's fair YES price; risk compares its quotes with it. Null without one: then no levels. */
  readonly fairMicros: Micros | null;
  /** Best (highest) first, prices strictly falling, at most `MAX_LEVELS`. */
  readonly bids: readonly QuoteLevel[];
  /** Best (lowest) first, prices strictly rising, at most `MAX_LEVELS`, all above the bids. */
  readonly asks: readonly QuoteLevel[];
  /**
   * Maximum distance in ticks between an order and its level at which the order may stay and keep its place in the
   * queue.
   */
  readonly keepWithinTicks: number;
  /** Maximum difference in size at which it may stay, as a fraction of the level, 0 to 1. */
  readonly keepWithinSizeFraction: number;
  /**
   * True: no tolerance. An order that differs from its level in price or size is moved, whatever the two fields above
   * and the price of requests. Absent: false.
   */
  readonly exact?: boolean;
  /**
   * Value of a share traded at a side's best level beyond its price, after the following price move: currency, -1 to 1.
   * Values of markets and of changes use it; a further level is worth more by its distance. Absent: by `fairMicros`.
   */
  readonly edge?: { readonly bid: number; readonly ask: number };
  /**
   * True: an order that would trade at once is not sent, by the newest poll and trade before its draft is requested and
   * before it is signed. Absent: false.
   */
  readonly postOnly?: boolean;
  /**
   * Wanted complete sets. The wish holds until later quotes with a fair value change it, also over restarts: a market
   * that is not quoted for a moment keeps its sets. Absent: none.
   */
  readonly sets?: SetsWish;
  /** Our clock, ms, of the latest next turn. Absent: about once a second, and with every observation of the market. */
  readonly againMs?: number;
  /** One sentence for `explain`: the reason for these quotes, or for none. */
  readonly note: string;
  /** Figures behind them by name, unit last, for `explain`; finite numbers. */
  readonly factors: Readonly<Record<string, number>>;
}

/** Levels per side; more cannot be kept fresh within the venue's request budget. */
export const MAX_LEVELS = 10;

/** No quotes, with the reason. All resting orders are pulled. */
export const NO_QUOTES = (reason: string, factors: Readonly<Record<string, number>> = {}): Quotes => ({
  fairMicros: null,
  bids: [],
  asks: [],
  keepWithinTicks: 0,
  keepWithinSizeFraction: 0,
  note: reason,
  factors,
});

/** A strategy at work in one market. It may have private state; it has no clock, no input or output, no randomness. */
export interface Quoter<K extends EventKind = 'fill', P = ParamValues> {
  quote(view: MarketView): Quotes;
  observe?(event: StrategyEvent<K>): void;
  /**
   * What `create` needs to go on from here: anything that JSON can hold, at most `MAX_STATE_BYTES` of it. Figures and texts
   * under `shown` are what `twinbook explain MARKET` prints. Called only for a module that declares `state`.
   */
  save?(): unknown;
  /**
   * Takes new parameters between two steps, if every changed one is declared with `live: 'now'` or `'requote'`. If it
   * throws or is missing, a new quoter is made from the saved state.
   */
  params?(next: P): void;
}

/** A strategy at work in all quoted markets of one event. Rules as for a `Quoter`. */
export interface EventQuoter<K extends EventKind = 'fill', P = ParamValues> {
  /**
   * Quotes of every market in `view.markets`, by condition id: exactly these. All are used or none: an error in one
   * market silences the whole event.
   */
  quote(view: WholeEventView): Readonly<Record<string, Quotes>>;
  /** @param conditionId market of the event */
  observe?(event: StrategyEvent<K>, conditionId: string): void;
  /** As for a `Quoter`; saved once for the event. */
  save?(): unknown;
  /** As for a `Quoter`; called once for all markets of the event. */
  params?(next: P): void;
}

/** Maximum size of the saved state of one strategy in one market or event, as JSON. */
export const MAX_STATE_BYTES = 64 * 1024;

/** Declares that a module's quoters can be saved. */
export interface StateDeclaration {
  /** Version of the format of `save`, 1 or more: `create` never gets state of another version. */
  readonly version: number;
}

/** Parts of a module's views that cost something to make, and are there only on request. */
export interface InputsDeclaration {
  /** The other markets of its event: `MarketView.event`. */
  readonly event?: true;
}

/** Saved state of a quoter, and the version of its form. */
export interface SavedState {
  readonly version: number;
  /** JSON. */
  readonly text: string;
}

/** Declarations of both kinds of strategies. */
interface StrategyParts {
  /** Lower case with dashes, for example `log-odds-maker`. */
  readonly name: string;
  /** One sentence for the table of strategies. */
  readonly summary: string;
  readonly state?: StateDeclaration;
  readonly inputs?: InputsDeclaration;
  /** The strategy may take others' offers to close a position; absent: it never does. */
  readonly takes?: true;
  /** Events that `observe` gets beside fills; absent: none. */
  readonly observes?: readonly AskedEvent[];
}

interface DefinitionParts<S extends ParamSpecs, K extends AskedEvent> extends StrategyParts {
  readonly params: S;
  readonly observes?: readonly K[];
  /** Checks relations between parameters: null, or a sentence that names them. */
  check?(params: ParamsOf<S>): string | null;
}

/** Declarations of a module whose quoters quote one market each. */
export interface StrategyDefinition<S extends ParamSpecs, K extends AskedEvent = never> extends DefinitionParts<S, K> {
  readonly scope?: 'market';
  /**
   * A quoter for one market; called again after every start. `saved` is the newest state of the same `state` version,
   * absent without one. If it throws with `saved`, it is called again without.
   */
  create(params: ParamsOf<S>, market: MarketFacts, saved?: unknown): Quoter<'fill' | K, ParamsOf<S>>;
}

/** Declarations of a module whose quoters quote all markets of an event each. */
export interface EventStrategyDefinition<S extends ParamSpecs, K extends AskedEvent = never>
  extends DefinitionParts<S, K> {
  readonly scope: 'event';
  /** A quoter for one event; otherwise as for a market. */
  create(params: ParamsOf<S>, event: EventFacts, saved?: unknown): EventQuoter<'fill' | K, ParamsOf<S>>;
}

interface HostedParts extends StrategyParts {
  readonly params: ParamSpecs;
  check?(params: ParamValues): string | null;
}

/** A strategy of markets, for its host: make `ParamValues` with `readParams`, then call `create`. */
export interface MarketStrategy extends HostedParts {
  readonly scope?: 'market';
  create(params: ParamValues, market: MarketFacts, saved?: unknown): Quoter<EventKind>;
}

/** The same for a strategy of whole events. */
export interface EventStrategy extends HostedParts {
  readonly scope: 'event';
  create(params: ParamValues, event: EventFacts, saved?: unknown): EventQuoter<EventKind>;
}

/** Default export of a module. */
export type Strategy = MarketStrategy | EventStrategy;

/** Declares a strategy of whole events; otherwise as for one of markets. */
export function defineStrategy<const S extends ParamSpecs, const K extends AskedEvent = never>(
  definition: EventStrategyDefinition<S, K>,
): EventStrategy;
/**
 * Declares a strategy, as a module's default export. Parameter types follow from the declarations. Throws nothing: the
 * host checks the value with `strategyFrom`.
 */
export function defineStrategy<const S extends ParamSpecs, const K extends AskedEvent = never>(
  definition: StrategyDefinition<S, K>,
): MarketStrategy;
/** Both. */
export function defineStrategy(definition: unknown): Strategy {
  // The host calls `create` only with the result of `readParams` for these declarations.
  return definition as Strategy;
}
