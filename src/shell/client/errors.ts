/**
 * Errors of the typed client, each with the fields a caller needs to branch on. Their messages hold the request and its
 * result, never a key, a secret, a signature or a header.
 *
 * - `ServiceRefused`: the service says that it did not do it.
 * - `OutcomeUnknown`: it may have happened; read the record before anything else.
 * - `NotDone`: it is proven that it did not happen: the draft was not signed, or the record says failed or expired.
 * - `BrokenList`: the pages of a list contradict each other; the rows so far are not the list.
 */

import { declarationOf, type EndpointName } from '../../shared/protocol/endpoints.js';
import type { ErrorDetails, ServiceErrorSlug } from '../../shared/protocol/errors.js';

/** Common base of the four errors. */
export abstract class ServiceError extends Error {
  readonly endpoint: EndpointName;
  /** The record to read, if there is one. */
  readonly pubkey: string | null;

  constructor(endpoint: EndpointName, message: string, pubkey: string | null) {
    super(message);
    this.endpoint = endpoint;
    this.pubkey = pubkey;
  }
}

interface Refusal {
  readonly status: number;
  readonly slug: string;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** The service stated in its own envelope that nothing was done. */
export class ServiceRefused extends ServiceError {
  override readonly name = 'ServiceRefused';
  readonly status: number;
  /** Branch on this: one of `SERVICE_ERRORS`, or a slug of a newer service. */
  readonly slug: string;
  /** The service's own words. */
  readonly reason: string;
  /** One-key objects, each naming an offending field; empty for most refusals. */
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
  /** The record as last read, if it was read. */
  readonly record?: unknown;
}

/** Time-out, cut connection, 5xx, HTML, garbage, or the end of a wait: the outcome is unknown. */
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
  /** The draft did not match the request, or may not be signed at all. It was never signed. */
  'not_signed' | 'failed' | 'expired' | 'cancelled';

/** It is proven that nothing happened. The funds locked by the draft are free when it expires, at the latest. */
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

/** Problem of a list. */
export type ListFault =
  /** A cursor led back to itself: the list would never end. */
  | 'cursor_repeated'
  /** A row came twice: rows moved under the walk, so others may have been missed. */
  | 'row_repeated'
  /** A page holds fewer rows than its size though another follows. */
  | 'page_cut'
  /** A page holds more rows than its size. */
  | 'page_overfull'
  /** A thousand pages in a row were empty though another followed each: the walk would never end. */
  | 'pages_empty';

/** The pages of a list contradict each other. Rows that were handed out before are real, but they are not the list. */
export class BrokenList extends ServiceError {
  override readonly name = 'BrokenList';
  readonly fault: ListFault;

  constructor(endpoint: EndpointName, fault: ListFault, what: string) {
    super(endpoint, `${endpoint} is broken: ${what}`, null);
    this.fault = fault;
  }
}
