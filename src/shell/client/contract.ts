/** Contract of the client: its options, calls, answers and errors. */

import {
  type BodyOf,
  type DataOf,
  declarationOf,
  type Endpoint,
  type EndpointName,
  type ParamsOf,
  type QueryInput,
  type Scope,
} from '../../shared/protocol/endpoints.js';
import type { ErrorDetails, ServiceErrorSlug } from '../../shared/protocol/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { BudgetReport, Lane, Observation, Outcome } from '../../shared/protocol/seam.js';
import type { Credentials } from '../wallet/key-file.js';

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
  /** Credentials for signing; without credentials only public and bootstrap calls can leave. */
  readonly credentials?: Credentials;
  readonly clock?: ClientClock;
  /** Requests per minute by scope, never exceeded: for a shared key. `Infinity` for a venue without limits. */
  readonly budgets?: Partial<Readonly<Record<Scope, number>>>;
  /** Default true. False: no request waits for a budget, and no refusal causes a pause. */
  readonly isPaced?: boolean;
  /** Time from the first byte sent to the last byte received, per attempt, ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum requests in flight, for cancels and submits, and again for all other lanes. Default 8. */
  readonly concurrency?: number;
  readonly onNotice?: (notice: ClientNotice) => void;
  /** Returns one sentence on why a call must not leave; null permits the call. A refused call is reported unsent. */
  readonly objection?: (lane: Lane) => string | null;
}

/** Notice for the operator; contains no secret. */
export type ClientNotice =
  /** Our clock and the venue's differ by more than a second or two, or their difference stepped. Already corrected. */
  | {
      readonly kind: 'clock_offset';
      /** Venue's clock minus ours, ms. */
      readonly offsetMs: number;
      readonly uncertaintyMs: number;
      /** Offset before the step; null for the first estimate of the venue's clock. */
      readonly previousOffsetMs: number | null;
    }
  /** The venue refused with `throttled`: for `waitMs` only one probe at a time leaves in this scope. */
  | { readonly kind: 'throttled'; readonly scope: Scope; readonly waitMs: number };

/** Names of the calls that return pages. */
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

/** Urgency and deadline of one call, chosen by the caller. */
export interface CallOptions {
  /** Default `own`. */
  readonly lane?: Lane;
  /** Our clock, ms: a call that has not left by then is reported unsent. Default: an hour from now. */
  readonly latestMs?: number;
}

/** Outcome of one call and the times of its attempts. */
export interface ClientAnswer<N extends EndpointName = EndpointName> {
  readonly outcome: Outcome<N>;
  /** Time when the last attempt left, or when an unsent call was dropped; our clock, ms. */
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

/** Base of the four errors. Messages hold the request and the result, but no key, secret, signature or header. */
export abstract class ServiceError extends Error {
  readonly endpoint: EndpointName;
  /** Key of the record to read; null without a record. */
  readonly pubkey: string | null;

  constructor(endpoint: EndpointName, message: string, pubkey: string | null) {
    super(message);
    this.endpoint = endpoint;
    this.pubkey = pubkey;
  }
}

type Refusal = Omit<Extract<Outcome, { kind: 'refused' }>, 'kind'>;

/** The service stated in its own answer format that nothing was done. */
export class ServiceRefused extends ServiceError {
  override readonly name = 'ServiceRefused';
  readonly status: number;
  /** Branch on this: one of `SERVICE_ERRORS`, or a slug of a newer service. */
  readonly slug: string;
  /** Reason in the service's own words. */
  readonly reason: string;
  /** Objects with one key each, which names an offending field; empty for most refusals. */
  readonly details: ErrorDetails;

  constructor(endpoint: EndpointName, refusal: Refusal, pubkey: string | null = null) {
    const { status, slug, message, details } = refusal;
    const fields = details.flatMap((row) => Object.entries(row).map(([name, text]) => `${name}: ${text}`));
    super(endpoint, [`${endpoint} was refused: ${slug}: ${message}`, ...fields].join(' | '), pubkey);
    this.status = status;
    this.slug = slug;
    this.reason = message;
    this.details = details;
  }

  /** True when the slug is one of these; spelling is checked against the interface's table. */
  is(...slugs: readonly ServiceErrorSlug[]): boolean {
    return slugs.some((slug) => slug === this.slug);
  }
}

interface Doubt {
  /** False only when no byte of the call left. */
  readonly sent: boolean;
  readonly pubkey?: string | null;
  /** The record as last read; absent if no read succeeded. */
  readonly record?: unknown;
}

/** The outcome is unknown after a time-out, a cut connection, a 5xx, an invalid answer or the end of a wait. */
export class OutcomeUnknown extends ServiceError {
  override readonly name = 'OutcomeUnknown';
  readonly reason: string;
  readonly sent: boolean;
  /** The record as it was last read by a safe call; undefined when it never was. */
  readonly record: unknown;

  constructor(endpoint: EndpointName, reason: string, { sent, pubkey = null, record }: Doubt) {
    const where = pubkey === null ? '' : `; look at ${pubkey}`;
    super(
      endpoint,
      `${endpoint} has an unknown outcome${sent ? '' : ' (it was never sent)'}: ${reason}${where}`,
      pubkey,
    );
    this.reason = reason;
    this.sent = sent;
    this.record = record;
  }

  /** True when something may have changed: a change was sent. A failed read changes nothing. */
  get mayHaveHappened(): boolean {
    return this.sent && declarationOf(this.endpoint).method !== 'GET';
  }
}

/** Why something is proven not to have happened. */
export type NotDoneReason =
  /** The draft was not signed: the text did not match the request, or signing was not permitted. */
  'not_signed' | 'failed' | 'expired' | 'cancelled';

/** The change provably had no effect. Funds locked by the draft are free at the draft's expiry at the latest. */
export class NotDone extends ServiceError {
  override readonly name = 'NotDone';
  readonly why: NotDoneReason;
  readonly reason: string;
  /** The record that proves it; undefined for a draft that was not signed. */
  readonly record: unknown;

  constructor(endpoint: EndpointName, why: NotDoneReason, reason: string, pubkey: string, record?: unknown) {
    super(endpoint, `${endpoint} was not done: ${reason}`, pubkey);
    this.why = why;
    this.reason = reason;
    this.record = record;
  }
}

/** Reasons why a list cannot be trusted. */
export type ListFault =
  /** A cursor led back to itself: the list would never end. */
  | 'cursor_repeated'
  /** A row came twice: rows moved under the walk, so others may have been missed. */
  | 'row_repeated'
  /** A page holds fewer rows than its size though another follows. */
  | 'page_cut'
  /** The page holds more rows than the page size. */
  | 'page_overfull'
  /** A thousand pages in a row were empty though another followed each: the walk would never end. */
  | 'pages_empty';

/** The pages of a list contradict each other. Rows returned before are real, but incomplete. */
export class BrokenList extends ServiceError {
  override readonly name = 'BrokenList';
  readonly fault: ListFault;

  constructor(endpoint: EndpointName, fault: ListFault, what: string) {
    super(endpoint, `${endpoint} is broken: ${what}`, null);
    this.fault = fault;
  }
}
