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
import type { BudgetReport, Lane, Outcome } from '../../shared/protocol/seam.js';
import type { Credentials } from '../wallet/key-file.js';

/** The two clocks of the client. Tests and simulations may pass other clocks. */
export interface ClientClock {
  /** Our wall clock, ms since 1970, which may be set forward or back. */
  nowMs(): number;
  /** Monotonic clock, ms from an arbitrary start; it never jumps and never runs back. */
  monotonicMs(): number;
}

/** Options of a client: venue, credentials and budgets. */
export interface ClientOptions {
  readonly profile: VenueProfile;
  /** Base URL that replaces the profile's. It must use HTTPS or a loopback host, without query or credentials. */
  readonly baseUrl?: string;
  /** Credentials for signing; without credentials, only public and bootstrap calls can be sent. */
  readonly credentials?: Credentials;
  readonly clock?: ClientClock;
  /** Maximum requests per minute by scope, if other programs use the API key too. `Infinity`: venue without limits. */
  readonly budgets?: Partial<Readonly<Record<Scope, number>>>;
  /** Whether requests wait until the budget permits them, and pause after the venue's rate limit refused one. */
  readonly isPaced?: boolean;
  /** Time limit of an attempt, from the first byte sent to the last byte received, ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum requests in flight in each of two groups: cancels and submits, and all other lanes. Default 8. */
  readonly concurrency?: number;
  readonly onNotice?: (notice: ClientNotice) => void;
  /** Returns the reason why a call must not be sent and is reported as unsent; null if it may be sent. */
  readonly objection?: (lane: Lane) => string | null;
}

/** Notice of the client for the operator; it contains no secret. */
export type ClientNotice =
  /** Our clock and the venue's differ, or their difference changed, by 2 s or more. The client corrects for it. */
  | {
      readonly kind: 'clock_offset';
      /** The venue's clock minus our clock, ms. */
      readonly offsetMs: number;
      readonly uncertaintyMs: number;
      /** Clock offset before the jump, ms; null for the first estimate of the venue's clock. */
      readonly previousOffsetMs: number | null;
    }
  /** The venue's rate limit refused a request. For `waitMs`, the client sends only single probes in this scope. */
  | { readonly kind: 'throttled'; readonly scope: Scope; readonly waitMs: number };

/** Names of the calls that return pages of a list. */
export type ListName = { [N in EndpointName]: Endpoint<N> extends { readonly page: number } ? N : never }[EndpointName];
/** One row in the answer of a list call. */
export type RowOf<N extends ListName> = DataOf<N>[number];

/** One page of a list. */
export interface Page<R> {
  readonly rows: readonly R[];
  /** `cursor` of the next page; null on the last page. */
  readonly nextCursor: string | null;
  /** Page size that the service reports; null if the service reports none. */
  readonly limit: number | null;
}

/** Path parameters, query and body of one call; parts that the endpoint does not have are omitted. */
export type CallInput<N extends EndpointName> = { readonly query?: QueryInput<N> } & (unknown extends PathParamsOf<N>
  ? { readonly params?: unknown }
  : { readonly params: PathParamsOf<N> }) &
  (BodyOf<N> extends undefined ? { readonly body?: undefined } : { readonly body: BodyOf<N> });

/** Urgency and deadline of one call, which the caller chooses. */
export interface CallOptions {
  /** Priority class of the call; default `own`. */
  readonly lane?: Lane;
  /** Latest time to send the call, our clock, ms; a call not sent by then is reported as unsent. Default: in 1 h. */
  readonly latestMs?: number;
}

/** Outcome of one call and the times of its attempts. */
export interface ClientAnswer<N extends EndpointName = EndpointName> {
  readonly outcome: Outcome<N>;
  /** Time when the last attempt was sent, or when the unsent call was dropped; our clock, ms. */
  readonly sentMs: number;
  /** Time when the outcome of the call was known; our clock, ms. */
  readonly nowMs: number;
  /** Time of the venue's clock from the answer's `Date`, ms, in whole seconds; null if absent. */
  readonly venueTimeMs: number | null;
  readonly budget: BudgetReport | null;
  /** Page size that a page of a list reports (`meta.limit`); null if absent, and for calls of no list. */
  readonly pageLimit: number | null;
}

/** The venue's clock minus our clock, and the maximum error of this difference, ms. */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}

/** Base class of the client's errors. Messages name call and result, but no key, secret, signature or header. */
export abstract class ServiceError extends Error {
  readonly endpoint: EndpointName;
  /** Pubkey of the service's record that shows the outcome; null if there is no record. */
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
  /** Error code that programs test: a slug of `SERVICE_ERRORS`, or of a newer service. */
  readonly slug: string;
  /** Reason of the refusal in the service's words. */
  readonly reason: string;
  /** Invalid fields of the request, as objects whose only key is the field's name; empty for most refusals. */
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

  /** Returns true if the error's code is one of `slugs`. */
  is(...slugs: readonly ServiceErrorSlug[]): boolean {
    return slugs.some((slug) => slug === this.slug);
  }
}

/** The call's outcome is unknown: time-out, lost connection, status 5xx, invalid answer, or the time limit passed. */
export class OutcomeUnknown extends ServiceError {
  override readonly name = 'OutcomeUnknown';
  readonly reason: string;
  /** Whether the call may have been sent; false only if no byte of the call was sent. */
  readonly sent: boolean;
  /** The record at the last successful read; undefined if no read succeeded. */
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

  /** True if the call may have had an effect. A read that failed had no effect. */
  get mayHaveHappened(): boolean {
    return this.sent && declarationOf(this.endpoint).method !== 'GET';
  }
}

/** Reason why a change provably had no effect. */
export type NotDoneReason =
  /** The draft was not signed, because its text did not match the request or because signing was not permitted. */
  'not_signed' | 'failed' | 'expired' | 'cancelled';

/** The change provably had no effect. Funds that the draft locked become free at the draft's expiry or earlier. */
export class NotDone extends ServiceError {
  override readonly name = 'NotDone';
  readonly why: NotDoneReason;
  readonly reason: string;
  /** The record that proves that the change had no effect; undefined for a draft that was not signed. */
  readonly record: unknown;

  constructor(endpoint: EndpointName, why: NotDoneReason, reason: string, pubkey: string, record?: unknown) {
    super(endpoint, `${endpoint} was not done: ${reason}`, pubkey);
    this.why = why;
    this.reason = reason;
    this.record = record;
  }
}

/** Reasons why a list is not reliable. */
export type ListFault =
  /** The service returned the same cursor twice, so the list would never end. */
  | 'cursor_repeated'
  /** The list returned a row twice: rows moved between pages during the reads, so other rows may be missing. */
  | 'row_repeated'
  /** A page has fewer rows than the page size, although another page follows. */
  | 'page_cut'
  /** A page has more rows than the page size. */
  | 'page_overfull'
  /** A thousand consecutive pages of the list were empty, although each had a cursor of a next page. */
  | 'pages_empty';

/** The pages of a list contradict each other. The rows before the error are valid, but the list is not complete. */
export class BrokenList extends ServiceError {
  override readonly name = 'BrokenList';
  readonly fault: ListFault;

  constructor(endpoint: EndpointName, fault: ListFault, what: string) {
    super(endpoint, `the pages of ${endpoint} are inconsistent: ${what}`, null);
    this.fault = fault;
  }
}
