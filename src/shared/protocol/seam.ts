/**
 * The seam between the trader's synchronous core and the shell around it: requests go out, observations come in, and
 * nothing else crosses. A shell performs each request once and reports its outcome exactly once.
 */

import type { BodyOf, DataOf, EndpointName, ParamsOf, QueryInput, Scope } from './endpoints.js';
import type { ErrorDetails } from './errors.js';
import type { RequestOwner } from './request-owner.js';

/** Priority class of a request, most urgent first. Every fourth turn of the last three goes to the oldest request. */
export const LANES = ['cancel', 'submit', 'own', 'draft', 'hot', 'quiet'] as const;
/** Name of a lane; lanes are ordered by urgency. */
export type Lane = (typeof LANES)[number];

/** One call of the service, before the client encodes it. */
export interface Call<N extends EndpointName = EndpointName> {
  readonly endpoint: N;
  readonly params: ParamsOf<N>;
  readonly query: QueryInput<N>;
  readonly body: BodyOf<N>;
}

/** Call of any endpoint, discriminated by its endpoint. */
export type AnyCall = { [N in EndpointName]: Call<N> }[EndpointName];

/** A call that a room of the core requests, before it has an id and a place in the budget. */
export interface PlannedRequest {
  readonly lane: Lane;
  readonly call: AnyCall;
  /** Deadline, our clock, ms. A request that has not left by then is useless and is reported unsent. */
  readonly latestMs: number;
  /** Receiver of the request's outcome. */
  readonly owner: RequestOwner;
}

/** A call on its way to the shell, to be made once before its deadline. */
export interface Request {
  /** Unique within a run of the trader, ascending. */
  readonly id: number;
  readonly lane: Lane;
  readonly call: AnyCall;
  /** Deadline, our clock, ms. A request not sent by then is reported unsent. */
  readonly latestMs: number;
  /** Whether the request is a cancel of a kill, which may probe after a refusal. Absent: false. */
  readonly isUrgent?: boolean;
}

/** A row that violates the interface. */
export interface UnreadRow {
  /** The market's condition id; null if missing. */
  readonly conditionId: string | null;
  /** Field of the row, the field's fault, and its value. */
  readonly problem: string;
}

/** Outcome of one request to the service. */
export type Outcome<N extends EndpointName = EndpointName> =
  /** The service did it; `data` is the returned record. `nextCursor` is null but on a list's page with a successor. */
  | {
      readonly kind: 'answered';
      readonly data: DataOf<N>;
      readonly nextCursor: string | null;
      /** Unreadable rows of a market list, left out of `data`. Absent when all were readable. */
      readonly unread?: readonly UnreadRow[];
    }
  /** The service stated in its own answer format that it did not do it. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly slug: string;
      readonly message: string;
      readonly details: ErrorDetails;
    }
  /** Unknown: it may have happened. `sent: false` only when no byte of it left. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly sent: boolean };

/** A scope's window after an answer: from the client, or from the rate headers. */
export interface BudgetReport {
  readonly scope: Scope;
  readonly limit: number;
  readonly remaining: number;
  /** Our clock, ms, when the budget is full or a place is free again. */
  readonly resetMs: number;
  /** Our own use explains the refusal: only cancels of a kill leave before `resetMs`. Absent: false. */
  readonly isFirm?: boolean;
  /** Whether the venue has shown its limit, by rate headers or by a refusal. Absent: true. */
  readonly isShown?: boolean;
  /** Whether `limit` is an estimate after a refusal, so that cancels and own reads may probe. Absent: false. */
  readonly isGuess?: boolean;
}

/** Outcome of one request, as the engine returns it to the room that made it. */
export interface RequestResult {
  readonly request: PlannedRequest;
  readonly outcome: Outcome;
  readonly nowMs: number;
  /** Time when the request left, our clock, ms; equals `nowMs` for an unsent request. */
  readonly sentMs: number;
  readonly venueTimeMs: number | null;
}

/** All settings from now on; unchanged ones have no effect. */
export interface ConfigureCommand {
  readonly kind: 'configure';
  /** Hash of the configuration with these settings. */
  readonly hash: string;
  /** The settings as JSON, kept in the journal. A key names each strategy's code. */
  readonly config: string;
  /** SHA-256 that names the copy of the configuration's files beside the ledger; empty when none is kept. */
  readonly copy: string;
  /** A sentence for each changed setting, for the ledger. */
  readonly changes: readonly string[];
  readonly by: 'operator' | 'rollback';
  readonly reason: string;
}

/** Permissions of a trader in a fleet. A trader without permissions trades outside a fleet. */
export interface FleetCommand {
  readonly kind: 'fleet';
  /** Reason to cancel all orders: another trader may soon hold the wallet; null while the wallet is ours. */
  readonly hold: string | null;
  /** Condition ids of the markets reserved for this wallet within the fleet. */
  readonly markets: readonly string[];
}

/** A command of the operator, or of the schedule of quoting hours, to the running trader. */
export type OperatorCommand =
  | { readonly kind: 'widen'; readonly reason: string }
  | { readonly kind: 'reduce-only'; readonly reason: string }
  | { readonly kind: 'pause'; readonly reason: string }
  /** Lifts everything except a kill. An empty reason is enough only after a plain pause. */
  | { readonly kind: 'resume'; readonly reason: string }
  /** Pauses one market: orders are canceled, and quotes and conversions stop until a resume. */
  | { readonly kind: 'pause-market'; readonly marketConditionId: string; readonly reason: string }
  /** Resumes one market; an empty reason is enough after an operator's pause. */
  | { readonly kind: 'resume-market'; readonly marketConditionId: string; readonly reason: string }
  /** Flattens one market: orders are canceled, holdings merged and sold into the book. Then the market stays paused. */
  | { readonly kind: 'flatten-market'; readonly marketConditionId: string }
  /** Cancels everything and ends a flatten; quoting continues only if it was not paused. */
  | { readonly kind: 'cancel-all' }
  | { readonly kind: 'flatten' }
  | { readonly kind: 'kill'; readonly reason: string }
  | { readonly kind: 'unkill'; readonly reason: string }
  /** Cancels everything, proves that no order rests, and is then `stopped`. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'reconcile' }
  /** Books the exchange's holdings of the newest comparison. */
  | { readonly kind: 'adopt'; readonly reason: string }
  /** Command of the schedule, not of an operator: a strategy enters or leaves its quote hours. */
  | { readonly kind: 'quote-hours'; readonly strategy: string; readonly open: boolean }
  | FleetCommand
  | ConfigureCommand;

/** Value of a user's feed for one market: a fair price, or bid and ask, as probabilities of YES in (0, 1). */
export interface FeedValue {
  readonly conditionId: string;
  /** Null when the source gives bid and ask. */
  readonly p: number | null;
  /** Bid and ask are both set or both null; the bid is below the ask. */
  readonly bid: number | null;
  readonly ask: number | null;
  /** Standard deviation of the source's error, in log-odds, >= 0; null if not given. */
  readonly sd: number | null;
  /** Time when the value held, our clock, ms; not later than the value's arrival. */
  readonly atMs: number;
  /** Expiry, our clock, ms; null without an expiry. */
  readonly validUntilMs: number | null;
}

/** An observation. `nowMs` is our clock at the first moment at which it can have an effect. */
export type Observation =
  | { readonly kind: 'time'; readonly nowMs: number }
  | {
      readonly kind: 'outcome';
      readonly nowMs: number;
      readonly requestId: number;
      readonly outcome: Outcome;
      /** Our clock, ms, when the request left (for an unsent one: when it was dropped). */
      readonly sentMs: number;
      /** Exchange clock in its answer, ms (resolution one second); null if absent. */
      readonly venueTimeMs: number | null;
      readonly budget: BudgetReport | null;
    }
  | { readonly kind: 'command'; readonly nowMs: number; readonly command: OperatorCommand }
  /** Values of one feed, at most one per market. */
  | { readonly kind: 'feed'; readonly nowMs: number; readonly feed: string; readonly values: readonly FeedValue[] };
