import type { MarketPoll } from '../../shared/protocol/request-owner.js';
import type { Observation, PlannedRequest, Request } from '../../shared/protocol/seam.js';
import type { StaleMarket } from './stale-index.js';

/** Outcome of the request with this id. */
export type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** A request that never left; the engine reports it as unknown with `sent: false`. */
export interface Unsent {
  readonly request: PlannedRequest;
  /** One sentence: too late, or no room in the queue. */
  readonly reason: string;
}

/** Every pushed request comes out exactly once: as a request, or unsent. */
export interface Release {
  readonly requests: readonly Request[];
  readonly unsent: readonly Unsent[];
}

export const MARKET_POLLS = ['book', 'trades', 'detail', 'candles'] as const satisfies readonly MarketPoll[];

/** Order of expedited polls: `first` before everything, `next` before polls that are not expedited. */
export type Urgency = 'first' | 'next';

/** `unsent`: it never left, so nothing backs off. */
export type PollResult = 'ok' | 'failed' | 'unsent';

/** Facts of one market for the plan, besides the value of reading its book. */
export interface PolledMarket extends StaleMarket {
  readonly marketConditionId: string;
  /** Closed for good, resolved or not: only its detail can still change. */
  readonly isOver: boolean;
  /** Whether its past price bars are to be read; absent: no. */
  readonly wantsCandles?: boolean;
}

export interface PollFacts {
  /**
   * Markets that are quoted or wait to be, in a stable order; missing ones are dropped. A new array when the set
   * changes; the same array means no change.
   */
  readonly markets: readonly PolledMarket[];
  /** Orders that rest, are in flight or unknown. */
  readonly openOrders: number;
  /** `RequestQueue.perMinute` of the two scopes. */
  readonly publicPerMinute: number;
  readonly signedPerMinute: number;
  /** Pages for the details of all open markets; Infinity while unknown or not wanted. */
  readonly openMarketPages: number;
  /**
   * Best interval of own-trade reads while orders rest, ms, bounded by the settings. Absent: unknown, read as often as
   * allowed.
   */
  readonly ownPaceMs?: number;
  /** Interval of reads of the venue's marks, ms; absent or Infinity: only in rounds. */
  readonly marksEveryMs?: number;
  /** Signed requests of an assets poll, which begins a reconciliation round. Absent: one. */
  readonly requestsARound?: number;
  /** `RequestQueue.headroom('public', 'quiet', nowMs)`: polls that would only wait are not requested. */
  readonly publicHeadroom: number;
}

/** All in ms except the last two. */
export interface PollSettings {
  /** Shortest interval of own-trade reads while orders rest; other own reads follow from it. */
  readonly ownIntervalMs: number;
  /** Longest interval of own-trade reads while orders rest; absent: 15 s. At least the shortest. */
  readonly ownLongestMs?: number;
  /** Shortest interval between reads of one book. */
  readonly hotIntervalMs: number;
  /** Longest interval between reads of a book, if the budget allows it. */
  readonly quietIntervalMs: number;
  readonly catalogIntervalMs: number;
  readonly assetsIntervalMs: number;
  /** Venue profile: whether `GET /trades/` exists; without it own orders are read at its interval. */
  readonly ownTrades: boolean;
  /** Requested levels per side, 1 to 100. */
  readonly bookDepth: number;
}
