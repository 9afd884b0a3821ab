/** Checks signatures with a second implementation. */

import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';

export const serviceName = 'SVC';

/** By node:crypto, so that two implementations check each other. */
export function verifies(bytes: Uint8Array, signature: string, address: string): boolean {
  const x = Buffer.from(base58.decode(address)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, bytes, key, Buffer.from(signature, 'hex'));
}
