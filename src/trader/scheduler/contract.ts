import type { MarketPoll } from '../../shared/protocol/request-owner.js';
import type { Observation, PlannedRequest, Request } from '../../shared/protocol/seam.js';
import type { StaleMarket } from './stale-index.js';

/** How the request with this id ended. */
export type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** A request that never left; the engine reports it as an unknown outcome with `sent: false`. */
export interface Unsent {
  readonly request: PlannedRequest;
  /** One sentence: too late, or no room in the queue. */
  readonly reason: string;
}

/** Every request that was pushed comes out exactly once: as a request, or unsent. */
export interface Release {
  readonly requests: readonly Request[];
  readonly unsent: readonly Unsent[];
}

export const MARKET_POLLS = ['book', 'trades', 'detail', 'candles'] as const satisfies readonly MarketPoll[];

/** Of what is expedited: `first` before all else, `next` before what nobody expedites. */
export type Urgency = 'first' | 'next';

/** `unsent`: it never left, so neither the market nor the service is to blame and nothing backs off. */
export type PollResult = 'ok' | 'failed' | 'unsent';

/** What the plan must know about one market it should look at, beside what a further look at its book is worth. */
export interface PolledMarket extends StaleMarket {
  readonly marketConditionId: string;
  /** It has closed for good, whether or not it is resolved: nothing of it changes any more but what its detail says. */
  readonly isOver: boolean;
  /** Whether the price bars of its past are to be read; absent: no. */
  readonly wantsCandles?: boolean;
}

export interface PollFacts {
  /**
   * Every market that is quoted or waits to be, in a stable order; one that is left out is forgotten. A new array when
   * there are other markets; the same one means that there are none, and costs nothing to look at.
   */
  readonly markets: readonly PolledMarket[];
  /** Orders that rest, are in flight or unknown. */
  readonly openOrders: number;
  /** `RequestQueue.perMinute` of the two scopes. */
  readonly publicPerMinute: number;
  readonly signedPerMinute: number;
  /** Pages that the details of all open markets take; Infinity while that is not known, or not wanted. */
  readonly openMarketPages: number;
  /**
   * Time between two looks at own trades that would lose least while orders rest, ms; the settings bound it. Absent: not known, and
   * they are read as often as allowed.
   */
  readonly ownPaceMs?: number;
  /** Time between two reads of what the venue says that our holdings are worth, ms; absent or Infinity: none beside rounds. */
  readonly marksEveryMs?: number;
  /** Signed requests that a poll of assets leads to: it begins a round of reconciliation. Absent: that one alone. */
  readonly requestsARound?: number;
  /** `RequestQueue.headroom('public', 'quiet', nowMs)`: polls that would only wait are not asked. */
  readonly publicHeadroom: number;
}

/** All in ms but the last two. */
export interface PollSettings {
  /** Own trades while orders rest, at the shortest; own orders and the rest follow from it. */
  readonly ownIntervalMs: number;
  /** Own trades while orders rest, at the longest; absent: 15 s. Never less than the shortest. */
  readonly ownLongestMs?: number;
  /** The shortest time between two looks at one book. */
  readonly hotIntervalMs: number;
  /** The longest time that a book goes unseen, if the budget allows it. */
  readonly quietIntervalMs: number;
  readonly catalogIntervalMs: number;
  readonly assetsIntervalMs: number;
  /** Venue profile: whether `GET /trades/` exists; without it own orders are read at its pace. */
  readonly ownTrades: boolean;
  /** Levels a side to ask for, 1 to 100. */
  readonly bookDepth: number;
}
