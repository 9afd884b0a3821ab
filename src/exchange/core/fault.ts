/** Results: how the core says yes and no. */

import type { ServiceErrorSlug } from '../../shared/protocol/errors.js';
import type { Result } from './contract.js';

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

export type Refusal = Extract<Result<never>, { ok: false }>;

export const refuse = (slug: ServiceErrorSlug): Refusal => ({ ok: false, fault: { slug } });

/** 400 `invalid_request_params` that names the field. */
export const invalid = (field: string, text: string): Refusal => ({
  ok: false,
  fault: { slug: 'invalid_request_params', details: [{ [field]: text }] },
});

export const badSignature = (): Refusal => invalid('signature', 'The signature does not verify.');
