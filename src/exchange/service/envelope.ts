/** The envelope of every answer: `data`, `meta`, `error`. */

import { type ErrorDetails, SERVICE_ERRORS, type ServiceFault } from '../../shared/protocol/errors.js';

/** An answer before it is sent. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Absent: JSON. */
  readonly type?: 'text/html';
  /** Path of the created record, for a 201 of a draft call. */
  readonly location?: string;
}

/** `meta` of a success: of a page, of candles, or empty. */
export type Meta =
  | { readonly limit: number; readonly next_cursor: string | null }
  | { readonly is_yes: boolean }
  | Readonly<Record<string, never>>;

/** A success as the text of a body. */
export const successText = (data: unknown, meta: Meta): string => JSON.stringify({ data, meta, error: null });

/** An error as the service's answer, with the status of its slug. */
export function faultAnswer(fault: ServiceFault): Answer {
  const { status, code, message } = SERVICE_ERRORS[fault.slug];
  const error = { code, slug: fault.slug, message: fault.message ?? message, details: fault.details ?? [] };
  return { status, text: JSON.stringify({ data: null, meta: null, error }) };
}

/** A validation failure of one field. */
export const badField = (field: string, message: string): ServiceFault => invalid([{ [field]: message }]);

/** Error of a request with wrong fields; `details` names them. */
export const invalid = (details: ErrorDetails): ServiceFault => ({ slug: 'invalid_request_params', details });

export const NOT_FOUND: ServiceFault = { slug: 'not_found' };
