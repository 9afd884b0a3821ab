/**
 * The record of a backtest or live session, from which all figures of a report come. Amounts, prices and currency are
 * integers in millionths; prices are in YES space unless stated otherwise. Times are Unix ms on the exchange's clock.
 * `null` means unknown, never zero.
 */

import type { MarketOutcome } from '../../shared/protocol/outcome.js';

export interface SessionRecord {
  /** Format version, incremented when the meaning of a field changes. */
  readonly format: 1;
  readonly kind: 'backtest' | 'live';
  /** Title of the session's report, for example the names of the strategy files. */
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Final capital, with the value of adopted shares. */
  readonly capitalMicros: number;
  /** Additions to a live trader's capital, oldest first; absent in a backtest. Their sum is `capitalMicros`. */
  readonly deposits?: readonly { readonly timeMs: number; readonly capitalMicros: number }[];
  /** Currency at the end of the session, including locked currency. */
  readonly endCashMicros: number;
  readonly markets: readonly MarketSession[];
  /** Samples of the whole account over time, at most `MAX_SAMPLES`. */
  readonly account: AccountSeries;
  /** Largest drawdown of the equity, ≥ 0, over all samples before thinning; null if any equity was unknown. */
  readonly maxDrawdownMicros: number | null;
  /** Use of the request budget; null without journals, because a ledger does not count requests. */
  readonly requests: RequestUse | null;
  /** Halts and restrictions by risk limits, oldest first; empty for a live session, where they are unknown. */
  readonly halts: readonly HaltRecord[];
  /** Refusals by risk limits, strategies and the exchange, most frequent first. */
  readonly refusals: readonly CountedRefusal[];
  /** Important notices: failed strategies, limits that stopped the trader, markets that were left out. */
  readonly notices: readonly SessionNotice[];
  readonly assumptions: Assumptions;
}

/** A period in which a risk limit, or a partly used loss limit, halted or restricted the trader. */
export interface HaltRecord {
  /** `halted`: orders canceled, no quotes. `reducing`: only orders that reduce positions. `widened`: wider quotes. */
  readonly rung: 'halted' | 'reducing' | 'widened';
  readonly fromMs: number;
  /** Name of the risk limit, with the limit's figures. */
  readonly reason: string;
  /** End of the halt by a resume, another rung or a smaller loss, Unix ms; null if it lasted to the session's end. */
  readonly resumedMs: number | null;
}

/** Account samples as columns of equal length, at steps of `stepMs`, without idle time between recordings. */
export interface AccountSeries {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
  /** Result so far, with shares at their mids, plus the final capital; null while the mid of held shares is unknown. */
  readonly equityMicros: readonly (number | null)[];
  /** Locked capital: currency reserved for open orders plus the cost of held shares. */
  readonly lockedMicros: readonly number[];
}

export interface MarketSession {
  readonly conditionId: string;
  readonly title: string;
  /** Id of the market's event; absent if the venue gave no id: the title then identifies the event. */
  readonly eventConditionId?: string | undefined;
  /** Title of the market's event; empty if unknown. Without event id and event title, a market is its own event. */
  readonly eventTitle: string;
  readonly category: string;
  readonly closeMs: number | null;
  /** Outcome of the market, null if unknown. Final shares are valued at the outcome, else at `endMarkMicros`. */
  readonly outcome: MarketOutcome | null;
  readonly series: MarketSeries;
  /** Fills in the market, in order of time. */
  readonly fills: readonly FillRecord[];
  readonly conversions: readonly ConversionRecord[];
  /** Number of shares held at the end that were not redeemed. */
  readonly endYesMicros: number;
  readonly endNoMicros: number;
  /** Last YES mid before the market's close or the session's end, never the outcome; null without a mid. */
  readonly endMarkMicros: number | null;
  readonly quoting: QuotingFigures;
  /** Coverage of the market's data; null for a live session without a recording. */
  readonly coverage: Coverage | null;
}

/** Market samples at equal steps, in equally long columns. Bid and ask exclude the trader's orders; null: no order. */
interface MarketSeries {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
  readonly bidMicros: readonly (number | null)[];
  readonly askMicros: readonly (number | null)[];
  readonly ourBidMicros: readonly (number | null)[];
  readonly ourAskMicros: readonly (number | null)[];
  /** Net position: YES shares held minus NO shares held. */
  readonly inventoryMicros: readonly number[];
}

/** Horizons of markouts after a fill, ms. A further horizon of markouts is the settlement. */
export const MARKOUT_HORIZONS_MS = [1_000, 5_000, 30_000, 60_000, 300_000] as const;

/** Maximum number of samples per series; a longer session has larger time steps. */
export const MAX_SAMPLES = 2_048;

export interface FillRecord {
  readonly timeMs: number;
  /** Time when the trader received the fill; null if the trader never received it. */
  readonly seenMs: number | null;
  readonly orderPubkey: string;
  readonly strategy: string;
  /** Side of the fill in YES space: `bid` means that YES was bought or NO was sold. */
  readonly side: 'bid' | 'ask';
  /** Traded outcome (YES or NO), and whether the trader bought or sold it. */
  readonly isYes: boolean;
  readonly isBuy: boolean;
  readonly priceMicros: number;
  readonly amountMicros: number;
  /** Change of currency by the fill without the fee; negative for a purchase. */
  readonly cashMicros: number;
  /** Fee paid for the fill, ≥ 0. */
  readonly feeMicros: number;
  /** True if the trader was the maker of the fill; null if the exchange did not report the maker. */
  readonly isMaker: boolean | null;
  /**
   * Mid right before the fill, without the trader's orders. While a side of the book is empty, the last known mid;
   * before the first mid, the fill's price. Null without a recorded book, as in a live ledger.
   */
  readonly markMicros: number | null;
  /** Mids after the fill, one for each of `MARKOUT_HORIZONS_MS`; null after the market's close or without a mid. */
  readonly marksAfterMicros: readonly (number | null)[];
  /** Time for which the filled order had been open, ms; 0 for a taker; null if unknown. */
  readonly restedMs: number | null;
  /** Shares ahead of the filled order when it joined the queue; null if unknown. */
  readonly joinedBehindMicros: number | null;
  /** True if an arriving recorded order caused the fill, false if a recorded trade did; null for a live session. */
  readonly atCrossing: boolean | null;
}

/** A merge (sets to currency), a split (the reverse), a redeem (settled shares to currency), or adopted shares. */
export interface ConversionRecord {
  readonly kind: 'merge' | 'split' | 'redeem' | 'adopt';
  readonly timeMs: number;
  /** Number of shares that the conversion removes; negative for a split. */
  readonly yesMicros: number;
  readonly noMicros: number;
  /** Currency that the conversion pays; negative for a split. */
  readonly cashMicros: number;
  readonly feeMicros?: number;
  /** Part of a split's currency that is the cost of the YES shares; null for other conversions. */
  readonly yesCostMicros: number | null;
  /** YES mid at the conversion, as in `FillRecord.markMicros`; for a redeem, the last mid before settlement. */
  readonly markMicros: number | null;
}

/** Figures about quoting. Times in ms, counted while the market is open and the trader runs; null if unknown. */
export interface QuotingFigures {
  readonly openForMs: number | null;
  readonly twoSidedMs: number | null;
  readonly oneSidedMs: number | null;
  /** Time for which a limit halted the trader while the market was open, ms; null if unknown. */
  readonly haltedMs: number | null;
  readonly ordersPlaced: number;
  readonly ordersCanceled: number;
  /** Number of shares of all orders that entered the book. */
  readonly postedMicros: number;
  /** Sum of the shares ahead of each order when the order joined the queue; null for a live session. */
  readonly joinedBehindMicros: number | null;
}

export interface Coverage {
  /** Recorded time of the market, and the part of this time in gaps, ms. */
  readonly spanMs: number;
  readonly gapMs: number;
  readonly gaps: number;
  readonly events: number;
  readonly trades: number;
  /** Number of lines or events of the recording that were unreadable or invalid. */
  readonly skipped: number;
}

export interface ScopeUse {
  readonly limitPerMinute: number;
  readonly count: number;
  /** Maximum requests in any 60 seconds. */
  readonly peakPerMinute: number;
  /** Number of requests that the exchange answered with status 429. */
  readonly throttled: number;
}

export interface RequestUse {
  readonly public: ScopeUse;
  readonly signed: ScopeUse;
  /** Number of requests by endpoint name, most frequent first. */
  readonly byEndpoint: readonly (readonly [endpoint: string, count: number])[];
  /** Number of requests that were never sent, because they expired before the rate limit allowed them. */
  readonly unsent: number;
  /** Time over which the requests were counted, ms; if absent, the session's time. */
  readonly overMs?: number;
}

export interface CountedRefusal {
  /** Source of the refusal: a risk limit, a guard (a check of the strategy itself), or the exchange. */
  readonly by: 'risk' | 'guard' | 'exchange';
  /** Name of the limit, error slug of the exchange, or text of a guard; the figures in a text may vary. */
  readonly name: string;
  readonly count: number;
}

export type SessionNotice = Readonly<{ timeMs: number; severity: 'info' | 'loud'; text: string }>;

/** Conditions of a result besides the market data. Every report prints these conditions. */
export interface Assumptions {
  readonly version: string;
  readonly configHash: string;
  /** Seed of the backtest's random draws; null without random draws. */
  readonly seed: number | null;
  /** Name of the fill model; null for a live session. */
  readonly fillModel: string | null;
  /** True if recorded makers count as post-only and never fill a trader's order; null for a live session. */
  readonly postsOnly: boolean | null;
  readonly latency: string | null;
  /** Fees that the backtest assumed, in words. */
  readonly fees?: string;
  /** Number of markets traded without fees, because neither recording nor user gave a fee. */
  readonly freeMarkets?: number;
  /** Description of the replayed data; one line per source. */
  readonly data: readonly string[];
  /** Remarks on the result, in sentences, for example that recorded markets do not react to the trader's orders. */
  readonly remarks: readonly string[];
}

/** One backtest under several fill models, from the most pessimistic to the most optimistic. */
export type Bracket = Readonly<{ sessions: readonly SessionRecord[] }>;
