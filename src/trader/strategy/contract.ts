/** The contract that strategies are written against. */

import type { Micros } from '../../shared/base/micros.js';
import type { EventFacts, MarketFacts, MarketView, WholeEventView } from '../market/view.js';
import type { AskedEvent, EventKind, StrategyEvent } from './events.js';
import type { ParamSpecs, ParamsOf, ParamValues } from './params.js';

/** One wish: this many shares at this price, in YES space. */
export interface QuoteLevel {
  /** On the market's tick, within its price limits (and 1 - price too: an ask may be worked as buying NO). */
  readonly priceMicros: Micros;
  /** Shares, on the market's lot, within its amount limits. */
  readonly amountMicros: Micros;
}

/** How many complete sets a strategy wants to have at hand, to sell either outcome out of. */
export interface SetsWish {
  /** Sets that are kept; what is missing is split from currency, in batches, within `max_core_sets`. 0 wants none. */
  readonly coreSharesMicros: Micros;
  /** `auto`: what is held beyond the core is merged; `never`: nothing is, until everything is flattened. */
  readonly merge: 'auto' | 'never';
}

/** What our side of the book should look like now. Not orders: the engine finds the fewest requests to get there. */
export interface Quotes {
  /** The strategy's fair YES price, which risk compares its quotes with; null when it has none (then no levels). */
  readonly fairMicros: Micros | null;
  /** Best (highest) first, prices strictly falling, at most `MAX_LEVELS`. */
  readonly bids: readonly QuoteLevel[];
  /** Best (lowest) first, prices strictly rising, at most `MAX_LEVELS`, all above the bids. */
  readonly asks: readonly QuoteLevel[];
  /** An order whose price is at most so many ticks off its level may stay (it keeps its place in the queue). */
  readonly keepWithinTicks: number;
  /** ... and whose size differs from its level by at most this part of the level, 0 to 1. */
  readonly keepWithinSizeFraction: number;
  /**
   * True: no tolerance. An order that is not at its level's price with its size is moved, whatever the two fields above and the price of
   * requests say. Absent: false.
   */
  readonly exact?: boolean;
  /**
   * What a share traded at the best level of a side is worth beyond its price, after what its price does next: currency, -1 to 1. Where
   * the worth of a market or of a change is judged it goes by this, at a further level by so much more as that is further off. Absent: by `fairMicros`.
   */
  readonly edge?: { readonly bid: number; readonly ask: number };
  /**
   * True: an order that would trade at once is not sent, by the newest poll and trade that were seen before its draft is
   * asked for and before it is signed. Absent: false.
   */
  readonly postOnly?: boolean;
  /**
   * The complete sets that it wants. It holds until quotes with a fair value say otherwise, over restarts too: a market that
   * is not quoted for a moment keeps its sets. Absent: none.
   */
  readonly sets?: SetsWish;
  /**
   * Our clock, ms: the strategy is asked again no later than this, and not later than it would be without. Absent: about
   * once a second, and with everything that is seen of the market.
   */
  readonly againMs?: number;
  /** One sentence for `explain`: why these quotes, or why none. */
  readonly note: string;
  /** The figures behind them by name, unit last, for `explain`; finite numbers. */
  readonly factors: Readonly<Record<string, number>>;
}

/** Levels a side; more cannot be kept fresh within the venue's request budget. */
export const MAX_LEVELS = 10;

/** No quotes, and why. Whatever rests is pulled. */
export const NO_QUOTES = (reason: string, factors: Readonly<Record<string, number>> = {}): Quotes => ({
  fairMicros: null,
  bids: [],
  asks: [],
  keepWithinTicks: 0,
  keepWithinSizeFraction: 0,
  note: reason,
  factors,
});

/** A strategy at work on one market. It may keep private state; it has no clock, no input or output, no randomness. */
export interface Quoter<K extends EventKind = 'fill', P = ParamValues> {
  quote(view: MarketView): Quotes;
  observe?(event: StrategyEvent<K>): void;
  /**
   * What `create` needs to go on from here: anything that JSON can hold, at most `MAX_STATE_BYTES` of it. Figures and texts
   * under `shown` are what `twinbook explain MARKET` prints. Called only for a module that declares `state`.
   */
  save?(): unknown;
  /**
   * Other parameters to go on with, between two steps: only where all that changed are declared with `live: 'now'` or `'requote'`. One that
   * throws, and one that has none, is replaced by another that is made from what it saved.
   */
  params?(next: P): void;
}

/** A strategy at work on all markets of one event that it quotes. What holds for a `Quoter` holds for it. */
export interface EventQuoter<K extends EventKind = 'fill', P = ParamValues> {
  /**
   * The quotes of every market in `view.markets`, by condition id: no more and no fewer. All of them are taken or none: what
   * throws, or is wrong in one market, silences the whole event.
   */
  quote(view: WholeEventView): Readonly<Record<string, Quotes>>;
  /** @param conditionId of the market in which it happened */
  observe?(event: StrategyEvent<K>, conditionId: string): void;
  /** As of a `Quoter`; kept once for the event. */
  save?(): unknown;
  /** As of a `Quoter`; called once for all markets of the event. */
  params?(next: P): void;
}

/** Of the saved state of one strategy in one market or event, as JSON. */
export const MAX_STATE_BYTES = 64 * 1024;

/** That a module's quoters can be saved. */
export interface StateDeclaration {
  /** Of the form of what `save` returns, 1 or more: what another version saved is never given to `create`. */
  readonly version: number;
}

/** What a module's views hold only if it asks for it, because it costs something to make. */
export interface InputsDeclaration {
  /** The other markets of its event: `MarketView.event`. */
  readonly event?: true;
}

/** What a quoter saved, and in which form. */
export interface SavedState {
  readonly version: number;
  /** JSON. */
  readonly text: string;
}

/** What both kinds of strategies declare. */
interface StrategyParts {
  /** Lower case with dashes, e.g. `log-odds-maker`. */
  readonly name: string;
  /** One sentence for the table of strategies. */
  readonly summary: string;
  readonly state?: StateDeclaration;
  readonly inputs?: InputsDeclaration;
  /** That it may meet what others offer, to get out of a position; absent: it never does. */
  readonly takes?: true;
  /** What `observe` is told of beside fills; absent: nothing. */
  readonly observes?: readonly AskedEvent[];
}

interface DefinitionParts<S extends ParamSpecs, K extends AskedEvent> extends StrategyParts {
  readonly params: S;
  readonly observes?: readonly K[];
  /** Relations between parameters that a range cannot say: null, or a sentence that names them. */
  check?(params: ParamsOf<S>): string | null;
}

/** What a module declares whose quoters quote one market each. */
export interface StrategyDefinition<S extends ParamSpecs, K extends AskedEvent = never> extends DefinitionParts<S, K> {
  readonly scope?: 'market';
  /**
   * One quoter for one market. Called again after every start: it must not assume that it is the first. `saved` is what a
   * quoter of the same `state` version saved last, absent when nothing was; what throws here begins anew without it.
   */
  create(params: ParamsOf<S>, market: MarketFacts, saved?: unknown): Quoter<'fill' | K, ParamsOf<S>>;
}

/** What a module declares whose quoters quote all markets of an event each. */
export interface EventStrategyDefinition<S extends ParamSpecs, K extends AskedEvent = never>
  extends DefinitionParts<S, K> {
  readonly scope: 'event';
  /** One quoter for one event; all else as for a market. */
  create(params: ParamsOf<S>, event: EventFacts, saved?: unknown): EventQuoter<'fill' | K, ParamsOf<S>>;
}

interface HostedParts extends StrategyParts {
  readonly params: ParamSpecs;
  check?(params: ParamValues): string | null;
}

/** A strategy of markets as its host sees it: make `ParamValues` with `readParams`, then `create`. */
export interface MarketStrategy extends HostedParts {
  readonly scope?: 'market';
  create(params: ParamValues, market: MarketFacts, saved?: unknown): Quoter<EventKind>;
}

/** The same of a strategy of whole events. */
export interface EventStrategy extends HostedParts {
  readonly scope: 'event';
  create(params: ParamValues, event: EventFacts, saved?: unknown): EventQuoter<EventKind>;
}

/** What a module exports by default. */
export type Strategy = MarketStrategy | EventStrategy;

/** Declares a strategy of whole events; all else as of one of markets. */
export function defineStrategy<const S extends ParamSpecs, const K extends AskedEvent = never>(
  definition: EventStrategyDefinition<S, K>,
): EventStrategy;
/**
 * Declares a strategy; a module's default export. The parameters' types follow from their declarations.
 * Throws nothing: the host checks what it is given with `strategyFrom`.
 */
export function defineStrategy<const S extends ParamSpecs, const K extends AskedEvent = never>(
  definition: StrategyDefinition<S, K>,
): MarketStrategy;
/** Both. */
export function defineStrategy(definition: unknown): Strategy {
  // The host calls `create` only with what `readParams` made from these very declarations.
  return definition as Strategy;
}
