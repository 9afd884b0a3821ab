/** What a market looks like at one moment: the contract between this room and everyone who looks at markets. */

import type { FeeSchedule } from '../../shared/base/fees.js';
import type { Micros } from '../../shared/base/micros.js';
import type { FeedValue } from '../../shared/protocol/seam.js';
import type { MarketState as MarketPhase } from '../../shared/protocol/states.js';

/** A side of the YES book. A bid buys YES (or sells NO); an ask sells YES (or buys NO at 1 - price). */
export type BookSide = 'bid' | 'ask';

/** What the market's detail says. Only order-book markets without margin have facts. */
export interface MarketFacts {
  readonly conditionId: string;
  /** The event this market belongs to, or null. Markets of one event exclude or imply each other. */
  readonly eventConditionId: string | null;
  readonly title: string;
  readonly category: string | null;
  readonly phase: MarketPhase;
  /** Smallest price step: 10^-price_precision. */
  readonly tickMicros: Micros;
  /** Smallest amount step, in shares: 10^-amount_precision. */
  readonly lotMicros: Micros;
  /** Lowest and highest price an order may have, inclusive (in the space of the order's own outcome). */
  readonly minPriceMicros: Micros;
  readonly maxPriceMicros: Micros;
  /** Smallest and largest amount of one order, in shares, inclusive. */
  readonly minAmountMicros: Micros;
  readonly maxAmountMicros: Micros;
  /** Fee as a part of what `feeSchedule` says, price x amount as a rule: 0.01 is 10000. */
  readonly makerFeeRateMicros: Micros;
  readonly takerFeeRateMicros: Micros;
  readonly feeSchedule: FeeSchedule;
  /** The exchange's clock, ms; null when the market does not say when it resolves. */
  readonly resolutionTimeMs: number | null;
}

/** All that rests at one price of a book. */
export interface BookLevel {
  readonly priceMicros: Micros;
  /** Shares on offer at this price, > 0. */
  readonly amountMicros: Micros;
}

/** The book in YES space, best level first on both sides. At most 100 levels a side are ever seen. */
export interface Book {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** When a poll left, when its answer came (our clock, ms), and what the exchange's clock said (resolution 1 s). */
export interface SeenAt {
  /** Ascends with every request of a process: which of two answers is the later look, wherever our clock was set. */
  readonly requestId: number;
  readonly sentMs: number;
  readonly seenMs: number;
  readonly venueTimeMs: number | null;
}

/** A public trade in YES space: a NO price p is a YES price 1 - p. */
export interface TapeTrade {
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  /** `buy` lifted an ask, `sell` hit a bid. Inferred from the book before it: rows do not say whether a taker bought. */
  readonly taker: 'buy' | 'sell';
  /** The exchange's clock, ms (resolution 1 s). */
  readonly venueTimeMs: number;
  /** Our clock, ms: the poll that first showed it. */
  readonly seenMs: number;
}

/** One of our orders that rests or may rest: being submitted, open, partly filled, being canceled, or unknown. */
export interface OwnOrder {
  readonly intentId: string;
  readonly side: BookSide;
  /** In YES space, whatever the leg. */
  readonly priceMicros: Micros;
  /** Shares not yet filled, as far as we know. */
  readonly remainingMicros: Micros;
  /** The outcome that the order trades: a bid buys YES or sells NO, an ask sells YES or buys NO. */
  readonly isYes: boolean;
  /** Our clock, ms: when its submit left. The order cannot be in a book that was seen before. */
  readonly submittedMs: number;
  /** Our clock, ms: when the exchange's acceptance was seen; null while it is in flight or unknown. */
  readonly acceptedMs: number | null;
}

/** What is ours in one market; the engine knows it from the ledger and hands it over with each look. */
export interface OwnMarketState {
  /** Shares held, locked ones included. */
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  /** Average price paid per share held; null when none is held. */
  readonly avgYesCostMicros: Micros | null;
  readonly avgNoCostMicros: Micros | null;
  /** Currency that this market's orders may still use. */
  readonly availableFundsMicros: Micros;
  /** Limit of |YES - NO| that risk enforces, in shares. Strategies taper towards it. */
  readonly maxPositionMicros: Micros;
  /** The kill ladder's wish: quote as usual, quote wider, or quote only what brings the net position towards zero. */
  readonly stance: Stance;
  readonly orders: readonly OwnOrder[];
}

/** How freely a strategy may quote: as it likes, further from the fair price, or only to lower its holdings. */
export type Stance = 'normal' | 'widen' | 'reduce-only';

/** One of our orders as a strategy sees it, with its place in the queue. */
export interface OwnOrderView extends OwnOrder {
  /** Shares of others that probably stand before it at its price; null until a book has shown its level. */
  readonly queueAheadMicros: Micros | null;
  /** Milliseconds since its submit left. */
  readonly ageMs: number;
}

/** What is ours in one market: shares, what they cost on average, and what may still be spent and held. */
export interface Inventory extends Omit<OwnMarketState, 'stance' | 'orders'> {
  /** YES - NO in shares: positive when we win if the answer is yes. */
  readonly netMicros: Micros;
  /** Complete sets: min(YES, NO), worth 1 each whatever happens. */
  readonly pairsMicros: Micros;
}

/** Estimates from what others do (own orders removed). Floats: for a strategy's arithmetic, never for money. */
export interface Estimates {
  /** Middle of the best bid and ask, a probability in (0, 1); null when a side is empty or the book is crossed. */
  readonly mid: number | null;
  /** (ask x bid size + bid x ask size) / (bid size + ask size) over the best levels; null like `mid`. */
  readonly microprice: number | null;
  /** Best ask - best bid, in price; null like `mid`. */
  readonly spread: number | null;
  /** Volatility of ln(p / (1 - p)) per square root of a second, never below a floor. */
  readonly sigmaLogOddsPerSqrtS: number;
  /** The same in price at the current microprice (or last trade): sigma x p (1 - p), per square root of a second. */
  readonly sigmaPricePerSqrtS: number;
  /** Traded-size-weighted average price of recent trades, decaying with time; null before the first trade. */
  readonly tradePrice: number | null;
  /** Shares behind `tradePrice` after decay; 0 before the first trade. */
  readonly tradeWeightShares: number;
  /** Decayed taker buys minus sells over their sum, in [-1, 1]; 0 without trades. */
  readonly flowImbalance: number;
  /** Decayed taker volume, in shares per second. */
  readonly flowSharesPerS: number;
}

/** Whether the data can be believed. */
export interface Health {
  /** Milliseconds since the answer with the newest book left for us at the latest: now - the time its poll was sent. */
  readonly bookAgeMs: number;
  /** Milliseconds since the newest look at the trades, measured the same way; null before the first. */
  readonly tradesAgeMs: number | null;
  /** Milliseconds since a poll last showed a book that differed from the one before. */
  readonly unchangedMs: number;
  /** Best bid above best ask in the newest book as it came. */
  readonly crossed: boolean;
  /** Best bid equal to best ask. */
  readonly locked: boolean;
  /** Trades went through the best prices again and again and the book did not follow: it is stuck. */
  readonly frozen: boolean;
  /** |change| of the log-odds of the mid between the last two books; 0 with fewer than two. */
  readonly jumpLogOdds: number;
  /** Milliseconds since the last change larger than `JUMP_SIGMAS` sigmas and `JUMP_MIN_LOG_ODDS`; null if never. */
  readonly sinceJumpMs: number | null;
  /** Levels that were dropped from the newest answer: off (0, 1) or without size. 0 when it was sane. */
  readonly droppedLevels: number;
}

/** What a feed says of this market now, with how old it is. Prices and `sd` as in `FeedValue`. */
export interface FeedView extends Omit<FeedValue, 'conditionId'> {
  /** Milliseconds since it held. */
  readonly ageMs: number;
}

/** The values of the feeds that a strategy's parameters name. One that is missing, late or expired is not in it. */
export type FeedViews = Readonly<Record<string, FeedView>>;

/** Takers of a market, from its public trades. Floats: for a strategy's arithmetic, never for money. */
export interface FlowView {
  /** Public trades per second; before many were seen mostly a belief. */
  readonly tradesPerS: number;
  /** Mean size of the trades in `MarketView.trades`, in shares; null without any. */
  readonly meanTradeShares: number | null;
  /**
   * Takers come to a distance d from the middle of others' book about as exp(-kappa d), d in price: one over the mean distance of
   * trades. Before many were seen that of its category, and before those 2 ticks; half is forgotten in an hour.
   */
  readonly kappa: number;
  /** How far the middle goes on, in price, after a taker has taken a whole best level; as `kappa`, before any 1.5 ticks. */
  readonly sweepMovePrice: number;
}

/** How often this trader looks at the market, how fast it answers, and what one more of each thing that it spends is worth. */
export interface PaceView {
  /** Mean time between two looks at its book, of the latest ones, in seconds; null before the second. */
  readonly lookEveryS: number | null;
  /** Seconds from deciding on an order until it is seen to rest, a mean over the latest of all markets; 2 before the first. */
  readonly reactS: number;
  /** Currency that one more look at a book is worth; 0 while there are enough, and before it was reckoned (each minute). */
  readonly readPrice: number;
  /** The same of a signed request: at least `economics.request_price`, which it is before. */
  readonly requestPrice: number;
  /** What a unit of currency costs while it is bound for a second, as a part of it: at least `economics.currency_price_per_day`. */
  readonly currencyPricePerS: number;
}

/** What our fills of one side had brought a share some time after, by the fair price of others' book. */
export interface MarkoutView {
  /** Seconds after we learned of a fill: 5, 30 or 300. */
  readonly horizonS: number;
  /** Mean over shares, price: above 0 the fills had gained by then. Null without any. */
  readonly meanPrice: number | null;
  /** Shares that were judged, fading by half in a day: how much there is behind the mean. */
  readonly shares: number;
}

/** What became of our own fills in a market, over restarts. Floats: for a strategy's arithmetic, never for money. */
export interface OwnFillsView {
  /** Own fills a second while it was looked at, fading likewise; null before a minute of looking. */
  readonly fillsPerS: number | null;
  /** By the side that was filled, shortest horizon first. */
  readonly markouts: Readonly<Record<BookSide, readonly MarkoutView[]>>;
}

/** What one look at a market says to those who quote another market of its event. Prices are of others, own orders taken out. */
export interface Glance {
  readonly conditionId: string;
  /** Null where a side is empty, or where no book was seen yet. */
  readonly mid: number | null;
  readonly bid: number | null;
  readonly ask: number | null;
  /** Of the newest book, ms; null before the first. */
  readonly bookAgeMs: number | null;
  readonly sigmaLogOddsPerSqrtS: number;
  /** Milliseconds since its price jumped; null if never. */
  readonly sinceJumpMs: number | null;
  /** The market is open, and its book is neither crossed nor stuck. */
  readonly isSound: boolean;
}

/** Another market of the same event, with what is ours there. */
export interface SiblingView extends Glance {
  /** YES - NO, in shares. */
  readonly netMicros: Micros;
  /** Our best orders there, resting or on their way, in YES space; null where there is none. */
  readonly ownBidMicros: Micros | null;
  readonly ownAskMicros: Micros | null;
}

/** What is known of an event beside its markets. */
export interface EventFacts {
  readonly eventConditionId: string;
  /** What the trader's file declares of its outcomes: the venue does not say it. Null where nothing is declared. */
  readonly outcomes: EventOutcomes | null;
  /** All its markets as the trader's file declares them, in that order; empty where it names none. */
  readonly marketConditionIds: readonly string[];
}

/**
 * `exclusive`: at most one of its markets resolves YES; `exhaustive`: exactly one does; `nested`: each resolves YES only if the one
 * declared before it does ("above 50", "above 60").
 */
export type EventOutcomes = 'exclusive' | 'exhaustive' | 'nested';

/** The event of a market and its other markets, as far as they are looked at. */
export interface EventView {
  readonly eventConditionId: string;
  /** As in `EventFacts`. */
  readonly outcomes: EventOutcomes | null;
  /** How many markets the event has, this one among them; null where nobody has said. */
  readonly markets: number | null;
  readonly siblings: readonly SiblingView[];
}

/** Everything a strategy sees. Frozen, and its books are copies; two calls with the same observations give equal views. */
export interface MarketView {
  /** Our clock, ms. */
  readonly nowMs: number;
  /** Milliseconds to resolution by the exchange's clock as far as we know it, <= 0 when past; null when unknown. */
  readonly timeToResolutionMs: number | null;
  readonly market: MarketFacts;
  /** The book as it came. */
  readonly book: Book;
  /** The book without our own orders: the only one to take a fair value from. */
  readonly others: Book;
  /** Newest first, at most 100. */
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
  /** Only for a module that declares `inputs: { event: true }`, and where the market belongs to an event; else null. */
  readonly event: EventView | null;
}

/** One market of an event, as a strategy of the whole event sees it. */
export interface MarketOfEvent {
  /** As a strategy of this market alone would see it; its `event` is null. */
  readonly view: MarketView;
  /** Why whatever is said of this market is not taken now, one sentence; null while it is. */
  readonly silentBecause: string | null;
}

/** Everything that a strategy of whole events sees. Frozen like `MarketView`. */
export interface WholeEventView {
  /** Our clock, ms. */
  readonly nowMs: number;
  readonly event: EventFacts;
  /** Those that it quotes and whose book was seen: in the declared order, and where none is declared by condition id. */
  readonly markets: readonly MarketOfEvent[];
  /** Condition ids of its other markets: it is to quote them too, or the event is declared with them, but no book was seen. */
  readonly unseen: readonly string[];
}

/** What a view says of the market itself: nothing of ours, and no estimates. */
export interface Sight extends Pick<MarketView, 'market' | 'book' | 'others' | 'health' | 'timeToResolutionMs'> {
  /** The newest public trade, if it was seen no earlier than the newest book; null otherwise. */
  readonly newestTrade: TapeTrade | null;
}

/** How the price of a market moves. The same object until something new is seen. Floats, in YES space. */
export interface PriceMotion {
  /** Our clock, ms: when the poll of the newest book left. What happened since is not in it. */
  readonly seenMs: number;
  /** The best guess of the price: microprice, else what traded, else the middle of what can be. */
  readonly price: number;
  /** Half of the others' spread, at least a tick. */
  readonly halfSpread: number;
  /** Volatility of the price per square root of a second: `Estimates.sigmaPricePerSqrtS`. */
  readonly sigmaPerSqrtS: number;
  /** Changes per second that are too large for that volatility. */
  readonly jumpsPerS: number;
  /** Public trades per second. */
  readonly takersPerS: number;
  /** How far the venue's mark of since then lies from it, beyond half a tick; 0 without one. No price follows from it. */
  readonly markMove: number;
}

/** All of a pace that is the trader's and not the market's. */
export type TraderPace = Omit<PaceView, 'lookEveryS'>;

/** Seconds until a quote that was decided stands. */
export const USUAL_REACT_S = 2;

/** Enough looks for everybody, and the usual prices of requests and currency. */
export const USUAL_PACE: TraderPace = Object.freeze({
  reactS: USUAL_REACT_S,
  readPrice: 0,
  requestPrice: 0.001,
  currencyPricePerS: 1e-7,
});

/** @param wanted condition ids of the markets that are to be quoted, seen or not */
export function makeWholeEventView(
  nowMs: number,
  event: WholeEventView['event'],
  markets: readonly MarketOfEvent[],
  wanted: readonly string[],
): WholeEventView {
  const declared = event.marketConditionIds;
  // After the declared ones by their names: in which order they were found must not matter.
  const rank = (id: string) => (declared.includes(id) ? declared.indexOf(id) : declared.length);
  const byRank = (a: string, b: string) => rank(a) - rank(b) || (a < b ? -1 : 1);
  const seen = new Set(markets.map(({ view }) => view.market.conditionId));
  const unseen = [...new Set([...declared, ...wanted])].filter((id) => !seen.has(id)).sort(byRank);
  const sorted = [...markets].sort((a, b) => byRank(a.view.market.conditionId, b.view.market.conditionId));
  return Object.freeze({ nowMs, event, markets: Object.freeze(sorted), unseen: Object.freeze(unseen) });
}
