/** Contract of the client: its options, its calls and its answers. */

import type {
  BodyOf,
  DataOf,
  Endpoint,
  EndpointName,
  ParamsOf,
  QueryInput,
  Scope,
} from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { BudgetReport, Lane, Observation, Outcome } from '../../shared/protocol/seam.js';
import type { Credentials } from '../wallet/credentials.js';

/** The client's two clocks; tests and shells may pass their own. */
export interface ClientClock {
  /** Our wall clock, ms since 1970; may step. */
  nowMs(): number;
  /** Never steps and never goes back, ms from an arbitrary start. */
  monotonicMs(): number;
}

/** Venue, credentials and budgets of a client. */
export interface ClientOptions {
  readonly profile: VenueProfile;
  /** Overrides the profile's. HTTPS unless the host is loopback, without query or credentials. */
  readonly baseUrl?: string;
  /** Without them only public and bootstrap calls can leave. */
  readonly credentials?: Credentials;
  readonly clock?: ClientClock;
  /**
   * Requests per minute by scope, instead of the profile's, and never exceeded whatever the headers say: for a shared
   * key. `Infinity` for a venue without limits.
   */
  readonly budgets?: Partial<Readonly<Record<Scope, number>>>;
  /**
   * Default true. False: no request waits for a budget, and no refusal causes a pause. The caller must limit its own
   * requests.
   */
  readonly isPaced?: boolean;
  /** From the first byte sent to the last byte received, per attempt, ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum requests in flight, for cancels and submits, and again for all other lanes. Default 8. */
  readonly concurrency?: number;
  readonly onNotice?: (notice: ClientNotice) => void;
  /**
   * Called just before a call leaves: returns why it must not, in a sentence; null when it may. It is then reported
   * unsent.
   */
  readonly objection?: (lane: Lane) => string | null;
}

/** Notice for the operator. Never contains a secret. */
export type ClientNotice =
  /** Our clock and the venue's differ by more than a second or two, or their difference stepped. Already corrected. */
  | {
      readonly kind: 'clock_offset';
      /** Venue minus ours, ms. */
      readonly offsetMs: number;
      readonly uncertaintyMs: number;
      /** Before the step; null for the first estimate of the venue's clock. */
      readonly previousOffsetMs: number | null;
    }
  /** The venue refused with `throttled`: for `waitMs` only one probe at a time leaves in this scope. */
  | { readonly kind: 'throttled'; readonly scope: Scope; readonly waitMs: number };

export type { QueryInput };

/** Calls that return pages. */
export type ListName = { [N in EndpointName]: Endpoint<N> extends { readonly page: number } ? N : never }[EndpointName];
/** One row of a list call. */
export type RowOf<N extends ListName> = DataOf<N>[number];

/** One page of a list. */
export interface Page<R> {
  readonly rows: readonly R[];
  /** `cursor` of the next page; null on the last. */
  readonly nextCursor: string | null;
  /** Page size reported by the service; null if absent. */
  readonly limit: number | null;
}

/** Path parameters, query and body of one call; omit the parts that the endpoint lacks. */
export type CallInput<N extends EndpointName> = { readonly query?: QueryInput<N> } & (unknown extends ParamsOf<N>
  ? { readonly params?: unknown }
  : { readonly params: ParamsOf<N> }) &
  (BodyOf<N> extends undefined ? { readonly body?: undefined } : { readonly body: BodyOf<N> });

/** Urgency and deadline of one call. */
export interface CallOptions {
  /** Default `own`. */
  readonly lane?: Lane;
  /**
   * Our clock, ms: a call that has not left by then is reported unknown with `sent: false`. Default: none, but no call
   * waits longer than an hour.
   */
  readonly latestMs?: number;
}

/** Outcome of one call, with its times. */
export interface ClientAnswer<N extends EndpointName = EndpointName> {
  readonly outcome: Outcome<N>;
  /** Our clock, ms, when the last attempt left; for an unsent call, when it was dropped. */
  readonly sentMs: number;
  /** Our clock, ms, when the outcome was known. */
  readonly nowMs: number;
  /** Venue clock, ms, from the answer's `Date` (resolution one second); null if absent. */
  readonly venueTimeMs: number | null;
  readonly budget: BudgetReport | null;
  /** Page size reported by a list's page (`meta.limit`); null for other calls, and where absent. */
  readonly pageLimit: number | null;
}

/** The observation at the end of a performed request. */
export type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** Venue clock minus ours, ms, and the maximum error. */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}
