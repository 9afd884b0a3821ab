/** The interface that strategies implement. */

import type { Micros } from '../../shared/base/micros.js';
import type { OwnFill } from '../market/own-activity.js';
import type { BookSide, EventFacts, MarketFacts, MarketView, WholeEventView } from '../market/view.js';

/** One wanted order level of a strategy, in YES prices. */
export interface QuoteLevel {
  /** YES price. This price and 1 - price must be valid multiples of the tick, because an ask may become a NO buy. */
  readonly priceMicros: Micros;
  /** Number of shares of the level: a multiple of the lot within the market's amount limits. */
  readonly amountMicros: Micros;
  /** True for a probe, an order sent after the others to gain information; absent: false. */
  readonly isProbe?: boolean;
}

/** Complete sets (one YES and one NO share each) that a strategy wants to hold, so that it can sell either outcome. */
export interface SetsWish {
  /** Number of sets to hold. Currency is split into missing sets in batches, up to `max_core_sets`. 0: no sets. */
  readonly coreSharesMicros: Micros;
  /** `auto`: sets beyond `coreSharesMicros` are merged into currency. `never`: only the mode `flatten` merges sets. */
  readonly merge: 'auto' | 'never';
}

/** Quotes: the own orders that a strategy wants in a market. The engine places them with few requests. */
export interface Quotes {
  /** Fair YES price, which risk compares with the quotes. Null: no fair price; no levels are valid. */
  readonly fairMicros: Micros | null;
  /** Wanted bids, highest price first, with strictly falling prices, at most `MAX_LEVELS`. */
  readonly bids: readonly QuoteLevel[];
  /** Wanted asks, lowest price first, with strictly rising prices above all bids, at most `MAX_LEVELS`. */
  readonly asks: readonly QuoteLevel[];
  /** Maximum distance between order and level, ticks, at which a resting order stays and keeps its queue position. */
  readonly keepWithinTicks: number;
  /** Maximum size difference between order and level at which the order stays, as a fraction of the level, 0 to 1. */
  readonly keepWithinSizeFraction: number;
  /** True: every order that differs from its level is replaced, regardless of tolerances and request prices. */
  readonly exact?: boolean;
  /**
   * Expected gain per share of a fill at a side's best level, less the price move after the fill; currency, -1 to 1.
   * The engine ranks markets and order changes by this gain. At a worse level, the gain is greater by the level's
   * distance from the best level. If absent, the engine derives the gain from `fairMicros`.
   */
  readonly edge?: { readonly bid: number; readonly ask: number };
  /** True: the checks before draft and signature reject an order that would trade at once; absent: false. */
  readonly postOnly?: boolean;
  /** Wanted complete sets, also after restarts. Absent: no sets, or unchanged if `fairMicros` is null. */
  readonly sets?: SetsWish;
  /** Latest time of the next `quote` call, our clock, ms; absent: a second later. New inputs cause an earlier call. */
  readonly againMs?: number;
  /** Reason for these quotes, or for the lack of quotes; one sentence for `twinbook explain`. */
  readonly note: string;
  /** Finite numbers that explain the quotes, for `twinbook explain`; each name ends with the unit. */
  readonly factors: Readonly<Record<string, number>>;
}

/** Maximum levels per side. The venue's request limits are too low to update more levels. */
export const MAX_LEVELS = 10;

/** Makes empty quotes with a reason. The engine then cancels all resting orders. */
export const NO_QUOTES = (reason: string, factors: Readonly<Record<string, number>> = {}): Quotes => ({
  fairMicros: null,
  bids: [],
  asks: [],
  keepWithinTicks: 0,
  keepWithinSizeFraction: 0,
  note: reason,
  factors,
});

/** A running strategy in one market. A quoter may keep state, but must not use a clock, input, output or randomness. */
export interface Quoter<K extends EventKind = 'fill', P = ParamValues> {
  quote(view: MarketView): Quotes;
  observe?(event: StrategyEvent<K>): void;
  /**
   * Returns the state from which `create` can continue: any JSON value of at most `MAX_STATE_BYTES`. `twinbook explain
   * MARKET` prints the values under the state's key `shown`. `save` is called only if the module declares `state`.
   */
  save?(): unknown;
  /** Receives new parameters of the class `now` or `requote`. If `params` is absent or throws, a new quoter is made. */
  params?(next: P): void;
}

/** A running strategy in all quoted markets of one event. It follows the rules of `Quoter`. */
export interface EventQuoter<K extends EventKind = 'fill', P = ParamValues> {
  /** Quotes of the markets in `view.markets`, by condition id. An error in one entry discards all quotes. */
  quote(view: WholeEventView): Readonly<Record<string, Quotes>>;
  /** @param conditionId market to which the observed event belongs */
  observe?(event: StrategyEvent<K>, conditionId: string): void;
  /** Returns the state as `Quoter.save` does. The quoter's state is saved once per event. */
  save?(): unknown;
  /** Receives new parameters as `Quoter.params` does. This method is called once for all markets of the event. */
  params?(next: P): void;
}

/** Maximum size of the saved state of one strategy in one market or event, as JSON. */
export const MAX_STATE_BYTES = 64 * 1024;

/** Declares that the state of a module's quoters can be saved. */
export interface StateDeclaration {
  /** Version of the format that `save` returns, 1 or more. `create` receives only state of this version. */
  readonly version: number;
}

/** Optional parts of the market views that a module gets. Each optional part costs computing time. */
export interface InputsDeclaration {
  /** True: `MarketView.event` holds the other markets of the event. */
  readonly event?: true;
}

/** Saved state of a quoter, and the version of its format. */
export interface SavedState {
  readonly version: number;
  /** JSON. */
  readonly text: string;
}

/** Declarations common to strategies of markets and of events. */
interface StrategyParts {
  /** Name in lower case with dashes, for example `log-odds-maker`. */
  readonly name: string;
  /** One sentence for the table of strategies. */
  readonly summary: string;
  readonly state?: StateDeclaration;
  readonly inputs?: InputsDeclaration;
  /** True if the strategy may take others' orders to close a position; absent: false. */
  readonly takes?: true;
  /** Kinds of events that `observe` receives besides fills; absent: only fills. */
  readonly observes?: readonly AskedEvent[];
}

interface DefinitionParts<S extends ParamSpecs, K extends AskedEvent> extends StrategyParts {
  readonly params: S;
  readonly observes?: readonly K[];
  /** Checks relations between parameters. Returns null if they are valid, else a sentence that names the parameters. */
  check?(params: ParamsOf<S>): string | null;
}

/** Declarations of a strategy with one quoter per market. */
export interface StrategyDefinition<S extends ParamSpecs, K extends AskedEvent = never> extends DefinitionParts<S, K> {
  readonly scope?: 'market';
  /**
   * Makes a quoter for one market; called after every trader start. `saved` is the quoter's newest saved state of the
   * declared version, if any. If `create` throws with a saved state, `create` is called again without the state.
   */
  create(params: ParamsOf<S>, market: MarketFacts, saved?: unknown): Quoter<'fill' | K, ParamsOf<S>>;
}

/** Declarations of a strategy with one quoter per event. */
export interface EventStrategyDefinition<S extends ParamSpecs, K extends AskedEvent = never>
  extends DefinitionParts<S, K> {
  readonly scope: 'event';
  /** Makes a quoter for one event, by the rules of `StrategyDefinition.create`. */
  create(params: ParamsOf<S>, event: EventFacts, saved?: unknown): EventQuoter<'fill' | K, ParamsOf<S>>;
}

interface HostedParts extends StrategyParts {
  readonly params: ParamSpecs;
  check?(params: ParamValues): string | null;
}

/** A strategy with one quoter per market, as the engine uses it. `readParams` makes the `params` for `create`. */
export interface MarketStrategy extends HostedParts {
  readonly scope?: 'market';
  create(params: ParamValues, market: MarketFacts, saved?: unknown): Quoter<EventKind>;
}

/** A strategy with one quoter per event, as the engine uses it. */
export interface EventStrategy extends HostedParts {
  readonly scope: 'event';
  create(params: ParamValues, event: EventFacts, saved?: unknown): EventQuoter<EventKind>;
}

/** The default export of a strategy module. */
export type Strategy = MarketStrategy | EventStrategy;

/** Declares a strategy that quotes whole events. A module exports the result as its default. */
export function defineStrategy<const S extends ParamSpecs, const K extends AskedEvent = never>(
  definition: EventStrategyDefinition<S, K>,
): EventStrategy;
/** Declares a strategy that quotes single markets. A module exports the result as its default. */
export function defineStrategy<const S extends ParamSpecs, const K extends AskedEvent = never>(
  definition: StrategyDefinition<S, K>,
): MarketStrategy;
/** Implements both overloads of `defineStrategy`. */
export function defineStrategy(definition: unknown): Strategy {
  // The cast is safe: the host calls `create` only with parameters from `readParams` for these declarations.
  return definition as Strategy;
}

/** Ways to apply a changed parameter, least disruptive first; see `Described.live`. */
export const LIVE_CLASSES = ['now', 'requote', 'restart'] as const;
/** How a running trader applies a new value of a parameter. */
export type LiveClass = (typeof LIVE_CLASSES)[number];

interface Described {
  /**
   * `now`: the quoter receives the new parameters by `Quoter.params` and keeps its orders. `requote`: the quoter
   * receives them too, and all resting orders are replaced. `restart`: a new quoter is made from the saved state.
   * Absent: `restart`. A quoter without a method `params` is always replaced.
   */
  readonly live?: LiveClass;
  /** Description of the parameter for tables and error messages, one sentence. */
  readonly help: string;
}

/** Parameter that is neither money nor shares, such as a factor or a count, written as a YAML number. */
export interface NumericParam extends Described {
  /** `integer` accepts only whole numbers. */
  readonly kind: 'integer' | 'number';
  /** Unit of the parameter, such as `ticks`, `ms`, `s` or `levels`. */
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** Parameter that is a number of shares, written as a decimal string (`"25"`) and received as Micros. */
export interface SharesParam extends Described {
  readonly kind: 'shares';
  readonly min: string;
  readonly max: string;
  readonly default: string;
}

/** Parameter that is `true` or `false`. */
export interface BooleanParam extends Described {
  readonly kind: 'boolean';
  readonly default: boolean;
}

/** Parameter whose value is one of the words in `choices`. */
export interface ChoiceParam<T extends string = string> extends Described {
  readonly kind: 'choice';
  readonly choices: readonly T[];
  readonly default: NoInfer<T>;
}

/** Parameter that names a feed of the trader's file. `MarketView.feeds` holds the feed's value under this name. */
export interface FeedParam extends Described {
  readonly kind: 'feed';
  /** If true, the feed's name may be `""`, which means no feed. If absent, a name is required. */
  readonly optional?: true;
  readonly default: string;
}

/** Union of the kinds of parameters that hold one value. */
export type FieldSpec = NumericParam | SharesParam | BooleanParam | ChoiceParam | FeedParam;
/** Declarations of the fields of a row, by name. */
export type FieldSpecs = Readonly<Record<string, FieldSpec>>;

/** Parameter that is a list of rows with the same fields, for example bands. A missing field takes its default. */
export interface RowsParam<F extends FieldSpecs = FieldSpecs> extends Described {
  readonly kind: 'rows';
  readonly fields: F;
  readonly minRows: number;
  readonly maxRows: number;
  readonly default: readonly NoInfer<Readonly<{ [K in keyof F]?: unknown }>>[];
}

/** Union of all kinds of parameters: one value, or a list of rows. */
export type ParamSpec = FieldSpec | RowsParam;
/** Declarations of all parameters of a strategy, by their names under `params:` in the strategy file. */
export type ParamSpecs = Readonly<Record<string, ParamSpec>>;

type FieldValueOf<S> = S extends { kind: 'integer' | 'number' }
  ? number
  : S extends { kind: 'shares' }
    ? Micros
    : S extends { kind: 'boolean' }
      ? boolean
      : S extends { kind: 'choice'; choices: readonly (infer T)[] }
        ? T
        : S extends { kind: 'feed' }
          ? string
          : never;

type ValueOf<S> = S extends { kind: 'rows'; fields: infer F }
  ? readonly { readonly [K in keyof F]: FieldValueOf<F[K]> }[]
  : FieldValueOf<S>;

/** Type of the parameter values that `create` receives, derived from the parameter declarations. */
export type ParamsOf<S extends ParamSpecs> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** The parsed value of a field: shares as Micros, other values as written in the file. */
export type FieldValue = number | boolean | string;
/** The parsed value of a parameter: one value, or the rows of a list. */
export type ParamValue = FieldValue | readonly Readonly<Record<string, FieldValue>>[];
/** All parsed parameters by name, defaults filled in; frozen. */
export type ParamValues = Readonly<Record<string, ParamValue>>;

/** Kinds of events to which `observes` can subscribe; every quoter receives fills. */
export const ASKED_EVENTS = ['rested', 'canceled', 'refused', 'merged', 'split', 'resolved', 'jump', 'feed'] as const;
/** A kind of event that only subscribed modules receive. */
export type AskedEvent = (typeof ASKED_EVENTS)[number];
/** Union of all kinds of events. */
export type EventKind = 'fill' | AskedEvent;

/** Fields by which an event identifies an order of this strategy. */
interface OfOrder {
  /** The trader's id of the order, as in `MarketView.orders`. */
  readonly intentId: string;
  /** Side and YES price of the order; a `bid` buys YES or sells NO. */
  readonly side: BookSide;
  readonly priceMicros: Micros;
}

/** Fields of each kind of event, besides `kind` and `nowMs`. */
interface Said {
  /** Shares of an order of this strategy were traded. */
  readonly fill: Omit<OwnFill, 'nowMs'> & { readonly isMaker: boolean };
  /** The exchange has reported that an order is open, or that it was open before its fill. */
  readonly rested: OfOrder & { readonly amountMicros: Micros };
  /** A resting order was canceled by the trader or the exchange, or expired, before it was filled completely. */
  readonly canceled: OfOrder & {
    /** Unfilled shares of the order, by the exchange's record. */
    readonly leftMicros: Micros;
  };
  /** The exchange rejected a request for this order. Unsent, throttled and withdrawn requests cause no such event. */
  readonly refused: {
    readonly what: 'place' | 'cancel' | 'merge' | 'split' | 'redeem';
    /** Reason of the rejection: an error slug; `failed` or `expired` for a draft; or `post_only`. */
    readonly slug: string;
  };
  /** A number of complete sets of this market was merged into currency, by any strategy. */
  readonly merged: { readonly amountMicros: Micros };
  /** Currency was split into a number of complete sets of this market, by any strategy. */
  readonly split: { readonly amountMicros: Micros };
  /** The event's market is settled. `resolved`: one outcome has won. `canceled`: the exchange canceled the market. */
  readonly resolved: { readonly phase: 'resolved' | 'canceled' };
  /** The mid price of others' orders jumped by this signed change between two polls (`Health.sinceJumpMs` is 0). */
  readonly jump: { readonly changeLogOdds: number };
  /** A feed named in the strategy's parameters has a new value for this market, which `MarketView.feeds` holds. */
  readonly feed: { readonly feed: string };
}

/** Event of one of the kinds `K`. */
export type StrategyEvent<K extends EventKind = 'fill'> = {
  readonly [Each in K]: {
    readonly kind: Each;
    /** Time when the trader learned of the event, our clock, ms. */
    readonly nowMs: number;
  } & Said[Each];
}[K];

/** Event of any kind that a quoter can receive. */
export type AnyEvent = StrategyEvent<EventKind>;
