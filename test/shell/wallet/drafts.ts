/** Drafts of every kind for the tests of the signer, and a second opinion on signatures. */

import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import type { Micros } from '../../../src/shared/base/micros.js';
import { type DraftTerms, type DraftText, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';

export const serviceName = 'SVC';

/** By node:crypto, so that two implementations check each other. */
export function verifies(bytes: Uint8Array, signature: string, address: string): boolean {
  const x = Buffer.from(base58.decode(address)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, bytes, key, Buffer.from(signature, 'hex'));
}

export const quantity = fc.integer({ min: 1, max: 9e12 }).map((n) => n as Micros);
export const price = fc.integer({ min: 1, max: 999_999 }).map((n) => n as Micros);
export const pubkey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes));
export const market = fc.stringMatching(/^[A-Za-z0-9_.-]{1,44}$/);
const side = fc.constantFrom('buy' as const, 'sell' as const);

export const terms: fc.Arbitrary<DraftTerms> = fc.oneof(
  fc
    .record({ isYes: fc.boolean(), side, price, amount: quantity })
    .map((t) => ({ action: 'place-order' as const, type: 'limit' as const, ...t })),
  fc
    .record({ isYes: fc.boolean(), funds: quantity })
    .map((t) => ({ action: 'place-order' as const, type: 'market' as const, side: 'buy' as const, ...t })),
  fc
    .record({ isYes: fc.boolean(), amount: quantity })
    .map((t) => ({ action: 'place-order' as const, type: 'market' as const, side: 'sell' as const, ...t })),
  fc.record({ action: fc.constantFrom('merge-shares' as const, 'split-shares' as const), amount: quantity }),
  fc.record({ yes: quantity, no: quantity }).map((t) => ({ action: 'redeem-shares' as const, ...t })),
  pubkey.map((orderPubkey) => ({ action: 'cancel-order' as const, orderPubkey })),
  fc
    .record({ isYes: fc.boolean(), leverage: quantity, funds: quantity })
    .map((t) => ({ action: 'open-margin-position' as const, type: 'market' as const, ...t })),
  fc
    .record({ isYes: fc.boolean(), leverage: quantity, price, shares: quantity })
    .map((t) => ({ action: 'open-margin-position' as const, type: 'limit' as const, ...t })),
);

/** A draft beside the intent that it was asked for: every action, any terms. */
export const honest = fc
  .record({ terms, market, pubkey, expires: fc.integer({ min: 1, max: 4e9 }), intentId: fc.string({ minLength: 1 }) })
  .map(({ terms, market, pubkey, expires, intentId }) => {
    const draftPubkey = terms.action === 'cancel-order' ? terms.orderPubkey : pubkey;
    const text: DraftText = { serviceName, marketConditionId: market, draftPubkey, expires, terms };
    const stored = { intentId, marketConditionId: market, draftPubkey, message: writeDraftText(text), terms };
    return { text, stored };
  });
