/**
 * What the scheduler promises the engine. Per handled observation the engine: gives an outcome to
 * `Queue.onOutcome` and, when the request was a poll's, its result to `Poller.onReport`; pushes what the executor asks;
 * pushes what `Poller.takeDue` returns; and hands the shell what `Queue.release` lets go.
 */

import type { Scope } from '../../shared/protocol/endpoints.js';
import type { MarketPoll, PollTarget, RequestOwner } from '../../shared/protocol/request-owner.js';
import type { Lane, Observation, PlannedRequest, Request } from '../../shared/protocol/seam.js';
import type { PurposeUse } from './purposes.js';
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

/** A scope's budget for status pages. */
export interface BudgetStatus {
  /** Requests a minute that the venue allows, as far as we know. */
  readonly limit: number;
  /** Requests a minute that we allow ourselves at present. */
  readonly perMinute: number;
  /** Requests that could leave now. */
  readonly available: number;
  /** Our clock, ms: throttled until then; null when it is not. */
  readonly blockedUntilMs: number | null;
}

/** The one gate through which every request leaves: lanes, budgets and the cancel reserve. */
export interface Queue {
  /** Never fails: a request that finds no room comes back unsent with the next release. */
  push(request: PlannedRequest): void;
  /** Takes back what still waits and is not wanted any more; it comes back unsent with the next release. */
  recall(isUnwanted: (request: PlannedRequest) => boolean, reason: string): void;
  /**
   * Orders that rest, are in flight or unknown: the reserve that can cancel them all follows it. Set it when it changes.
   * @param cancelsAll all of them are being canceled, as of a kill: cancels then probe whatever the venue said
   */
  setOpenOrders(count: number, cancelsAll?: boolean): void;
  /** What may leave now, most urgent first. Ids ascend within a run. */
  release(nowMs: number): Release;
  /** Of the newest request that was let go; 0 before the first. */
  readonly newestId: number;
  /** Whom the request behind a request that is under way belongs to. */
  findOwner(requestId: number): RequestOwner;
  /** Takes in one outcome and what it says about the budget; gives back the request behind it. */
  onOutcome(seen: OutcomeObservation): PlannedRequest;
  /**
   * How many more requests of this lane could leave within the budget now: what is left above the lane's floor, less what
   * waits in this and earlier lanes. 0 while the scope is blocked. Placing an order takes two now (draft, submit).
   */
  headroom(scope: Scope, lane: Lane, nowMs: number): number;
  /** The part that is left of what may leave at once for new orders: 1 after a quiet while, 0 while each waits for the next moment. */
  burstLeft(nowMs: number): number;
  /** Requests a minute that this scope allows us at present: the profile's, or less as its answers have taught. */
  perMinute(scope: Scope, nowMs: number): number;
  /** For status pages. Reads only: what leaves later, and when, is as if nobody had asked. */
  status(scope: Scope, nowMs: number): BudgetStatus;
  /** What requests of this run were spent on; for status pages, as `status`. */
  listSpent(nowMs: number): readonly PurposeUse[];
  /**
   * Whether time alone cannot lower what both budgets allow: there was no recent throttling, and nobody else uses the
   * budgets.
   */
  isSteady(nowMs: number): boolean;
  /** When something that waits could leave or expires: `nowMs` for at once, null when only an outcome can move it. */
  nextReleaseMs(nowMs: number): number | null;
  /** Requests that wait, requests under way: for status pages and bounds. */
  readonly waiting: number;
  readonly inFlight: number;
  /** Whether the answer to a request of an intent is out: the next step may be the one that an order waits for. */
  readonly carriesIntents: boolean;
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
  /** `Queue.perMinute` of the two scopes. */
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
  /** `Queue.headroom('public', 'quiet', nowMs)`: polls that would only wait are not asked. */
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

/** Decides what to look at next. */
export interface Poller {
  /** The polls to ask now, most urgent first; each counts as under way until `onReport` says how it ended. */
  takeDue(nowMs: number, facts: PollFacts): readonly PlannedRequest[];
  /**
   * Our clock, ms: `takeDue` finds nothing before, whatever the public headroom, as long as it is given the same facts and
   * nothing is reported or expedited; -Infinity when it must be asked.
   */
  readonly quietUntilMs: number;
  /** This was seen in the answer to something else: its interval begins anew. */
  onSeen(target: PollTarget, nowMs: number): void;
  /** How a poll ended. One that is not under way (a further page) changes nothing. */
  onReport(target: PollTarget, result: PollResult, nowMs: number): void;
  /** Looks at this as soon as the budget allows, whatever its interval, e.g. after a reconnect. Absent: first. */
  expedite(target: PollTarget, urgency?: Urgency): void;
}
