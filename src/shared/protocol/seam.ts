/**
 * The seam between the trader's synchronous core and the shell around it: requests go out, observations come in, and
 * nothing else crosses. A shell performs each request once and reports its outcome exactly once.
 */

import type { BodyOf, DataOf, EndpointName, ParamsOf, QueryInput, Scope } from './endpoints.js';
import type { ErrorDetails } from './errors.js';
import type { RequestOwner } from './request-owner.js';

/**
 * Priority class of a request, most urgent first. Within one scope's budget an earlier lane goes first, but every fourth
 * place of the last three goes to the request that waited longest.
 */
export const LANES = ['cancel', 'submit', 'own', 'draft', 'hot', 'quiet'] as const;
/** One of the lanes, most urgent first. */
export type Lane = (typeof LANES)[number];

/** One call of the service. */
export interface Call<N extends EndpointName = EndpointName> {
  readonly endpoint: N;
  readonly params: ParamsOf<N>;
  readonly query: QueryInput<N>;
  readonly body: BodyOf<N>;
}

/** Any call, discriminated by its endpoint. */
export type AnyCall = { [N in EndpointName]: Call<N> }[EndpointName];

/** A call that a room of the core wants made, before it has an id and a place in the budget. */
export interface PlannedRequest {
  readonly lane: Lane;
  readonly call: AnyCall;
  /** Our clock, ms: from here on the call is worthless; if it has not left by then it is reported unsent. */
  readonly latestMs: number;
  /** Whom its outcome goes to. */
  readonly owner: RequestOwner;
}

/** A call on its way to the shell: to be done once, with its latest useful moment. */
export interface Request {
  /** Unique within a run of the trader, ascending. */
  readonly id: number;
  readonly lane: Lane;
  readonly call: AnyCall;
  /** Our clock, ms: from here on the request is worthless; a shell that has not sent it by then reports it unsent. */
  readonly latestMs: number;
  /** A cancel of a kill: it probes though the venue has refused. Absent: false. */
  readonly isUrgent?: boolean;
}

/** A row that the interface does not describe. */
export interface UnreadRow {
  /** The market's condition id; null where the row does not name one. */
  readonly conditionId: string | null;
  /** The field, its fault, and its value. */
  readonly problem: string;
}

/** What became of one request. */
export type Outcome<N extends EndpointName = EndpointName> =
  /** The service did it; `data` is the record it answered. `nextCursor` is null but on a list's page with a next one. */
  | {
      readonly kind: 'answered';
      readonly data: DataOf<N>;
      readonly nextCursor: string | null;
      /** Rows of a list of markets that cannot be read and are left out of `data`. Absent where every row could be. */
      readonly unread?: readonly UnreadRow[];
    }
  /** The service said, in its own envelope, that it did not do it. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly slug: string;
      readonly message: string;
      readonly details: ErrorDetails;
    }
  /** Nothing is known: it may or may not have happened. `sent: false` only when no byte of it ever left. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly sent: boolean };

/** The window of a scope after an answer: as the client reads it, or as the rate headers say. */
export interface BudgetReport {
  readonly scope: Scope;
  readonly limit: number;
  readonly remaining: number;
  /** Our clock, ms, when the budget is whole or a place is free again. */
  readonly resetMs: number;
  /** The refusal is explained by our own use: nothing but the cancels of a kill leaves before `resetMs`. Absent: false. */
  readonly isFirm?: boolean;
  /** Whether the venue has shown its limit, by rate headers or by a refusal. Absent: true. */
  readonly isShown?: boolean;
  /** Whether `limit` is a guess after a refusal that named none: then cancels and own reads may probe. Absent: false. */
  readonly isGuess?: boolean;
}

/** The outcome of one ask, as the engine hands it back to the room that asked. */
export interface RequestResult {
  readonly request: PlannedRequest;
  readonly outcome: Outcome;
  readonly nowMs: number;
  /** Our clock, ms, when it left; equals `nowMs` for one that never left. */
  readonly sentMs: number;
  readonly venueTimeMs: number | null;
}

/** All settings from now on; unchanged ones have no effect. */
export interface ConfigureCommand {
  readonly kind: 'configure';
  /** Hash of their configuration. */
  readonly hash: string;
  /** The settings as JSON, kept in the journal. Strategies' code is named by its key. */
  readonly config: string;
  /** SHA-256 that names the copy of the configuration's files beside the ledger; empty when none is kept. */
  readonly copy: string;
  /** A sentence for each changed setting, for the ledger. */
  readonly changes: readonly string[];
  /** `watch`: the files changed, and the trader's file allows automatic reloads. */
  readonly by: 'operator' | 'watch' | 'rollback';
  readonly reason: string;
}

/** Permissions of a trader in a fleet. A trader without them trades as a single one. */
export interface FleetCommand {
  readonly kind: 'fleet';
  /** Why everything is to be pulled: it may be another's wallet soon; null while it is ours. */
  readonly hold: string | null;
  /** Condition ids of the markets that no other wallet of the fleet trades in, and this one may. */
  readonly markets: readonly string[];
}

/** A command of the operator, or of the schedule of quoting hours, to the running trader. */
export type OperatorCommand =
  | { readonly kind: 'widen'; readonly reason: string }
  | { readonly kind: 'reduce-only'; readonly reason: string }
  | { readonly kind: 'pause'; readonly reason: string }
  /** Lifts everything but a kill. An empty reason says that none was given, which is enough after a plain pause only. */
  | { readonly kind: 'resume'; readonly reason: string }
  /** One market, by its condition id: its orders are pulled and nothing is quoted or converted there until it is resumed, or everything is. */
  | { readonly kind: 'pause-market'; readonly marketConditionId: string; readonly reason: string }
  /** An empty reason says that none was given, which is enough where an operator paused it. */
  | { readonly kind: 'resume-market'; readonly marketConditionId: string; readonly reason: string }
  /** One market: its orders are pulled and its holdings are merged and sold into the book; then it stays out as when paused. */
  | { readonly kind: 'flatten-market'; readonly marketConditionId: string }
  /** Cancels everything and ends a flatten; quoting continues only if it was not paused. */
  | { readonly kind: 'cancel-all' }
  | { readonly kind: 'flatten' }
  | { readonly kind: 'kill'; readonly reason: string }
  | { readonly kind: 'unkill'; readonly reason: string }
  /** Cancels everything, proves that nothing rests, and is then `stopped`. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'reconcile' }
  /** Books the exchange's holdings of the newest comparison. */
  | { readonly kind: 'adopt'; readonly reason: string }
  /** The schedule's, not a person's: a strategy enters or leaves the hours in which it quotes. */
  | { readonly kind: 'quote-hours'; readonly strategy: string; readonly open: boolean }
  | FleetCommand
  | ConfigureCommand;

/**
 * Value of a user's own source for one market: a fair price, or a bid and an ask. Probabilities of YES as floats, in
 * (0, 1): for a strategy's arithmetic, never for money.
 */
export interface FeedValue {
  readonly conditionId: string;
  /** Null where the source gives bid and ask instead. */
  readonly p: number | null;
  /** Both or neither; the bid is below the ask. */
  readonly bid: number | null;
  readonly ask: number | null;
  /** Standard deviation of the source's own error, in log-odds, >= 0; null when it does not say. */
  readonly sd: number | null;
  /** Our clock, ms: when it held, never later than it was seen. */
  readonly atMs: number;
  /** Our clock, ms: not to be used from then on; null when the source does not say. */
  readonly validUntilMs: number | null;
}

/** Something seen. `nowMs` is our clock at the moment it could first be acted upon. */
export type Observation =
  | { readonly kind: 'time'; readonly nowMs: number }
  | {
      readonly kind: 'outcome';
      readonly nowMs: number;
      readonly requestId: number;
      readonly outcome: Outcome;
      /** Our clock, ms, when the request left (for an unsent one: when it was given up). */
      readonly sentMs: number;
      /** The exchange's clock, ms, as its answer said (resolution one second); null when it said nothing. */
      readonly venueTimeMs: number | null;
      readonly budget: BudgetReport | null;
    }
  | { readonly kind: 'command'; readonly nowMs: number; readonly command: OperatorCommand }
  /** Values of one feed, at most one for each market. */
  | { readonly kind: 'feed'; readonly nowMs: number; readonly feed: string; readonly values: readonly FeedValue[] };
