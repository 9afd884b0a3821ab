/** Types that describe a market at one moment, for strategies, risk and the engine. */

import type { FeeSchedule } from '../../shared/base/fees.js';
import type { Micros } from '../../shared/base/micros.js';
import type { FeedValue } from '../../shared/protocol/seam.js';
import type { MarketState as MarketPhase } from '../../shared/protocol/states.js';

/** Side of the YES book. A bid buys YES (or sells NO); an ask sells YES (or buys NO at 1 - price). */
export type BookSide = 'bid' | 'ask';

/** Facts from the market's detail. Only order-book markets without margin have these facts. */
export interface MarketFacts {
  readonly conditionId: string;
  /** The market's event, or null. Markets of one event exclude or imply each other. */
  readonly eventConditionId: string | null;
  readonly title: string;
  readonly category: string | null;
  readonly phase: MarketPhase;
  /** Smallest price step: 10^-price_precision. */
  readonly tickMicros: Micros;
  /** Smallest step of an amount, in shares: 10^-amount_precision. */
  readonly lotMicros: Micros;
  /** Lowest and highest order price, inclusive, in the order's own outcome space. */
  readonly minPriceMicros: Micros;
  readonly maxPriceMicros: Micros;
  /** Smallest and largest amount of one order, in shares, inclusive. */
  readonly minAmountMicros: Micros;
  readonly maxAmountMicros: Micros;
  /** Fee as a fraction of the base in `feeSchedule`, usually price x amount: 0.01 is 10000. */
  readonly makerFeeRateMicros: Micros;
  readonly takerFeeRateMicros: Micros;
  readonly feeSchedule: FeeSchedule;
  /** Exchange clock, ms; null without a resolution time. */
  readonly resolutionTimeMs: number | null;
}

/** Total amount at one price of a book. */
export interface BookLevel {
  readonly priceMicros: Micros;
  /** Number of shares at this price, above 0. */
  readonly amountMicros: Micros;
}

/** The book in YES space, best level first. At most 100 levels per side. */
export interface Book {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** Times of a poll: sent and answered (our clock, ms), and the exchange's time in the answer (resolution 1 s). */
export interface SeenAt {
  /** Increases with every request of a process; orders answers even after our clock is set back. */
  readonly requestId: number;
  readonly sentMs: number;
  readonly seenMs: number;
  readonly venueTimeMs: number | null;
}

/** A public trade in YES space: a NO price p is a YES price 1 - p. */
export interface TapeTrade {
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  /** `buy` lifted an ask, `sell` hit a bid. Inferred from the book, because trade rows omit it. */
  readonly taker: 'buy' | 'sell';
  /** Exchange clock, ms (resolution 1 s). */
  readonly venueTimeMs: number;
  /** Our clock, ms, when the first answer with this trade arrived. */
  readonly seenMs: number;
}

/** An own order that rests or may rest: in flight, open, partly filled, being canceled, or unknown. */
export interface OwnOrder {
  readonly intentId: string;
  /** True for a probe, an order sent to gain information; absent: false. */
  readonly isProbe?: boolean;
  readonly side: BookSide;
  /** YES price, also for an order of NO. */
  readonly priceMicros: Micros;
  /** Unfilled shares, by current knowledge. */
  readonly remainingMicros: Micros;
  /** Outcome of the order: a bid buys YES or sells NO, an ask sells YES or buys NO. */
  readonly isYes: boolean;
  /** Our clock, ms, when the order was submitted. Earlier books cannot contain it. */
  readonly submittedMs: number;
  /** Our clock, ms, of the exchange's acceptance; null while in flight or unknown. */
  readonly acceptedMs: number | null;
}

/** Own state in one market, from the ledger; the engine passes it in. */
export interface OwnMarketState {
  /** Held shares, including shares locked by orders and conversions. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  /** Average cost per held share; null without shares. */
  readonly avgYesCostMicros: Micros | null;
  readonly avgNoCostMicros: Micros | null;
  /** Currency that this market's orders may still use. */
  readonly availableFundsMicros: Micros;
  /** Limit of |YES - NO| in shares, enforced by risk. Strategies quote less near this limit. */
  readonly maxPositionMicros: Micros;
  /** Stance of the kill ladder: quote normally, wider, or only to reduce the net position. */
  readonly stance: Stance;
  readonly orders: readonly OwnOrder[];
}

/** How a strategy may quote: normally, further from the fair price, or only to reduce its holdings. */
export type Stance = 'normal' | 'widen' | 'reduce-only';

/** An own order as a strategy sees it, with its place in the queue. */
export interface OwnOrderView extends OwnOrder {
  /** Estimated shares of others ahead of the order at its price; null before a book with its level. */
  readonly queueAheadMicros: Micros | null;
  /** Time since the order was submitted, ms. */
  readonly ageMs: number;
}

/** Own state in one market: shares, average cost, and remaining limits. */
export interface Inventory extends Omit<OwnMarketState, 'stance' | 'orders'> {
  /** YES - NO in shares: positive means a gain if the market resolves YES. */
  readonly netMicros: Micros;
  /** Complete sets: min(YES, NO), worth 1 each in any resolution. */
  readonly pairsMicros: Micros;
}

/** Estimates from others' orders and trades. Floats: for a strategy's arithmetic, never for money. */
export interface Estimates {
  /** Mid of best bid and ask, a probability in (0, 1); null when a side is empty or the book is crossed. */
  readonly mid: number | null;
  /** (ask x bid size + bid x ask size) / (bid size + ask size) over the best levels; null like `mid`. */
  readonly microprice: number | null;
  /** Best ask - best bid, in price; null like `mid`. */
  readonly spread: number | null;
  /** Volatility of ln(p / (1 - p)) per square root of a second; at least a floor. */
  readonly sigmaLogOddsPerSqrtS: number;
  /** Volatility of the price per square root of a second: sigma x p (1 - p) at the microprice, else at last trades. */
  readonly sigmaPricePerSqrtS: number;
  /** Size-weighted mean price of recent trades, decaying; null before the first trade. */
  readonly tradePrice: number | null;
  /** Decayed shares behind `tradePrice`; 0 before the first trade. */
  readonly tradeWeightShares: number;
  /** Decayed taker buys minus sells over their sum, in [-1, 1]; 0 without trades. */
  readonly flowImbalance: number;
  /** Decayed taker volume, in shares per second. */
  readonly flowSharesPerS: number;
}

/** Signs that the market's data is old or implausible. */
export interface Health {
  /** Upper bound of the age of the newest book, ms: now minus the time its poll was sent. */
  readonly bookAgeMs: number;
  /** Upper bound of the age of the newest trade list, ms; null before the first. */
  readonly tradesAgeMs: number | null;
  /** Time since a poll last showed a changed book, ms. */
  readonly unchangedMs: number;
  /** True if the best bid is above the best ask in the newest raw book. */
  readonly crossed: boolean;
  /** True if the best bid equals the best ask. */
  readonly locked: boolean;
  /** True if repeated trades went through the best prices while the book did not change. */
  readonly frozen: boolean;
  /** |change| of the log-odds of the mid between the last two books; 0 with fewer than two. */
  readonly jumpLogOdds: number;
  /** Milliseconds since the last change larger than `JUMP_SIGMAS` sigmas and `JUMP_MIN_LOG_ODDS`; null if never. */
  readonly sinceJumpMs: number | null;
  /** Levels dropped from the newest answer: price outside (0, 1) or no size. 0 for a valid one. */
  readonly droppedLevels: number;
}

/** A feed's current value for this market and its age. Prices and `sd` as in `FeedValue`. */
export interface FeedView extends Omit<FeedValue, 'conditionId'> {
  /** Age of the value, ms. */
  readonly ageMs: number;
}

/** Values of the feeds that a strategy's parameters name. Missing, late or expired values are absent. */
export type FeedViews = Readonly<Record<string, FeedView>>;

/** Takers of a market, from its public trades. Floats: for a strategy's arithmetic, never for money. */
export interface FlowView {
  /** Public trades per second; mostly the prior until many were seen. */
  readonly tradesPerS: number;
  /** Mean size of `MarketView.trades`, in shares; null without any. */
  readonly meanTradeShares: number | null;
  /**
   * Decay of takers with distance d (price) from the mid of others' book: exp(-kappa d), one over the mean distance of
   * trades. Prior: its category's decay, else 2 ticks. Half-life one hour.
   */
  readonly kappa: number;
  /** Further move of the mid, in price, after a taker took a whole best level; prior as for `kappa`, else 1.5 ticks. */
  readonly sweepMovePrice: number;
}

/** How often this trader reads the market, how fast it reacts, and its prices of reads, requests and currency. */
export interface PaceView {
  /** Mean seconds between recent reads of its book; null before the second. */
  readonly lookEveryS: number | null;
  /** Seconds from the decision on an order until it is seen resting, a recent mean over all markets; initially 2. */
  readonly reactS: number;
  /** Currency value of one more book read; 0 while reads are plentiful, and before the first valuation (a minute). */
  readonly readPrice: number;
  /** Currency value of one signed request; at least `economics.request_price`. */
  readonly requestPrice: number;
  /** Cost of binding one unit of currency for one second; at least `economics.currency_price_per_day` for a day. */
  readonly currencyPricePerS: number;
}

/** Gain per share of own fills on one side after some time (markout), by the fair price of others' book. */
export interface MarkoutView {
  /** Seconds after the fill was known: 5, 30 or 300. */
  readonly horizonS: number;
  /** Mean over shares, price: positive means that the fills had gained by then; null without fills. */
  readonly meanPrice: number | null;
  /** Judged shares, with a half-life of a day: the weight behind the mean. */
  readonly shares: number;
}

/** Results of own fills in a market, over restarts. Floats: for a strategy's arithmetic, never for money. */
export interface OwnFillsView {
  /** Own fills per second of observation, with a half-life of a day; null before a minute of observation. */
  readonly fillsPerS: number | null;
  /** Markouts by filled side, shortest horizon first. */
  readonly markouts: Readonly<Record<BookSide, readonly MarkoutView[]>>;
}

/** Summary of a market for strategies that quote another market of its event. Others' prices, without own orders. */
export interface Glance {
  readonly conditionId: string;
  /** Mid of best bid and ask; null when a side is empty, or before the first book. */
  readonly mid: number | null;
  readonly bid: number | null;
  readonly ask: number | null;
  /** Age of the newest book, ms; null before the first. */
  readonly bookAgeMs: number | null;
  readonly sigmaLogOddsPerSqrtS: number;
  /** Time since the market's last jump, ms; null without a jump. */
  readonly sinceJumpMs: number | null;
  /** True if the market is open and its book is not crossed, locked or frozen. */
  readonly isSound: boolean;
}

/** Another market of the same event, with own state there. */
export interface SiblingView extends Glance {
  /** Own net position in the market: YES - NO, in shares. */
  readonly netMicros: Micros;
  /** Prices of the best own orders there, resting or in flight, in YES space; null without an order. */
  readonly ownBidMicros: Micros | null;
  readonly ownAskMicros: Micros | null;
}

/** Facts of an event besides its markets. */
export interface EventFacts {
  readonly eventConditionId: string;
  /** Declared outcomes of the event, from the trader's file: the venue does not report them. Null if undeclared. */
  readonly outcomes: EventOutcomes | null;
  /** All its markets in the declared order; empty if undeclared. */
  readonly marketConditionIds: readonly string[];
}

/**
 * Relation between the outcomes of an event. `exclusive`: at most one market resolves YES. `exhaustive`: exactly one
 * does. `nested`: a market resolves YES only if the market declared before it does ("above 50", "above 60").
 */
export type EventOutcomes = 'exclusive' | 'exhaustive' | 'nested';

/** The event of a market and its other tracked markets. */
export interface EventView {
  readonly eventConditionId: string;
  /** Declared outcomes of the event; null if undeclared. */
  readonly outcomes: EventOutcomes | null;
  /** Number of the event's markets, including this market; null if unknown. */
  readonly markets: number | null;
  readonly siblings: readonly SiblingView[];
}

/** A strategy's complete input. The view is frozen, and its books are copies. Equal observations give equal views. */
export interface MarketView {
  /** Our clock, ms. */
  readonly nowMs: number;
  /** Milliseconds to resolution by the estimated exchange clock, <= 0 when past; null when unknown. */
  readonly timeToResolutionMs: number | null;
  readonly market: MarketFacts;
  /** The book as received, with own orders. */
  readonly book: Book;
  /** The book without own orders: compute fair values from this one only. */
  readonly others: Book;
  /** Public trades, newest first, at most 100. */
  readonly trades: readonly TapeTrade[];
  readonly estimates: Estimates;
  readonly health: Health;
  readonly inventory: Inventory;
  readonly stance: Stance;
  readonly orders: readonly OwnOrderView[];
  readonly feeds: FeedViews;
  readonly flow: FlowView;
  readonly pace: PaceView;
  readonly own: OwnFillsView;
  /** The market's event; null without an event, or if the module does not declare `inputs: { event: true }`. */
  readonly event: EventView | null;
}

/** One market of an event, in the view of a strategy of the whole event. */
export interface MarketOfEvent {
  /** The market's view for a strategy of this market alone; its `event` is null. */
  readonly view: MarketView;
  /** Why quotes for this market are ignored now, in one sentence; null when they are used. */
  readonly silentBecause: string | null;
}

/** Everything a strategy of whole events sees. Frozen like `MarketView`. */
export interface WholeEventView {
  /** Our clock, ms. */
  readonly nowMs: number;
  readonly event: EventFacts;
  /** The event's quoted markets with a book, in declared order, else by condition id. */
  readonly markets: readonly MarketOfEvent[];
  /** Condition ids of its other markets without a book: quoted or declared. */
  readonly unseen: readonly string[];
}

/** The part of a view that holds neither own state nor estimates; risk uses it. */
export interface Sight extends Pick<MarketView, 'market' | 'book' | 'others' | 'health' | 'timeToResolutionMs'> {
  /** The newest public trade if it was seen no earlier than the newest book; else null. */
  readonly newestTrade: TapeTrade | null;
}

/** Motion of a market's price; the same object until a new observation. Floats, in YES space. */
export interface PriceMotion {
  /** Our clock, ms, when the request of the newest book was sent; later events are unknown. */
  readonly seenMs: number;
  /** Best estimate of the price: the microprice, else the mean of last trades, else 0.5. */
  readonly price: number;
  /** Half of others' spread, at least a tick. */
  readonly halfSpread: number;
  /** Volatility of the price per square root of a second: `Estimates.sigmaPricePerSqrtS`. */
  readonly sigmaPerSqrtS: number;
  /** Rate per second of changes too large for that volatility. */
  readonly jumpsPerS: number;
  /** Number of public trades per second. */
  readonly takersPerS: number;
  /** Distance between `price` and a newer mark of the venue, beyond half a tick; 0 without a mark. No quote uses it. */
  readonly markMove: number;
}

/** The fields of a pace that are the same for all markets. */
export type TraderPace = Omit<PaceView, 'lookEveryS'>;

/** Assumed seconds from decision to resting order, before the first measurement. */
export const USUAL_REACT_S = 2;

/** Pace before the first valuation: free reads, and the usual prices of requests and currency. */
export const USUAL_PACE: TraderPace = Object.freeze({
  reactS: USUAL_REACT_S,
  readPrice: 0,
  requestPrice: 0.001,
  currencyPricePerS: 1e-7,
});

/** @param wanted condition ids of the markets to be quoted, with or without a book */
export function makeWholeEventView(
  nowMs: number,
  event: WholeEventView['event'],
  markets: readonly MarketOfEvent[],
  wanted: readonly string[],
): WholeEventView {
  const declared = event.marketConditionIds;
  // Undeclared markets follow, sorted by id, so that the order of discovery does not matter.
  const rank = (id: string) => (declared.includes(id) ? declared.indexOf(id) : declared.length);
  const byRank = (a: string, b: string) => rank(a) - rank(b) || (a < b ? -1 : 1);
  const seen = new Set(markets.map(({ view }) => view.market.conditionId));
  const unseen = [...new Set([...declared, ...wanted])].filter((id) => !seen.has(id)).sort(byRank);
  const sorted = [...markets].sort((a, b) => byRank(a.view.market.conditionId, b.view.market.conditionId));
  return Object.freeze({ nowMs, event, markets: Object.freeze(sorted), unseen: Object.freeze(unseen) });
}
