/**
 * The record of a backtest session or a live session, as plain data. Every figure follows from the record.
 *
 * Amounts, prices and currency are integers in millionths. Prices are in YES space by default. Times are Unix ms on the
 * exchange's clock. `null` means not known, never zero.
 */

import type { MarketOutcome } from '../../shared/protocol/outcome.js';

export type SessionKind = 'backtest' | 'live';

export interface SessionRecord {
  /** Incremented when the meaning of a field changes. */
  readonly format: 1;
  readonly kind: SessionKind;
  /** Title of the report, for example the names of the strategy files. */
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly capitalMicros: number;
  /** Final currency, locked or not. */
  readonly endCashMicros: number;
  /** Markets in order of opening, including markets without any data. */
  readonly markets: readonly MarketSession[];
  /** Series of the whole account; at most `MAX_SAMPLES` samples. */
  readonly account: AccountSeries;
  /**
   * Largest fall of the equity from its peak, at the finest sampling, before samples were thinned; ≥ 0. Null when the
   * equity is not always known.
   */
  readonly maxDrawdownMicros: number | null;
  /** Use of requests; null for a live ledger, which does not count requests. */
  readonly requests: RequestUse | null;
  /** Halts and held-back times by limits, in order; unknown and empty for a live session. */
  readonly halts: readonly HaltRecord[];
  /** Refusals of risk, guards and the exchange, most frequent first. */
  readonly refusals: readonly Refusal[];
  /** Important notices: failed strategies, limits that stopped the trader, left-out markets. */
  readonly notices: readonly SessionNotice[];
  readonly assumptions: Assumptions;
}

/** A limit was reached, or a part of a loss limit, until the trader was resumed. */
export interface HaltRecord {
  /** `halted`: all orders canceled, no quotes. `reducing`: only reducing orders. `widened`: wider quotes. */
  readonly rung: 'halted' | 'reducing' | 'widened';
  readonly fromMs: number;
  /** The limit that acted, with its figures. */
  readonly reason: string;
  /** Time of the resumption; null: not in this session. */
  readonly resumedMs: number | null;
}

/** Columns of equal length, sampled at steps of `stepMs`; idle time between recordings is left out. */
export interface AccountSeries {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
  /** Currency and shares at their marks; null while a held share's mark is unknown. */
  readonly equityMicros: readonly (number | null)[];
  /** Currency behind resting orders plus the cost of held shares: bound capital. */
  readonly lockedMicros: readonly number[];
}

export interface MarketSession {
  readonly conditionId: string;
  readonly title: string;
  /** Empty when unknown: the market is then its own event. */
  readonly eventTitle: string;
  readonly category: string;
  readonly closeMs: number | null;
  /** Outcome of YES, which values final holdings at 0 or 1. Null when unknown: `endMarkMicros` values them. */
  readonly outcome: MarketOutcome | null;
  readonly series: MarketSeries;
  /** Fills in order of time. */
  readonly fills: readonly FillRecord[];
  readonly conversions: readonly ConversionRecord[];
  /** Final shares that were not redeemed. */
  readonly endYesMicros: number;
  readonly endNoMicros: number;
  /**
   * Last YES mid before the market closed or the session ended; null without a mid. Never the outcome: the settlement's
   * part of the result is the distance from this mid.
   */
  readonly endMarkMicros: number | null;
  readonly quoting: QuotingFigures;
  /** Coverage of this market's data; null for a live session without a recording. */
  readonly coverage: Coverage | null;
}

/** Columns of equal length, at equal steps. Prices without own orders; null for an empty side. */
export interface MarketSeries {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
  readonly bidMicros: readonly (number | null)[];
  readonly askMicros: readonly (number | null)[];
  /** Own best resting quotes. */
  readonly ourBidMicros: readonly (number | null)[];
  readonly ourAskMicros: readonly (number | null)[];
  /** YES held minus NO held. */
  readonly inventoryMicros: readonly number[];
}

/** Horizons of markouts after a fill, ms. Settlement is the market's outcome. */
export const MARKOUT_HORIZONS_MS = [1_000, 5_000, 30_000, 60_000, 300_000] as const;

/** Maximum samples per series; a longer session has coarser ones. */
export const MAX_SAMPLES = 2_048;

export interface FillRecord {
  readonly timeMs: number;
  /** Time when the trader learned of the fill; null for an unseen fill. */
  readonly seenMs: number | null;
  readonly orderPubkey: string;
  readonly strategy: string;
  /** Side in YES space: `bid` made us longer of YES (bought YES or sold NO). */
  readonly side: 'bid' | 'ask';
  /** The fill's leg: whether YES shares moved, else NO shares; and whether we bought them. */
  readonly isYes: boolean;
  readonly isBuy: boolean;
  /** Price in YES space. */
  readonly priceMicros: number;
  readonly amountMicros: number;
  /** Change of currency without the fee: negative for a purchase. */
  readonly cashMicros: number;
  /** ≥ 0. */
  readonly feeMicros: number;
  /** Whether we were the maker; null when the exchange did not report it. */
  readonly isMaker: boolean | null;
  /**
   * Mid of the market right before the trade, without own orders. An empty side gives the last known mid; without any
   * mid, the fill's price counts. Null without a recorded book (a live ledger).
   */
  readonly markMicros: number | null;
  /** Mid at each of `MARKOUT_HORIZONS_MS` after it; null when the market had closed or had none. */
  readonly marksAfterMicros: readonly (number | null)[];
  /** Resting time of the order, ms; 0 for a taker; null when unknown. */
  readonly restedMs: number | null;
  /** Shares ahead of the order when it began to rest; null when unknown. */
  readonly joinedBehindMicros: number | null;
  /** Whether a recorded amount that arrived at the order's price filled the order, not a recorded trade. Null live. */
  readonly atCrossing: boolean | null;
}

/** Complete sets to currency, currency to complete sets, or shares of a settled market to currency. */
export interface ConversionRecord {
  readonly kind: 'merge' | 'split' | 'redeem';
  readonly timeMs: number;
  /** Shares given up; negative for a split. */
  readonly yesMicros: number;
  readonly noMicros: number;
  /** Currency received; negative for a split. */
  readonly cashMicros: number;
  /** Part of a split's currency that its YES shares cost; null for other conversions. */
  readonly yesCostMicros: number | null;
  /** YES price then, by the rule of `FillRecord.markMicros`; of a redeem the last one before settlement. */
  readonly markMicros: number | null;
}

/** Times in ms; a market counts while it is open and the trader runs. All three are null when unknown. */
export interface QuotingFigures {
  readonly openForMs: number | null;
  readonly twoSidedMs: number | null;
  readonly oneSidedMs: number | null;
  /** Time that a limit had halted the trader while the market was open; null when unknown. */
  readonly haltedMs: number | null;
  readonly ordersPlaced: number;
  readonly ordersCanceled: number;
  /** Shares of all orders that rested. */
  readonly postedMicros: number;
  /** Sum over orders of the shares ahead when the order came to rest; null: unknown (live). */
  readonly joinedBehindMicros: number | null;
}

export interface Coverage {
  /** Recorded time, ms, and the part of its gaps. */
  readonly spanMs: number;
  readonly gapMs: number;
  readonly gaps: number;
  readonly events: number;
  readonly trades: number;
  /** Lines or rows of the recording that were unreadable or had no place in the book. */
  readonly skipped: number;
}

export interface ScopeUse {
  readonly limitPerMinute: number;
  readonly count: number;
  /** Maximum in any 60 seconds. */
  readonly peakPerMinute: number;
  /** Answered with 429. */
  readonly throttled: number;
}

export interface RequestUse {
  readonly public: ScopeUse;
  readonly signed: ScopeUse;
  /** Requests by endpoint name, most frequent first. */
  readonly byEndpoint: readonly (readonly [endpoint: string, count: number])[];
  /** Requests that never left, because they expired before the budget had a place. */
  readonly unsent: number;
}

export interface Refusal {
  /** Source: `risk`, `guard` (a strategy's own), `exchange`. */
  readonly by: 'risk' | 'guard' | 'exchange';
  /** The limit or slug; of a guard its first text among those that differ only in figures. */
  readonly name: string;
  readonly count: number;
}

export interface SessionNotice {
  readonly timeMs: number;
  readonly severity: 'info' | 'loud';
  readonly text: string;
}

/** Assumptions of a result outside the market data: printed with every report. */
export interface Assumptions {
  readonly version: string;
  readonly configHash: string;
  /** Seed of the random draws; null without random draws. */
  readonly seed: number | null;
  /** Fill model; null live. */
  readonly fillModel: string | null;
  /** Whether recorded makers are post-only, so that arriving amounts fill nothing; null live. */
  readonly postsOnly: boolean | null;
  readonly latency: string | null;
  /** Basis of the trades' fees in a backtest. */
  readonly fees?: string;
  /** Markets traded without fees because neither recording nor user named any. */
  readonly freeMarkets?: number;
  /** Played data, one line per recording. */
  readonly data: readonly string[];
  /** Sentences, for example that the recorded market does not react to own orders. */
  readonly remarks: readonly string[];
}

/** One backtest under several fill models, from the most pessimistic to the most optimistic. */
export interface Bracket {
  readonly sessions: readonly SessionRecord[];
}
