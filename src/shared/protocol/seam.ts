/**
 * Types that the trader's synchronous core and the shell around it exchange. The trader's core only issues requests,
 * and its shell only returns observations. The shell sends each request once and reports its outcome exactly once.
 */

import type { BodyOf, DataOf, EndpointName, PathParamsOf, QueryInput, Scope } from './endpoints.js';
import type { ErrorDetails } from './errors.js';
import type { RequestOwner } from './request-owner.js';

/** Priority classes of requests, most urgent first. Among the last three, every fourth is the oldest. */
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

/** A call of any endpoint, discriminated by `endpoint`. */
export type AnyCall = { [N in EndpointName]: Call<N> }[EndpointName];

/** A request that a part of the core wants to make, before the scheduler gives it an id and a place in the budget. */
export interface PlannedRequest {
  readonly lane: Lane;
  readonly call: AnyCall;
  /** Deadline, our clock, ms. A request that is not sent by then is useless and is reported as unsent. */
  readonly latestMs: number;
  /** Part of the trader that receives the request's outcome. */
  readonly owner: RequestOwner;
}

/** A request to the shell, which makes the call once before the deadline. */
export interface Request extends Omit<PlannedRequest, 'owner'> {
  /** Id of the request, unique within a run of the trader and ascending. */
  readonly id: number;
  /** Whether the request cancels an order after a kill, so that it may exceed an estimated limit; absent: false. */
  readonly isUrgent?: boolean;
}

/** Unreadable row of an answer: it violates the interface. */
export interface UnreadRow {
  /** Condition id of the row's market; null if missing. */
  readonly conditionId: string | null;
  /** Text that names the row's invalid field, its fault and its value. */
  readonly problem: string;
}

/** Outcome of one request to the service. */
export type Outcome<N extends EndpointName = EndpointName> =
  /** The request took effect. `data` is the returned record; `nextCursor` is null unless a list has a next page. */
  | {
      readonly kind: 'answered';
      readonly data: DataOf<N>;
      readonly nextCursor: string | null;
      /** Unreadable rows of a market list, omitted from `data`. Absent if all rows were readable. */
      readonly unread?: readonly UnreadRow[];
    }
  /** The service refused the request in its own answer format, so the request had no effect. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly slug: string;
      readonly message: string;
      readonly details: ErrorDetails;
    }
  /** The effect of the request is unknown. The flag `sent` is false only if no byte of the request was sent. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly sent: boolean };

/** Request budget of a scope after an answer, according to the client or to the rate headers. */
export interface BudgetReport {
  readonly scope: Scope;
  readonly limit: number;
  readonly remaining: number;
  /** Time when the request budget is full, or permits a request again, our clock, ms. */
  readonly resetMs: number;
  /** True if our own requests explain the refusal: until `resetMs`, only cancels of a kill are sent; absent: false. */
  readonly isFirm?: boolean;
  /** Whether the venue has shown its limit through rate headers or a refusal; absent: true. */
  readonly isShown?: boolean;
  /** True if `limit` is an estimate after a refusal, which cancels and own reads may exceed; absent: false. */
  readonly isGuess?: boolean;
}

/** Outcome of one request, as the engine returns it to the request's owner. */
export interface RequestResult {
  readonly request: PlannedRequest;
  readonly outcome: Outcome;
  readonly nowMs: number;
  /** Time when the request was sent, our clock, ms; equals `nowMs` for an unsent request. */
  readonly sentMs: number;
  readonly venueTimeMs: number | null;
}

/** Command that replaces all settings of the running trader. Unchanged settings have no effect. */
export interface ConfigureCommand {
  readonly kind: 'configure';
  /** Hash of the new configuration. */
  readonly hash: string;
  /** The settings as JSON, for the journal. In it, a key of each strategy identifies the strategy's code. */
  readonly config: string;
  /** SHA-256 in the name of the configuration's copy beside the ledger; empty without a copy. */
  readonly copy: string;
  /** One sentence for each changed setting, which the ledger stores. */
  readonly changes: readonly string[];
  readonly by: 'operator' | 'rollback';
  readonly reason: string;
}

/** Permissions of a trader in a fleet. A trader outside a fleet never gets this command. */
export interface FleetCommand {
  readonly kind: 'fleet';
  /** Why all orders must be canceled: another trader may soon use the wallet. Null while this trader may use it. */
  readonly hold: string | null;
  /** Condition ids of the markets that the fleet reserves for this wallet. */
  readonly markets: readonly string[];
}

/** A command of the operator, or of the schedule of quoting hours, to the running trader. */
export type OperatorCommand =
  | { readonly kind: 'widen'; readonly reason: string }
  | { readonly kind: 'reduce-only'; readonly reason: string }
  | { readonly kind: 'pause'; readonly reason: string }
  /** Command that ends every pause and restriction except a kill. Its reason may be empty only after a plain pause. */
  | { readonly kind: 'resume'; readonly reason: string }
  /** Pauses one market: orders are canceled, and quotes and conversions stop until a resume. */
  | { readonly kind: 'pause-market'; readonly marketConditionId: string; readonly reason: string }
  /** Resumes one market. The reason for a resume may be empty if the operator paused the market. */
  | { readonly kind: 'resume-market'; readonly marketConditionId: string; readonly reason: string }
  /** Flattens one market: orders are canceled, holdings merged and sold into the book. The market then stays paused. */
  | { readonly kind: 'flatten-market'; readonly marketConditionId: string }
  /** Cancels all orders and ends a flatten. Quoting then continues unless it was paused. */
  | { readonly kind: 'cancel-all' }
  | { readonly kind: 'flatten' }
  | { readonly kind: 'kill'; readonly reason: string }
  | { readonly kind: 'unkill'; readonly reason: string }
  /** Cancels all orders, verifies that no order rests, and then enters the mode `stopped`. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'reconcile' }
  /** Books the holdings at the exchange, from the newest reconciliation, into the ledger. */
  | { readonly kind: 'adopt'; readonly reason: string }
  /** Command of the schedule, not the operator: a strategy enters or leaves its quote hours. */
  | { readonly kind: 'quote-hours'; readonly strategy: string; readonly open: boolean }
  | FleetCommand
  | ConfigureCommand;

/** Value of a feed for one market: a fair price, or bid and ask, as probabilities of YES between 0 and 1. */
export interface FeedValue {
  readonly conditionId: string;
  /** Fair price of the feed; null if the feed gives bid and ask instead. */
  readonly p: number | null;
  /** Bid and ask of the feed are either both set or both null. The bid is below the ask. */
  readonly bid: number | null;
  readonly ask: number | null;
  /** Standard deviation of the feed's error, in log-odds, >= 0; null if not given. */
  readonly sd: number | null;
  /** Time for which the feed gave the value, our clock, ms; not later than its arrival. */
  readonly atMs: number;
  /** Expiry of the feed's value, our clock, ms; null without an expiry. */
  readonly validUntilMs: number | null;
}

/** Observation that the shell returns; `nowMs` is the earliest time of its effect, our clock, ms. */
export type Observation =
  | { readonly kind: 'time'; readonly nowMs: number }
  | {
      readonly kind: 'outcome';
      readonly nowMs: number;
      readonly requestId: number;
      readonly outcome: Outcome;
      /** Time when the request was sent, or dropped if it was not sent, our clock, ms. */
      readonly sentMs: number;
      /** The exchange's clock according to its answer, ms, in whole seconds; null if absent. */
      readonly venueTimeMs: number | null;
      readonly budget: BudgetReport | null;
    }
  | { readonly kind: 'command'; readonly nowMs: number; readonly command: OperatorCommand }
  /** Values of one feed, at most one per market. */
  | { readonly kind: 'feed'; readonly nowMs: number; readonly feed: string; readonly values: readonly FeedValue[] };
