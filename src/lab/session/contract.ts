/**
 * What a session of trading was, as plain data: what a backtest measures and what a live ledger can tell. From this one
 * record follow every figure, the JSON and the HTML. It holds numbers, texts, arrays and nothing else, so that it can be
 * stored, hashed and handed between threads.
 *
 * Amounts, prices and currency are integers in millionths; prices are in YES space unless it is said; times are Unix ms
 * on the exchange's clock. `null` means not known, never zero.
 */

import type { FeeSchedule } from '../../shared/base/fees.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';

export type SessionKind = 'backtest' | 'live';

export interface SessionRecord {
  /** Raised when the meaning of a field changes. */
  readonly format: 1;
  readonly kind: SessionKind;
  /** What the report is called, e.g. the names of the strategy files. */
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly capitalMicros: number;
  /** Currency at the end, nothing of it locked any more or not. */
  readonly endCashMicros: number;
  /** In order of opening. Markets in which nothing was seen or done are here too. */
  readonly markets: readonly MarketSession[];
  /** Of the whole account; sampled, at most `MAX_SAMPLES`. */
  readonly account: AccountSeries;
  /**
   * Largest fall of the equity from its peak, found at the finest sampling, before samples were thinned out; ≥ 0. Null
   * when the equity was not known throughout.
   */
  readonly maxDrawdownMicros: number | null;
  /** Null for a live ledger, which does not count requests. */
  readonly requests: RequestUse | null;
  /** When limits halted the trader or held it back, in order of time; of a live session not known here, and empty. */
  readonly halts: readonly HaltRecord[];
  /** What risk, guards and the exchange refused, most frequent first. */
  readonly refusals: readonly Refusal[];
  /** Notices a person must see: strategies that failed, limits that stopped the trader, markets left out. */
  readonly notices: readonly SessionNotice[];
  readonly assumptions: Assumptions;
}

/** A limit was reached, or a part of a loss limit, until the trader was resumed. */
export interface HaltRecord {
  /** `halted`: everything was canceled and nothing quoted; `reducing`: only orders that reduce; `widened`: quotes kept away. */
  readonly rung: 'halted' | 'reducing' | 'widened';
  readonly fromMs: number;
  /** Which limit, with its figures. */
  readonly reason: string;
  /** Null: never, in this session. */
  readonly resumedMs: number | null;
}

/** Columns of one length. Samples stand at equal steps of `stepMs`; idle time between recordings is left out. */
export interface AccountSeries {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
  /** Currency and shares at their marks; null while a mark of what is held is not known. */
  readonly equityMicros: readonly (number | null)[];
  /** Currency behind resting orders and what held shares cost: capital that can do nothing else. */
  readonly lockedMicros: readonly number[];
}

export interface MarketSession {
  readonly conditionId: string;
  readonly title: string;
  /** Empty when not known: then the market is an event of its own. */
  readonly eventTitle: string;
  readonly category: string;
  readonly tickMicros: number | null;
  readonly openMs: number | null;
  readonly closeMs: number | null;
  /**
   * What YES resolved to: what is held at the end is then worth 0 or 1. Null when that is not known: what is held at the
   * end is valued at `endMarkMicros`.
   */
  readonly outcome: MarketOutcome | null;
  readonly makerFeeRateMicros: number;
  readonly series: MarketSeries;
  /** In order of time. */
  readonly fills: readonly FillRecord[];
  readonly conversions: readonly ConversionRecord[];
  /** Orders of ours that a recording crossed without filling them, in order of time. Null: not known (what really happened). */
  readonly stoodCrossed: readonly CrossedOrder[] | null;
  /** Shares at the end that no redemption has turned into currency. */
  readonly endYesMicros: number;
  readonly endNoMicros: number;
  /**
   * The last YES middle before the market closed, or before the session ended; never the outcome, from which the
   * settlement's part of the result is the distance. Null when none was ever seen.
   */
  readonly endMarkMicros: number | null;
  readonly quoting: QuotingFigures;
  /** Of the data this market was played from. Null for a live session without a recording. */
  readonly coverage: Coverage | null;
}

/** Columns of one length, at equal steps. Prices without our own orders; null for an empty side. */
export interface MarketSeries {
  readonly stepMs: number;
  readonly timeMs: readonly number[];
  readonly bidMicros: readonly (number | null)[];
  readonly askMicros: readonly (number | null)[];
  /** Our best resting quotes. */
  readonly ourBidMicros: readonly (number | null)[];
  readonly ourAskMicros: readonly (number | null)[];
  /** YES held minus NO held. */
  readonly inventoryMicros: readonly number[];
}

/** The horizons of markouts after a fill, ms. Settlement is the market's outcome. */
export const MARKOUT_HORIZONS_MS = [1_000, 5_000, 30_000, 60_000, 300_000] as const;

/** At most so many samples a series keeps; a longer session has coarser ones. */
export const MAX_SAMPLES = 2_048;

export interface FillRecord {
  readonly timeMs: number;
  /** When the trader knew of it; null when it never did. */
  readonly seenMs: number | null;
  readonly orderPubkey: string;
  readonly strategy: string;
  /** In YES space: `bid` when it made us longer of YES (bought YES or sold NO). */
  readonly side: 'bid' | 'ask';
  /** The leg that did it: whether YES shares moved, else NO shares; and whether we bought them. */
  readonly isYes: boolean;
  readonly isBuy: boolean;
  /** In YES space. */
  readonly priceMicros: number;
  readonly amountMicros: number;
  /** Change of currency without the fee: negative for a purchase. */
  readonly cashMicros: number;
  /** ≥ 0. */
  readonly feeMicros: number;
  /** Null when the exchange did not say. */
  readonly isMaker: boolean | null;
  /**
   * The market's middle right before the trade, without our own orders; where a side was empty, the last middle before,
   * and where there was none yet, the price of the fill. Null when nobody recorded the book (a live ledger).
   */
  readonly markMicros: number | null;
  /** The middle at each of `MARKOUT_HORIZONS_MS` after it; null when the market had closed or had none by then. */
  readonly marksAfterMicros: readonly (number | null)[];
  /** How long the order had been resting, ms; 0 for a taker; null when not known. */
  readonly restedMs: number | null;
  /** Shares that stood ahead of the order when it came to rest; null when not known. */
  readonly joinedBehindMicros: number | null;
  /** A recorded amount that came to the order's price filled it, not a recorded trade. Null for what really happened. */
  readonly atCrossing: boolean | null;
}

/**
 * A resting order of ours that the recorded other side reached, at its price or beyond, and that was not wholly filled
 * before it was canceled or the market closed. hftbacktest would have filled it.
 */
export interface CrossedOrder {
  /** When it was first reached. */
  readonly timeMs: number;
  /** In YES space. */
  readonly side: 'bid' | 'ask';
  readonly priceMicros: number;
  /** Shares that it ended with. */
  readonly amountMicros: number;
  /** How long the other side stood at its price or beyond, ms, as the recording holds it; ended by its end. */
  readonly crossedMs: number;
  /** The middle when it was first reached, with what had come. */
  readonly markMicros: number | null;
  /** The middle at each of `MARKOUT_HORIZONS_MS` after that; null when the market had closed or had none by then. */
  readonly marksAfterMicros: readonly (number | null)[];
}

/** Complete sets to currency, currency to complete sets, or shares of a settled market to currency. */
export interface ConversionRecord {
  readonly kind: 'merge' | 'split' | 'redeem';
  readonly timeMs: number;
  /** Shares given up; negative where a split brought them. */
  readonly yesMicros: number;
  readonly noMicros: number;
  /** Currency received; negative where a split took it. */
  readonly cashMicros: number;
  /** Of a split: the part of the currency that its YES shares cost. Null for the others. */
  readonly yesCostMicros: number | null;
  /** YES price at that moment, by the rule of `FillRecord.markMicros`; of a redeem the last one before settlement. */
  readonly markMicros: number | null;
}

/**
 * Times in ms; a market counts while it is open and the trader runs. All three are null when that is not known.
 */
export interface QuotingFigures {
  readonly openForMs: number | null;
  readonly twoSidedMs: number | null;
  readonly oneSidedMs: number | null;
  /** How long, while the market was open, a limit had halted the trader; null when that is not known. */
  readonly haltedMs: number | null;
  readonly ordersPlaced: number;
  readonly ordersCanceled: number;
  /** Shares of all orders that came to rest. */
  readonly postedMicros: number;
  /** Sum over orders of shares ahead when they came to rest; divided by `ordersPlaced` it is a mean. Null: not known. */
  readonly joinedBehindMicros: number | null;
}

export interface Coverage {
  /** Recorded time that is in the recording, ms, and what its gaps take of it. */
  readonly spanMs: number;
  readonly gapMs: number;
  readonly gaps: number;
  readonly events: number;
  readonly trades: number;
  /** Lines or rows of the recording that could not be read or had no place in the book. */
  readonly skipped: number;
}

export interface ScopeUse {
  readonly limitPerMinute: number;
  readonly count: number;
  /** The most in any 60 seconds. */
  readonly peakPerMinute: number;
  /** Answered with 429. */
  readonly throttled: number;
}

export interface RequestUse {
  readonly public: ScopeUse;
  readonly signed: ScopeUse;
  /** By endpoint name, most frequent first. */
  readonly byEndpoint: readonly (readonly [endpoint: string, count: number])[];
  /** Requests that never left, because their time was over before the budget had a place for them. */
  readonly unsent: number;
}

export interface Refusal {
  /** Who: `risk`, `guard` (a strategy's own), `exchange`. */
  readonly by: 'risk' | 'guard' | 'exchange';
  /** The limit or slug; of a guard its words when it was met first, for those that differ in their figures alone. */
  readonly name: string;
  readonly count: number;
}

export interface SessionNotice {
  readonly timeMs: number;
  readonly severity: 'info' | 'loud';
  readonly text: string;
}

/** Everything that a result depends on and that is not in the market: printed with every report. */
export interface Assumptions {
  readonly version: string;
  readonly configHash: string;
  /** Null where nothing was drawn. */
  readonly seed: number | null;
  /** Null for what really happened. */
  readonly fillModel: string | null;
  /** Whether recorded makers are taken to post only, so that coming to our price fills nothing. Null for what really happened. */
  readonly postsOnly: boolean | null;
  readonly latency: string | null;
  /** Of a backtest: by what trades were charged. */
  readonly fees?: string;
  /** What the fees were a part of; absent: not known. */
  readonly feeSchedule?: FeeSchedule;
  /** Markets that were traded free because neither their recordings nor anybody else named a fee. */
  readonly freeMarkets?: number;
  /** What was played, one line each. */
  readonly data: readonly string[];
  /** Sentences, e.g. that the recorded market does not react to our orders. */
  readonly remarks: readonly string[];
}

/** One backtest under several fill models, from the most pessimistic to the most optimistic. */
export interface Bracket {
  readonly sessions: readonly SessionRecord[];
}
