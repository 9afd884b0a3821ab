/** Results of core calls: a record or a fault. */

import type { ServiceErrorSlug } from '../../shared/protocol/errors.js';
import type { Result } from './contract.js';

/** A successful call with its record. */
export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

/** A call that changed nothing, with the service's error. */
export type Refusal = Extract<Result<never>, { ok: false }>;

/** Refuses a call with the table's message of this slug. */
export const refuse = (slug: ServiceErrorSlug): Refusal => ({ ok: false, fault: { slug } });

/** Converts a result's record with `row`; a refusal passes through. */
export const mapResult = <T, U>(result: Result<T>, row: (record: T) => U): Result<U> =>
  result.ok ? ok(row(result.value)) : result;

/** 400 `invalid_request_params` that names the field. */
export const invalid = (field: string, text: string): Refusal => ({
  ok: false,
  fault: { slug: 'invalid_request_params', details: [{ [field]: text }] },
});

/** Refuses a submit whose signature is not that of the caller's wallet over the draft. */
export const badSignature = (): Refusal => invalid('signature', 'The signature does not verify.');
