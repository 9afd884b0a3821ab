/** Types that describe a market at one moment, for strategies, risk and the engine. */

import type { FeeSchedule } from '../../shared/base/fees.js';
import type { Micros } from '../../shared/base/micros.js';
import type { FeedValue } from '../../shared/protocol/seam.js';
import type { MarketState as MarketPhase } from '../../shared/protocol/states.js';

/** Side of the order book for YES shares. A bid buys YES or sells NO; an ask sells YES or buys NO at 1 - price. */
export type BookSide = 'bid' | 'ask';

/** Facts from a market's newest `MarketDetail`. Only order-book markets without margin have these facts. */
export interface MarketFacts {
  readonly conditionId: string;
  /** The market's event; null without an event. Outcomes of an event's markets may exclude or imply each other. */
  readonly eventConditionId: string | null;
  readonly title: string;
  readonly category: string | null;
  readonly phase: MarketPhase;
  /** Smallest step of an order price: 10^-price_precision. */
  readonly tickMicros: Micros;
  /** Smallest step of an order amount, in shares: 10^-amount_precision. */
  readonly lotMicros: Micros;
  /** Lowest and highest order price, inclusive, as a price of the order's own outcome (YES or NO). */
  readonly minPriceMicros: Micros;
  readonly maxPriceMicros: Micros;
  /** Smallest and largest amount of one order, in shares, inclusive. */
  readonly minAmountMicros: Micros;
  readonly maxAmountMicros: Micros;
  /** Fee rate, millionths (10000 = 1 %) of the base that `feeSchedule` determines, usually price x amount. */
  readonly makerFeeRateMicros: Micros;
  readonly takerFeeRateMicros: Micros;
  readonly feeSchedule: FeeSchedule;
  /** Planned resolution time of the market, exchange clock, ms; null if not known. */
  readonly resolutionTimeMs: number | null;
}

/** One level of an order book: the total amount at one price. */
export interface BookLevel {
  readonly priceMicros: Micros;
  /** Number of shares at this price, above 0. */
  readonly amountMicros: Micros;
}

/** An order book for YES shares, best levels first, at most 100 levels per side. */
export interface Book {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** Times of a poll, ms: sent and answered (our clock), and the exchange's time in the answer (resolution 1 s). */
export interface SeenAt {
  /** Request id, which increases within a process, so that answers can be ordered after our clock is set back. */
  readonly requestId: number;
  readonly sentMs: number;
  readonly seenMs: number;
  readonly venueTimeMs: number | null;
}

/** A public trade, converted to YES: a NO price p is a YES price 1 - p. */
export interface TapeTrade {
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  /** Taker's side, inferred from the book: `buy` if the taker traded with an ask, `sell` if with a bid. */
  readonly taker: 'buy' | 'sell';
  /** Time of the trade, exchange clock, ms (resolution 1 s). */
  readonly venueTimeMs: number;
  /** Time when the first answer with this trade arrived, our clock, ms. */
  readonly seenMs: number;
}

/** An own order that is or may be open: in flight, open, partly filled, being canceled, or in an unknown state. */
export interface OwnOrder {
  readonly intentId: string;
  /** True for a probe, an order that is sent to gain information; absent: false. */
  readonly isProbe?: boolean;
  readonly side: BookSide;
  /** YES price of the order; for an order of NO, 1 - its price. */
  readonly priceMicros: Micros;
  /** Number of unfilled shares of the order, as far as known. */
  readonly remainingMicros: Micros;
  /** True if the order trades YES shares, false if NO shares: a NO bid sells NO shares, a NO ask buys NO shares. */
  readonly isYes: boolean;
  /** Submit time of the order, our clock, ms. Books that were received earlier do not contain the order. */
  readonly submittedMs: number;
  /** Time when the exchange accepted the order, our clock, ms; null while it is in flight or its state is unknown. */
  readonly acceptedMs: number | null;
}

/** Own holdings, orders and limits in one market, supplied by the engine. */
export interface OwnMarketState {
  /** Number of held shares, including shares locked by orders and conversions. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  /** Average cost per held share, currency; null if no shares are held. */
  readonly avgYesCostMicros: Micros | null;
  readonly avgNoCostMicros: Micros | null;
  /** Amount of currency that is available for new orders. */
  readonly availableFundsMicros: Micros;
  /** Maximum net position |YES - NO|, shares; risk checks enforce it. Strategies quote less near this maximum. */
  readonly maxPositionMicros: Micros;
  /** Quoting restriction that follows from the trader's mode. */
  readonly stance: Stance;
  readonly orders: readonly OwnOrder[];
}

/** How a strategy may quote: `normal`, `widen` (further from the fair price), `reduce-only` (towards position 0). */
export type Stance = 'normal' | 'widen' | 'reduce-only';

/** An own order in a strategy's view, with its queue position. */
export interface OwnOrderView extends OwnOrder {
  /** Estimated shares of others ahead of the order in the queue; null until a book was read after its acceptance. */
  readonly queueAheadMicros: Micros | null;
  /** Time since the order was submitted, ms. */
  readonly ageMs: number;
}

/** Own shares, their average costs, and limits in one market. */
export interface Inventory extends Omit<OwnMarketState, 'stance' | 'orders'> {
  /** Net position YES - NO, shares: a positive position gains if the market resolves YES. */
  readonly netMicros: Micros;
  /** Number of complete sets, min(YES, NO). Each complete set is worth 1 at any resolution. */
  readonly pairsMicros: Micros;
}

/** Market estimates from others' orders and public trades. They are floats, and must not be used as money amounts. */
export interface Estimates {
  /** Mean of best bid and ask, a probability in (0, 1); null if a side is empty or the book is crossed. */
  readonly mid: number | null;
  /** Microprice: (ask x bid size + bid x ask size) / (bid size + ask size) of best levels; null if `mid` is null. */
  readonly microprice: number | null;
  /** Spread: best ask minus best bid, a price difference; null if `mid` is null. */
  readonly spread: number | null;
  /** Volatility of the log-odds ln(p / (1 - p)) per square root of a second; at least `SIGMA_FLOOR`. */
  readonly sigmaLogOddsPerSqrtS: number;
  /** Price volatility per square root of a second: sigma x p (1 - p), where p is `PriceMotion.price`. */
  readonly sigmaPricePerSqrtS: number;
  /** Size-weighted mean price of recent trades, with decaying weights; null before the first trade. */
  readonly tradePrice: number | null;
  /** Decayed number of traded shares from which `tradePrice` is computed; 0 before the first trade. */
  readonly tradeWeightShares: number;
  /** Imbalance of takers in [-1, 1]: (buys - sells) / (buys + sells), decayed shares; 0 before the first trade. */
  readonly flowImbalance: number;
  /** Volume of takers' trades with decaying weights, in shares per second. */
  readonly flowSharesPerS: number;
}

/** Signs that the market's data is old or implausible. */
export interface Health {
  /** Upper bound of the newest book's age, ms: time since the request for this book was sent. */
  readonly bookAgeMs: number;
  /** Upper bound of the newest trade list's age, ms; null before the first list. */
  readonly tradesAgeMs: number | null;
  /** Time since a poll last showed a change of the book, ms. */
  readonly unchangedMs: number;
  /** True if the best bid is above the best ask in the newest book as received. */
  readonly crossed: boolean;
  /** True if the best bid equals the best ask in the newest book as received. */
  readonly locked: boolean;
  /** True if several trades went beyond the book's best prices while the book did not change. */
  readonly frozen: boolean;
  /** Absolute change of the mid's log-odds between the last two books with a mid; 0 before the second such book. */
  readonly jumpLogOdds: number;
  /** Time since the last price jump (above `JUMP_SIGMAS` sigmas and `JUMP_MIN_LOG_ODDS`), ms; null before a jump. */
  readonly sinceJumpMs: number | null;
  /** Number of invalid levels in the newest book answer: their price is outside (0, 1), or their size is 0. */
  readonly droppedLevels: number;
}

/** A feed's current value for this market, and the value's age. `FeedValue` explains the other fields. */
export interface FeedView extends Omit<FeedValue, 'conditionId'> {
  /** Age of the feed value, ms. */
  readonly ageMs: number;
}

/** Current values of the feeds named in a strategy's parameters. Feeds without a valid value are absent. */
export type FeedViews = Readonly<Record<string, FeedView>>;

/** Statistics of a market's takers from public trades. They are floats, and must not be used as money amounts. */
interface FlowView {
  /** Number of public trades per second, estimated with a prior rate. */
  readonly tradesPerS: number;
  /** Mean size of `MarketView.trades`, shares; null if there are no trades. */
  readonly meanTradeShares: number | null;
  /**
   * Kappa: the rate of takers at distance d from the mid of others' book falls as exp(-kappa d). Kappa is 1 / the mean
   * distance of trades (half-life 1 h). The mean's prior is the category's mean, else 2 ticks.
   */
  readonly kappa: number;
  /** Mean change of the mid after a taker takes a whole best level, price. Prior: category's mean, else 1.5 ticks. */
  readonly sweepMovePrice: number;
}

/** Pace of the trader: interval of book reads, reaction time, and shadow prices of reads, requests and currency. */
export interface PaceView {
  /** Mean time between recent reads of the market's book, s; null before the second read. */
  readonly lookEveryS: number | null;
  /** Recent mean time from the decision on an order until a read shows it open, s, over all markets; initially 2. */
  readonly reactS: number;
  /** Shadow price of a book read, currency; 0 while reads are plentiful, and before the first choice of markets. */
  readonly readPrice: number;
  /** Shadow price of a signed request, currency; at least `economics.request_price`. */
  readonly requestPrice: number;
  /** Shadow price of using one unit of currency for a second; at least `economics.currency_price_per_day` / 86400. */
  readonly currencyPricePerS: number;
}

/** Markout: gain per share of own fills on one side, measured some time later with the price of others' book. */
export interface MarkoutView {
  /** Markout horizon, s: 5, 30 or 300 after the fill became known. */
  readonly horizonS: number;
  /** Mean gain per share at the horizon, price; positive for a profit; null if no fill was measured. */
  readonly meanPrice: number | null;
  /** Number of shares in the mean markout, decayed with a half-life of a day. */
  readonly shares: number;
}

/** Results of own fills in a market, kept over restarts. They are floats, and must not be used as money amounts. */
export interface OwnFillsView {
  /** Number of own fills per second of observed time (half-life of a day); null before a minute was observed. */
  readonly fillsPerS: number | null;
  /** Markouts of own fills by side, shortest horizon first. */
  readonly markouts: Readonly<Record<BookSide, readonly MarkoutView[]>>;
}

/** Summary of a market for strategies that quote another market of its event. The prices ignore own orders. */
export interface Glance {
  readonly conditionId: string;
  /** Mid of the best bid and ask; null before the first book, or if a side is empty or the book is crossed. */
  readonly mid: number | null;
  readonly bid: number | null;
  readonly ask: number | null;
  /** Age of the market's newest book, ms; null before the first book. */
  readonly bookAgeMs: number | null;
  readonly sigmaLogOddsPerSqrtS: number;
  /** Time since the market's last price jump, ms; null before the first jump. */
  readonly sinceJumpMs: number | null;
  /** True if the market is open and its book is not crossed, locked or frozen (see `Health`). */
  readonly isSound: boolean;
}

/** Another market of the same event, with our position and order prices in that market. */
export interface SiblingView extends Glance {
  /** Own net position (YES - NO) in the market, shares. */
  readonly netMicros: Micros;
  /** YES prices of our best bid and best ask in the market, open or in flight; null without a bid or ask. */
  readonly ownBidMicros: Micros | null;
  readonly ownAskMicros: Micros | null;
}

/** Facts about an event (a group of related markets). */
export interface EventFacts {
  readonly eventConditionId: string;
  /** Relation between the event's markets, declared in the trader's file; null if undeclared. */
  readonly outcomes: EventOutcomes | null;
  /** Condition ids of all markets of the event in the declared order; empty if undeclared. */
  readonly marketConditionIds: readonly string[];
}

/**
 * Relation between an event's markets. `exclusive`: at most one market resolves YES. `exhaustive`: exactly one market
 * resolves YES. `nested`: a market resolves YES only if the previous market resolves YES ("above 50", "above 60").
 */
export type EventOutcomes = 'exclusive' | 'exhaustive' | 'nested';

/** The event of a market, and the event's other tracked markets. */
export interface EventView {
  readonly eventConditionId: string;
  /** Declared relation between the event's markets; null if undeclared. */
  readonly outcomes: EventOutcomes | null;
  /** Number of the event's markets, including this market; null if unknown. */
  readonly markets: number | null;
  readonly siblings: readonly SiblingView[];
}

/** Input of a strategy: all its data about one market. A view is frozen, and its books are copies. */
export interface MarketView {
  /** Time of the view, our clock, ms. */
  readonly nowMs: number;
  /** Time to the market's resolution by the estimated exchange clock, ms; <= 0 if past, null if unknown. */
  readonly timeToResolutionMs: number | null;
  readonly market: MarketFacts;
  /** The order book as received, with own orders. */
  readonly book: Book;
  /** The order book without own orders; strategies must compute fair values from this book only. */
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

/** One market of an event, in the view of a strategy that quotes whole events. */
export interface MarketOfEvent {
  /** View of the market, as for a strategy that quotes single markets. Its field `event` is null. */
  readonly view: MarketView;
  /** Reason why the trader ignores the quotes for this market now, one sentence; null if the quotes are used. */
  readonly silentBecause: string | null;
}

/** Input of a strategy that quotes whole events: all its data about one event. Frozen like `MarketView`. */
export interface WholeEventView {
  /** Time of the view, our clock, ms. */
  readonly nowMs: number;
  readonly event: EventFacts;
  /** Quoted markets of the event that have a book, in declared order; undeclared markets follow by condition id. */
  readonly markets: readonly MarketOfEvent[];
  /** Condition ids of the event's quoted or declared markets that are not in `markets`. */
  readonly unseen: readonly string[];
}

/** The part of a market view without own holdings and estimates, for risk checks. */
export interface Sight extends Pick<MarketView, 'market' | 'book' | 'others' | 'health' | 'timeToResolutionMs'> {
  /** The newest public trade, if it arrived with or after the newest book; else null. */
  readonly newestTrade: TapeTrade | null;
}

/** A market's YES price and its rates of change, as floats. The object stays the same until new market data arrive. */
export interface PriceMotion {
  /** Time when the newest book was requested, our clock, ms. The book possibly lacks later events. */
  readonly seenMs: number;
  /** Best estimate of the YES price: the microprice, else the mean of recent trades, else 0.5. */
  readonly price: number;
  /** Half of the spread of other accounts' orders, in price; at least one tick. */
  readonly halfSpread: number;
  /** Volatility of the price per square root of a second, defined as `Estimates.sigmaPricePerSqrtS`. */
  readonly sigmaPerSqrtS: number;
  /** Number of price jumps (price changes too large for the volatility) per second. */
  readonly jumpsPerS: number;
  /** Number of public trades per second. */
  readonly takersPerS: number;
  /** Distance between `price` and an exchange mark newer than the book, minus half a tick; 0 without such a mark. */
  readonly markMove: number;
}

/** The fields of `PaceView` that are equal for all markets. */
export type TraderPace = Omit<PaceView, 'lookEveryS'>;

/** Value of `PaceView.reactS` before the first measurement, s. */
export const USUAL_REACT_S = 2;

/** Values before the first choice of markets: the price of a read is 0, the other prices are defaults. */
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
  // Undeclared markets follow, sorted by id, so that their order does not depend on the time of their discovery.
  const rank = (id: string) => (declared.includes(id) ? declared.indexOf(id) : declared.length);
  const byRank = (a: string, b: string) => rank(a) - rank(b) || (a < b ? -1 : 1);
  const seen = new Set(markets.map(({ view }) => view.market.conditionId));
  const unseen = [...new Set([...declared, ...wanted])].filter((id) => !seen.has(id)).sort(byRank);
  const sorted = [...markets].sort((a, b) => byRank(a.view.market.conditionId, b.view.market.conditionId));
  return Object.freeze({ nowMs, event, markets: Object.freeze(sorted), unseen: Object.freeze(unseen) });
}
