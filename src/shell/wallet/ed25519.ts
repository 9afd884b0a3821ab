/**
 * Ed25519 by `@noble/ed25519`, with a synchronous SHA-512 so that signing is one synchronous step: the signed text
 * and its stored row cannot be separated by another task. The only file of Twinbook that knows the library.
 */

import { createHash } from 'node:crypto';
import { getPublicKey, hashes, sign } from '@noble/ed25519';

hashes.sha512 = (message: Uint8Array) => new Uint8Array(createHash('sha512').update(message).digest());

/** The 32-byte public key of a 32-byte seed. */
export const derivePublicKey = (seed: Uint8Array): Uint8Array => getPublicKey(seed);

/** The signature as 128 lowercase hex characters. */
export const signToHex = (message: Uint8Array, seed: Uint8Array): string =>
  Buffer.from(sign(message, seed)).toString('hex');
