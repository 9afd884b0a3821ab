/**
 * Every figure of a report, as plain data: what `--json` prints, what the page shows and what the tables of the terminal
 * are made of. Key names are part of the program's surface; `docs/backtesting.md` lists them.
 *
 * `…Micros` are millionths of the currency, of a share or of a price. Whole numbers are exact sums of what was booked;
 * means, errors and intervals are not whole. `…Share` is a part of 1. `null` is "not known" or "not defined" (a mean
 * without values), never zero.
 */

import type { MarketOutcome } from '../../../shared/protocol/outcome.js';
import type { Assumptions, Coverage, HaltRecord, Refusal, RequestUse, SessionKind } from '../../session/contract.js';
import type { RequestPurpose } from './purposes.js';

export interface Analysis {
  /** Raised when the meaning of a key changes. */
  readonly format: 1;
  readonly kind: SessionKind;
  readonly title: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** What a reader must know before believing a figure, most serious first. */
  readonly warnings: readonly Warning[];
  readonly equity: EquityFigures;
  readonly result: ResultSplit;
  readonly trading: TradingFigures;
  readonly quoting: QuotingShare;
  readonly markouts: readonly Markout[];
  /** Null for what really happened. */
  readonly crossing: CrossingFigures | null;
  readonly inventory: InventoryFigures;
  readonly capital: CapitalFigures;
  readonly drawdown: DrawdownFigures;
  readonly byEvent: EventFigures;
  readonly requests: RequestFigures | null;
  readonly halts: readonly HaltRecord[];
  readonly refusals: readonly Refusal[];
  readonly coverage: CoverageFigures;
  /** In the record's order. */
  readonly markets: readonly MarketAnalysis[];
  /** Condition ids, at most `RANKED_MARKETS` each, the most extreme first; only markets with a result other than 0. */
  readonly bestMarkets: readonly string[];
  readonly worstMarkets: readonly string[];
  readonly assumptions: Assumptions;
  /** Of a backtest that was run more than once: all other figures are of the run with the middle result. */
  readonly repeats?: RepeatFigures;
}

/** Runs that differ in when polls fall and how long calls take. */
export interface RepeatFigures extends RepeatedResult {
  readonly count: number;
  /** The same over the markets that every run of every model played: what models are compared by. Null where that is all. */
  readonly compared: (RepeatedResult & { readonly markets: number; readonly ofMarkets: number }) | null;
  readonly spreadMicros: RunSpread;
  readonly fills: RunSpread;
  /** A share. */
  readonly markout5sMicros: RunSpread;
  readonly markout60sMicros: RunSpread;
  /** In order. */
  readonly runs: readonly {
    readonly seed: number;
    readonly resultMicros: number;
    readonly fills: number;
    readonly traceHash: string;
  }[];
}

export interface RepeatedResult {
  /** With a fill in at least one run. */
  readonly events: number;
  readonly resultMicros: RunSpread;
  /** 95 % of 2,000 redrawn sets of events, each with the mean of its runs; null below `LEAST_EVENTS` events. */
  readonly intervalMicros: readonly [low: number, high: number] | null;
}

/** Of one figure, over the runs. */
export interface RunSpread {
  readonly mean: number | null;
  /** Of the sample; null for a single run. */
  readonly deviation: number | null;
  readonly lowest: number | null;
  readonly highest: number | null;
}

export const RANKED_MARKETS = 5;

/** `wrong`: figures contradict each other. `caution`: a figure stands for less than it seems to. `note`: good to know. */
export type WarningLevel = 'wrong' | 'caution' | 'note';

export interface Warning {
  readonly level: WarningLevel;
  /** Stable name, for programs. */
  readonly name: string;
  readonly text: string;
}

/** Where the money is. `result` = end equity - capital. */
export interface EquityFigures {
  readonly capitalMicros: number;
  readonly endCashMicros: number;
  /** Shares at the end: at the outcome where it is known, else at the last mark, else at what they cost. */
  readonly endHoldingsMicros: number;
  /** The part of it that is valued at cost, because no price is known. */
  readonly atCostMicros: number;
  readonly endEquityMicros: number;
  readonly resultMicros: number;
  /** Of the capital; null without capital. */
  readonly returnShare: number | null;
}

/**
 * result = spread + drift - fees + merges + settlement + undivided, to the micro.
 *
 * - spread: at each fill, shares times the distance of its price from the middle: what was earned by being filled away
 *   from the market.
 * - drift: what held shares won or lost while the middle moved, until they were given up or the market closed. What
 *   rounding the parts to whole micros leaves over, at most 4 micros a market, is in here.
 * - fees: paid, as a positive number.
 * - merges: currency for complete sets beyond their value, 0 but for rounding.
 * - settlement: from the last middle to the outcome, of what was still held.
 * - undivided: what cannot be told apart because the middle is not known for it.
 */
export interface ResultSplit {
  readonly resultMicros: number;
  /** Spread and drift are null when no fill's middle is known, settlement when none of what was settled has one. */
  readonly spreadMicros: number | null;
  readonly driftMicros: number | null;
  readonly feesMicros: number;
  readonly mergesMicros: number;
  readonly settlementMicros: number | null;
  readonly undividedMicros: number;
}

export interface TradingFigures {
  readonly fills: number;
  readonly makerFills: number;
  readonly takerFills: number;
  /** Shares, in YES space: bought YES or sold NO; sold YES or bought NO. */
  readonly boughtMicros: number;
  readonly soldMicros: number;
  /** Currency that changed hands. */
  readonly turnoverMicros: number;
  /** Shares of orders that came to rest. */
  readonly postedMicros: number;
  /** Shares that resting orders were filled with; with `postedMicros` the fill ratio. */
  readonly restingFilledMicros: number;
  readonly fillRatioShare: number | null;
  /**
   * What the other leg of each fill would have paid in fees, less what was paid: buying YES against selling NO, selling YES against
   * buying NO. Null where it is not known what fees are a part of.
   */
  readonly feesSavedByLegsMicros: number | null;
  readonly ordersPlaced: number;
  readonly ordersCanceled: number;
  /** Orders with at least one fill while they rested. */
  readonly ordersFilled: number;
  readonly queue: QueueFigures;
  /** Time an order rested before a fill, ms. */
  readonly rested: Spread;
  /** From a fill until the trader knew of it, ms. */
  readonly noticed: Spread;
  /** Fills that the trader never came to know of. */
  readonly neverNoticed: number;
}

/** Shares that stood ahead of an order when it came to rest; and the part of the queue that is, ahead / (ahead + own). */
export interface QueueFigures {
  readonly meanAheadMicros: number | null;
  readonly aheadShare: number | null;
  /** The same of the orders that were filled: what is ahead of those is less. */
  readonly filledMeanAheadMicros: number | null;
}

/** How values spread. Null without values. */
export interface Spread {
  readonly count: number;
  readonly mean: number | null;
  readonly median: number | null;
  /** The value that 90 % lie below. */
  readonly p90: number | null;
}

export interface QuotingShare {
  /** Market time: sum over markets of the time each was open while the trader ran. Null when not known. */
  readonly openForMs: number | null;
  readonly twoSidedMs: number | null;
  readonly oneSidedMs: number | null;
  readonly twoSidedShare: number | null;
  readonly oneSidedShare: number | null;
}

export type MarkoutHorizon = number | 'settlement';
export type MarkoutSide = 'all' | 'bid' | 'ask';

/**
 * For one horizon and side, per share and weighted by shares: effective half-spread = markout + adverse selection.
 * The three are of the same fills: those whose middle at the horizon is known.
 */
export interface Markout {
  /** Ms after the fill. */
  readonly horizon: MarkoutHorizon;
  readonly side: MarkoutSide;
  readonly fills: number;
  readonly sharesMicros: number;
  readonly markets: number;
  /** Distance of price and middle at the fill. Null when that is not known for each of the fills. */
  readonly effectiveMicros: number | null;
  /** What a share was worth to us at the horizon, against the price of the fill. */
  readonly markoutMicros: number | null;
  /** Of the markout, clustered by market; null with fewer than two markets. */
  readonly standardErrorMicros: number | null;
  /** How far the middle moved against us. */
  readonly adverseMicros: number | null;
}

/** Where the recorded other side came to the price of a resting order of ours, under the fill model's rule. */
export interface CrossingFigures {
  /** What that filled at once; nothing where recorded makers post only. */
  readonly filled: CrossedShares & { readonly fills: number };
  /** Orders that it left standing until they were canceled or their market closed; markouts as if filled when first reached. */
  readonly unfilled: CrossedShares & {
    readonly orders: number;
    /** How long the other side stood at their price or beyond, ms. */
    readonly crossed: Spread;
  };
}

export interface CrossedShares {
  readonly sharesMicros: number;
  /** After 1 s, 5 s, 60 s and at settlement, both sides together. */
  readonly markouts: readonly Markout[];
}

export interface InventoryFigures {
  /** Largest |YES - NO| held in one market, in shares, and where. */
  readonly peakMicros: number;
  readonly peakMarket: string | null;
  /** Median over markets of the time until half of a position is undone, from an AR(1) fit of its samples, ms. */
  readonly halfLifeMs: number | null;
  /** Shares (|YES - NO|) held when markets settled, and as a part of all shares traded. */
  readonly carriedMicros: number;
  readonly carriedShare: number | null;
}

export interface CapitalFigures {
  readonly meanLockedMicros: number | null;
  readonly peakLockedMicros: number | null;
  /** Result / mean locked capital; not annualised. */
  readonly returnOnLockedShare: number | null;
}

export interface DrawdownFigures {
  readonly maxMicros: number | null;
  /** Of the capital. */
  readonly maxShare: number | null;
  /** The longest time below an earlier peak, as far as the samples show it, ms. */
  readonly longestMs: number | null;
}

/** Markets of one event resolve together: the event is what there are independent samples of. */
export interface EventFigures {
  /** Events with a fill. */
  readonly events: number;
  readonly won: number;
  readonly lost: number;
  readonly meanMicros: number | null;
  readonly deviationMicros: number | null;
  /** Mean / deviation of the results per event; per event, not per year. Null with fewer than two events. */
  readonly sharpe: number | null;
  /** 95 % of 2,000 redrawn sets of events have their result between these. */
  readonly intervalMicros: readonly [low: number, high: number] | null;
  /** What these few numbers cannot say. */
  readonly caveat: string;
}

export interface RequestFigures extends RequestUse {
  /** Time that was played or lived through, as far as it is covered by samples, in minutes. */
  readonly minutes: number;
  /** Mean and peak use of the limit. */
  readonly publicShare: number | null;
  readonly signedShare: number | null;
  readonly publicPeakShare: number | null;
  readonly signedPeakShare: number | null;
  readonly byPurpose: Readonly<Record<RequestPurpose, number>>;
  /** Requests that a fill took; null without a fill. */
  readonly perFill: number | null;
  /** What a request brought, Micros and parts of one; null without a request. */
  readonly valueMicros: number | null;
}

export interface CoverageFigures {
  readonly markets: number;
  /** Without those in which a limit that had been reached kept the trader from quoting. */
  readonly marketsPlayed: number;
  readonly marketsQuoted: number;
  readonly marketsTraded: number;
  readonly marketsWithoutOutcome: number;
  readonly marketsWithoutRecording: number;
  /** Recorded time of all markets, and the part of it that its gaps leave; null without a recording. */
  readonly spanMs: number;
  readonly coveredShare: number | null;
  readonly gaps: number;
  readonly gapMs: number;
  readonly events: number;
  readonly trades: number;
  readonly skipped: number;
}

export type Valuation = 'nothing held' | 'outcome' | 'mark' | 'cost';

export interface MarketAnalysis {
  readonly conditionId: string;
  readonly title: string;
  readonly eventTitle: string;
  readonly category: string;
  readonly outcome: MarketOutcome | null;
  /** False when nothing was quoted because a limit had halted the trader for most of the time: then 0 is no result. */
  readonly isPlayed: boolean;
  readonly result: ResultSplit;
  readonly fills: number;
  readonly boughtMicros: number;
  readonly soldMicros: number;
  readonly turnoverMicros: number;
  readonly fillRatioShare: number | null;
  readonly ordersPlaced: number;
  readonly twoSidedShare: number | null;
  /** Weighted by shares; null without fills whose middle is known then. */
  readonly markout60sMicros: number | null;
  readonly peakInventoryMicros: number;
  readonly halfLifeMs: number | null;
  readonly endYesMicros: number;
  readonly endNoMicros: number;
  readonly endValueMicros: number;
  readonly valuedAt: Valuation;
  readonly coverage: Coverage | null;
}

/** Several fill models side by side. */
export interface BracketVerdict {
  /** True when the result is above 0 under one model and below it under another, over the markets that all of them played. */
  readonly signFlips: boolean;
  /** Which way all intervals point; `unclear` when one of them holds 0, or there are too few events to have one. */
  readonly points: 'gain' | 'loss' | 'unclear';
  /** In words; empty for a single session. */
  readonly text: string;
}
