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

/** The two clocks that a client reads; a test or a shell may bring its own. */
export interface ClientClock {
  /** Our wall clock, ms since 1970; may step. */
  nowMs(): number;
  /** Never steps and never goes back, ms from an arbitrary start. */
  monotonicMs(): number;
}

/** How a client reaches one venue, as whom, and how much it may ask. */
export interface ClientOptions {
  readonly profile: VenueProfile;
  /** Overrides the profile's. HTTPS unless the host is loopback, without query or credentials. */
  readonly baseUrl?: string;
  /** Without them only public and bootstrap calls can leave. */
  readonly credentials?: Credentials;
  readonly clock?: ClientClock;
  /**
   * Requests a minute per scope, in place of the profile's and never exceeded, whatever the venue's headers say: for a
   * key that others use too. `Infinity` for a venue that does not limit.
   */
  readonly budgets?: Partial<Readonly<Record<Scope, number>>>;
  /**
   * Default true. False for who must act whatever is said to it: nothing waits for a budget, and no refusal makes it pause.
   * Its owner sees to it that it asks little.
   */
  readonly isPaced?: boolean;
  /** From the first byte sent to the last byte received, per attempt, ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Requests in flight at once among cancels and submits, and as many among all other lanes. Default 8. */
  readonly concurrency?: number;
  readonly onNotice?: (notice: ClientNotice) => void;
  /** Asked last before a call leaves: why it must not, one sentence; null when it may. It is then reported unsent. */
  readonly objection?: (lane: Lane) => string | null;
}

/** Something that an operator should read. Never holds a secret. */
export type ClientNotice =
  /** Our clock and the venue's differ by more than a second or two, or their difference stepped. Already corrected for. */
  | {
      readonly kind: 'clock_offset';
      /** Venue minus ours, ms. */
      readonly offsetMs: number;
      readonly uncertaintyMs: number;
      /** Before the step; null on the first sight of the venue's clock. */
      readonly previousOffsetMs: number | null;
    }
  /** The venue refused with `throttled`; nothing of the scope but a probe at a time leaves for `waitMs`. */
  | { readonly kind: 'throttled'; readonly scope: Scope; readonly waitMs: number };

export type { QueryInput };

/** Calls that answer page by page. */
export type ListName = { [N in EndpointName]: Endpoint<N> extends { readonly page: number } ? N : never }[EndpointName];
/** One row of a list call. */
export type RowOf<N extends ListName> = DataOf<N>[number];

/** One page of a list. */
export interface Page<R> {
  readonly rows: readonly R[];
  /** For the `cursor` of the page after this one; null on the last. */
  readonly nextCursor: string | null;
  /** The page's size as the service says it; null when it says nothing. */
  readonly limit: number | null;
}

/** Path parameters, query and body of one call; parts that the endpoint does not have may be left out. */
export type CallInput<N extends EndpointName> = { readonly query?: QueryInput<N> } & (unknown extends ParamsOf<N>
  ? { readonly params?: unknown }
  : { readonly params: ParamsOf<N> }) &
  (BodyOf<N> extends undefined ? { readonly body?: undefined } : { readonly body: BodyOf<N> });

/** How urgent one call is, and until when it is of use. */
export interface CallOptions {
  /** Default `own`. */
  readonly lane?: Lane;
  /** Our clock, ms: a call that has not left by then is reported unknown with `sent: false`. Default: none, but no call waits in line for more than an hour. */
  readonly latestMs?: number;
}

/** Outcome of one call, with its times. */
export interface ClientAnswer<N extends EndpointName = EndpointName> {
  readonly outcome: Outcome<N>;
  /** Our clock, ms, when the last attempt left; for one that never left, when it was given up. */
  readonly sentMs: number;
  /** Our clock, ms, when the outcome was known. */
  readonly nowMs: number;
  /** The venue's clock, ms, as the answer's `Date` said (resolution one second); null when it said nothing. */
  readonly venueTimeMs: number | null;
  readonly budget: BudgetReport | null;
  /** Page size according to a list's page (`meta.limit`); null for other calls, and where it is absent. */
  readonly pageLimit: number | null;
}

/** The observation that a performed request ends in. */
export type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** The venue's clock minus ours, ms, and how far the truth may lie from it. */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}
