/**
 * Types that the trader's synchronous core and the shell around the core exchange. The core only issues requests, and
 * the shell only returns observations. The shell sends each request once and reports its outcome exactly once.
 */

import type { BodyOf, DataOf, EndpointName, PathParamsOf, QueryInput, Scope } from './endpoints.js';
import type { ErrorDetails } from './errors.js';
import type { RequestOwner } from './request-owner.js';

/** Priority classes, most urgent first. Of the last three classes, every fourth request is the longest waiting one. */
export const LANES = ['cancel', 'submit', 'own', 'draft', 'hot', 'quiet'] as const;
/** Lane of a request: its priority class. */
export type Lane = (typeof LANES)[number];

/** One call of the service, before the client encodes it. */
export interface Call<N extends EndpointName = EndpointName> {
  readonly endpoint: N;
  readonly params: PathParamsOf<N>;
  readonly query: QueryInput<N>;
  readonly body: BodyOf<N>;
}

/** A call of any endpoint; the field `endpoint` determines the call's type. */
export type AnyCall = { [N in EndpointName]: Call<N> }[EndpointName];

/** A request that a part of the core plans, before the scheduler assigns an id and sends it within the budget. */
export interface PlannedRequest {
  readonly lane: Lane;
  readonly call: AnyCall;
  /** Deadline, our clock, ms. A request that is not sent by its deadline is useless, and is reported as unsent. */
  readonly latestMs: number;
  readonly owner: RequestOwner;
}

/** A request to the shell, which makes the call once, before the deadline. */
export interface Request extends Omit<PlannedRequest, 'owner'> {
  /** Id of the request: unique within a run of the trader, and ascending. */
  readonly id: number;
  /** True for a cancel while all orders are being canceled; it may exceed an estimated rate limit; absent: false. */
  readonly isUrgent?: boolean;
}

/** Unreadable row of an answer: the row violates the interface of the service. */
export interface UnreadRow {
  /** Condition id of the row's market; null if the row has none. */
  readonly conditionId: string | null;
  readonly problem: string;
}

/** Outcome of one request to the service. */
export type Outcome<N extends EndpointName = EndpointName> =
  /** The request took effect. `data` is the returned record; `nextCursor` is null if there is no next page. */
  | {
      readonly kind: 'answered';
      readonly data: DataOf<N>;
      readonly nextCursor: string | null;
      /** Unreadable rows of a list of markets, which are omitted from `data`. Absent if all rows were readable. */
      readonly unread?: readonly UnreadRow[];
    }
  /** The service refused the request in an answer of its own format, so the request had no effect. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly slug: string;
      readonly message: string;
      readonly details: ErrorDetails;
    }
  /** The request's effect is unknown. The flag `sent` is false only if no byte of the request was sent. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly sent: boolean };

/** Request budget of a scope after an answer, according to the client's count or to the rate headers. */
export interface BudgetReport {
  readonly scope: Scope;
  readonly limit: number;
  readonly remaining: number;
  /** Time when the request budget is full again, or when the pause after a refusal ends, our clock, ms. */
  readonly resetMs: number;
  /** True if our own requests caused a refusal: until `resetMs`, only cancels of all orders are sent; absent: false. */
  readonly isFirm?: boolean;
  /** Whether the venue has shown its limit through rate headers or a refusal; absent: true. */
  readonly isShown?: boolean;
  /** True if `limit` is an estimate after a refusal; cancels and account reads may exceed it; absent: false. */
  readonly isGuess?: boolean;
}

/** Outcome of one request, as the engine returns it to the request's owner. */
export interface RequestResult {
  readonly request: PlannedRequest;
  readonly outcome: Outcome;
  readonly nowMs: number;
  /** Time when the request was sent, our clock, ms; for an unsent request equal to `nowMs`. */
  readonly sentMs: number;
  readonly venueTimeMs: number | null;
}

/** Command that replaces all settings of the running trader. Unchanged settings have no effect. */
export interface ConfigureCommand {
  readonly kind: 'configure';
  readonly hash: string;
  /** Settings as JSON, for the journal. Each strategy in the JSON has a key that identifies its code. */
  readonly config: string;
  /** SHA-256 that names the configuration's stored copy beside the ledger; empty if there is no copy. */
  readonly copy: string;
  /** One sentence for each changed setting; the ledger stores these sentences. */
  readonly changes: readonly string[];
  readonly by: 'operator' | 'rollback';
  readonly reason: string;
}

/** Command that sets a trader's permissions in a fleet. A trader outside a fleet never gets this command. */
export interface FleetCommand {
  readonly kind: 'fleet';
  /** Reason to cancel all orders, because another trader may soon use the wallet; null while this trader may use it. */
  readonly hold: string | null;
  readonly markets: readonly string[];
  /** Markets that other wallets of the fleet have claimed. */
  readonly foreign: readonly string[];
}

/** A command to the running trader, from the operator or from the schedule of quote hours. */
export type OperatorCommand =
  | { readonly kind: 'widen'; readonly reason: string }
  | { readonly kind: 'reduce-only'; readonly reason: string }
  | { readonly kind: 'pause'; readonly reason: string }
  /** Ends every pause and restriction except a kill. The reason may be empty only if the trader is merely paused. */
  | { readonly kind: 'resume'; readonly reason: string }
  /** Pauses one market: orders are canceled, and quotes and conversions stop until a resume. */
  | { readonly kind: 'pause-market'; readonly marketConditionId: string; readonly reason: string }
  /** Resumes one market. The reason of the resume may be empty if the operator paused the market. */
  | { readonly kind: 'resume-market'; readonly marketConditionId: string; readonly reason: string }
  /** Flattens one market: cancels orders, merges shares and sells the rest. The market then stays paused. */
  | { readonly kind: 'flatten-market'; readonly marketConditionId: string }
  /** Cancels all orders, and ends a running flatten. Quoting then continues, unless the trader was paused. */
  | { readonly kind: 'cancel-all' }
  | { readonly kind: 'flatten' }
  | { readonly kind: 'kill'; readonly reason: string }
  | { readonly kind: 'unkill'; readonly reason: string }
  /** Cancels all orders, verifies that no order is open, and then enters the mode `stopped`. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'reconcile' }
  /** Records the shares and currency at the exchange, from the newest reconciliation, in the ledger. */
  | { readonly kind: 'adopt'; readonly reason: string }
  /** Command of the schedule, not of the operator: a strategy enters or leaves its quote hours. */
  | { readonly kind: 'quote-hours'; readonly strategy: string; readonly open: boolean }
  | FleetCommand
  | ConfigureCommand;

/** Value of a feed for one market: a fair price, or a bid and an ask, as probabilities of YES between 0 and 1. */
export interface FeedValue {
  readonly conditionId: string;
  /** Fair price of the feed; null if the feed gives bid and ask instead. */
  readonly p: number | null;
  /** Bid and ask of the feed are either both given or both null. The bid is below the ask. */
  readonly bid: number | null;
  readonly ask: number | null;
  /** Standard deviation of the feed's error, in log-odds, >= 0; null if the feed does not give it. */
  readonly sd: number | null;
  /** Time to which the feed's value applies, our clock, ms; not later than the value's arrival. */
  readonly atMs: number;
  /** Expiry of the feed's value, our clock, ms; null if the value does not expire. */
  readonly validUntilMs: number | null;
}

/** Observation that the shell gives to the core. The core applies it at `nowMs` (our clock, ms) or later. */
export type Observation =
  | { readonly kind: 'time'; readonly nowMs: number }
  | {
      readonly kind: 'outcome';
      readonly nowMs: number;
      readonly requestId: number;
      readonly outcome: Outcome;
      /** Time when the request was sent, or when the unsent request was dropped, our clock, ms. */
      readonly sentMs: number;
      /** The answer's time by the exchange's clock, ms, in whole seconds; null if the answer has no time. */
      readonly venueTimeMs: number | null;
      readonly budget: BudgetReport | null;
    }
  | { readonly kind: 'command'; readonly nowMs: number; readonly command: OperatorCommand }
  /** Values of one feed, at most one for each market. */
  | { readonly kind: 'feed'; readonly nowMs: number; readonly feed: string; readonly values: readonly FeedValue[] };
