/** Contract of the client: its options, calls, answers and errors. */

import {
  type BodyOf,
  type DataOf,
  declarationOf,
  type Endpoint,
  type EndpointName,
  type PathParamsOf,
  type QueryInput,
  type Scope,
} from '../../shared/protocol/endpoints.js';
import type { ErrorDetails, ServiceErrorSlug } from '../../shared/protocol/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { BudgetReport, Lane, Observation, Outcome } from '../../shared/protocol/seam.js';
import type { Credentials } from '../wallet/key-file.js';

/** The client's two clocks. Tests and simulations may pass other clocks. */
export interface ClientClock {
  /** Our wall clock, ms since 1970, which may be set forward or back. */
  nowMs(): number;
  /** Monotonic clock, ms from an arbitrary start; it never jumps or runs back. */
  monotonicMs(): number;
}

/** Options of a client: venue, credentials and budgets. */
export interface ClientOptions {
  readonly profile: VenueProfile;
  /** Base URL instead of the profile's: HTTPS unless the host is loopback, without query or credentials. */
  readonly baseUrl?: string;
  /** Credentials for signing; without credentials only public and bootstrap calls can leave. */
  readonly credentials?: Credentials;
  readonly clock?: ClientClock;
  /** Maximum requests per minute by scope, for a shared API key. `Infinity` means a venue without limits. */
  readonly budgets?: Partial<Readonly<Record<Scope, number>>>;
  /** Whether requests wait for a free budget, and pause after a refusal; default true. */
  readonly isPaced?: boolean;
  /** Time limit of an attempt, from the first byte sent to the last byte received, ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum requests in flight in each of two groups: cancels and submits, and all other lanes. Default 8. */
  readonly concurrency?: number;
  readonly onNotice?: (notice: ClientNotice) => void;
  /** Returns the reason why a call must not be sent, or null. A call with such a reason is reported unsent. */
  readonly objection?: (lane: Lane) => string | null;
}

/** Notice of the client for the operator; contains no secret. */
export type ClientNotice =
  /** Notice of a corrected difference between our clock and the venue's: over a second or two, or a jump. */
  | {
      readonly kind: 'clock_offset';
      /** Venue's clock minus ours, ms. */
      readonly offsetMs: number;
      readonly uncertaintyMs: number;
      /** Clock offset before the jump, ms; null for the first estimate of the venue's clock. */
      readonly previousOffsetMs: number | null;
    }
  /** Notice that the venue refused a request as throttled. For `waitMs`, this scope sends only one probe at a time. */
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
  /** Page size that the service reports; null if it reports none. */
  readonly limit: number | null;
}

/** Path parameters, query and body of one call; omit the parts that the endpoint lacks. */
export type CallInput<N extends EndpointName> = { readonly query?: QueryInput<N> } & (unknown extends PathParamsOf<N>
  ? { readonly params?: unknown }
  : { readonly params: PathParamsOf<N> }) &
  (BodyOf<N> extends undefined ? { readonly body?: undefined } : { readonly body: BodyOf<N> });

/** Urgency and deadline of one call, chosen by the caller. */
export interface CallOptions {
  /** Priority class of the call; default `own`. */
  readonly lane?: Lane;
  /** Latest time to send the call, our clock, ms (default: in an hour); a later call is reported unsent. */
  readonly latestMs?: number;
}

/** Outcome of one call and the times of its attempts. */
export interface ClientAnswer<N extends EndpointName = EndpointName> {
  readonly outcome: Outcome<N>;
  /** Time when the last attempt was sent, or when an unsent call was dropped; our clock, ms. */
  readonly sentMs: number;
  /** Time when the call's outcome was known; our clock, ms. */
  readonly nowMs: number;
  /** Venue clock, ms, from the answer's `Date` (resolution one second); null if absent. */
  readonly venueTimeMs: number | null;
  readonly budget: BudgetReport | null;
  /** Page size reported by a list's page (`meta.limit`); null for other calls, and where absent. */
  readonly pageLimit: number | null;
}

/** Observation with the outcome of a performed request. */
export type OutcomeObservation = Extract<Observation, { kind: 'outcome' }>;

/** Venue clock minus ours, and the maximum error of this value, ms. */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}

/** Base class of the client's errors. Messages name request and result, but no key, secret, signature or header. */
export abstract class ServiceError extends Error {
  readonly endpoint: EndpointName;
  /** Key of the service's record that shows the outcome; null without a record. */
  readonly pubkey: string | null;

  constructor(endpoint: EndpointName, message: string, pubkey: string | null) {
    super(message);
    this.endpoint = endpoint;
    this.pubkey = pubkey;
  }
}

type RefusedOutcome = Omit<Extract<Outcome, { kind: 'refused' }>, 'kind'>;

/** The service answered, in its own format, that the request had no effect. */
export class ServiceRefused extends ServiceError {
  override readonly name = 'ServiceRefused';
  readonly status: number;
  /** Error code to branch on: one of `SERVICE_ERRORS`, or a code of a newer service. */
  readonly slug: string;
  /** Reason of the refusal in the service's own words. */
  readonly reason: string;
  /** Invalid request fields, as objects with one key, the field's name; empty for most refusals. */
  readonly details: ErrorDetails;

  constructor(endpoint: EndpointName, refusal: RefusedOutcome, pubkey: string | null = null) {
    const { status, slug, message, details } = refusal;
    const fields = details.flatMap((row) => Object.entries(row).map(([name, text]) => `${name}: ${text}`));
    super(endpoint, [`${endpoint} was refused: ${slug}: ${message}`, ...fields].join(' | '), pubkey);
    this.status = status;
    this.slug = slug;
    this.reason = message;
    this.details = details;
  }

  /** Returns true if the error code is one of `slugs`. The compiler checks the spelling of the slugs. */
  is(...slugs: readonly ServiceErrorSlug[]): boolean {
    return slugs.some((slug) => slug === this.slug);
  }
}

/** The outcome is unknown after a time-out, a lost connection, a 5xx, an invalid answer or the end of a wait. */
export class OutcomeUnknown extends ServiceError {
  override readonly name = 'OutcomeUnknown';
  readonly reason: string;
  /** Whether the call may have been sent; false only if no byte of it was sent. */
  readonly sent: boolean;
  /** The record as a safe call last read it; undefined if no read succeeded. */
  readonly record: unknown;

  constructor(
    endpoint: EndpointName,
    reason: string,
    { sent, pubkey = null, record }: { sent: boolean; pubkey?: string | null; record?: unknown },
  ) {
    const where = pubkey === null ? '' : `; read the record ${pubkey}`;
    super(
      endpoint,
      `${endpoint} has an unknown outcome${sent ? '' : ' (it was never sent)'}: ${reason}${where}`,
      pubkey,
    );
    this.reason = reason;
    this.sent = sent;
    this.record = record;
  }

  /** True if the call may have changed something. A read that failed has changed nothing. */
  get mayHaveHappened(): boolean {
    return this.sent && declarationOf(this.endpoint).method !== 'GET';
  }
}

/** Reason why a change provably had no effect. */
export type NotDoneReason =
  /** Reason: the draft was not signed, because its text did not match the request or signing was not permitted. */
  'not_signed' | 'failed' | 'expired' | 'cancelled';

/** The change provably had no effect. Funds locked by the draft are free at the draft's expiry at the latest. */
export class NotDone extends ServiceError {
  override readonly name = 'NotDone';
  readonly why: NotDoneReason;
  readonly reason: string;
  /** The record that proves the failure; undefined for a draft that was not signed. */
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
  /** The service returned the same cursor twice, so the list would never end. */
  | 'cursor_repeated'
  /** The list returned a row twice: rows moved between pages during the reads, so other rows may be missing. */
  | 'row_repeated'
  /** A page holds fewer rows than its size although another page follows. */
  | 'page_cut'
  /** A page holds more rows than the page size. */
  | 'page_overfull'
  /** A thousand consecutive pages of the list were empty, although each named a next page. */
  | 'pages_empty';

/** The pages of a list contradict each other. The rows before the error are valid, but the list is incomplete. */
export class BrokenList extends ServiceError {
  override readonly name = 'BrokenList';
  readonly fault: ListFault;

  constructor(endpoint: EndpointName, fault: ListFault, what: string) {
    super(endpoint, `${endpoint} is broken: ${what}`, null);
    this.fault = fault;
  }
}
