import type { MarketPoll } from '../../shared/protocol/request-owner.js';
import type { Observation, PlannedRequest, Request } from '../../shared/protocol/seam.js';
import type { StaleMarket } from './stale-index.js';

/** Outcome of one request. */
export type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** A request that was never sent; the engine reports it as unknown with `sent: false`. */
export interface Unsent {
  readonly request: PlannedRequest;
  /** Why it was not sent: too late, or no room in the queue. */
  readonly reason: string;
}

/** Requests to send, and requests not sent. Every pushed request appears exactly once. */
export interface Release {
  readonly requests: readonly Request[];
  readonly unsent: readonly Unsent[];
}

export const MARKET_POLLS = ['book', 'trades', 'detail', 'candles'] as const satisfies readonly MarketPoll[];

/** Urgency of an expedited poll: `first` precedes all polls, `next` precedes polls that are not expedited. */
export type Urgency = 'first' | 'next';

/** Result of a poll. `unsent`: it was never sent, so it does not back off. */
export type PollResult = 'ok' | 'failed' | 'unsent';

/** Facts of one market that the poll plan uses. */
export interface PolledMarket extends StaleMarket {
  readonly marketConditionId: string;
  /** True for a permanently closed market: only its detail can still change. */
  readonly isOver: boolean;
  /** True when its past price bars are wanted; absent: false. */
  readonly wantsCandles?: boolean;
}

export interface PollFacts {
  /** Markets that are quoted or wait to be, in a stable order. The same array means that nothing changed. */
  readonly markets: readonly PolledMarket[];
  /** Number of orders that rest, are in flight or unknown. */
  readonly openOrders: number;
  /** `RequestQueue.perMinute` of the public and the signed scope. */
  readonly publicPerMinute: number;
  readonly signedPerMinute: number;
  /** Number of pages with the details of all open markets; Infinity while unknown or not wanted. */
  readonly openMarketPages: number;
  /** Best interval of own-trade reads while orders rest, ms, within the settings. Absent: the shortest allowed. */
  readonly ownPaceMs?: number;
  /** Interval of reads of the venue's marks, ms; absent or Infinity: only in rounds. */
  readonly marksEveryMs?: number;
  /** Signed requests of an assets poll, which begins a reconciliation round; absent: one. */
  readonly requestsARound?: number;
  /** `RequestQueue.headroom('public', 'quiet', nowMs)`: polls that would only wait are not requested. */
  readonly publicHeadroom: number;
}

/** Settings of the poll plan; intervals in ms. */
export interface PollSettings {
  /** Shortest interval of own-trade reads while orders rest; intervals of other own reads derive from it. */
  readonly ownIntervalMs: number;
  /** Longest interval of own-trade reads while orders rest, at least the shortest; absent: 15 s. */
  readonly ownLongestMs?: number;
  /** Shortest interval between reads of one book. */
  readonly hotIntervalMs: number;
  /** Longest interval between reads of one book, if the budget allows it. */
  readonly quietIntervalMs: number;
  readonly catalogIntervalMs: number;
  readonly assetsIntervalMs: number;
  /** True when the venue lists own trades (`GET /trades/`); otherwise own orders are read in their place. */
  readonly ownTrades: boolean;
  /** Requested levels per side, 1 to 100. */
  readonly bookDepth: number;
}
