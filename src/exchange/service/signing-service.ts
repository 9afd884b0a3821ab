/**
 * The paper exchange's own signing service: the keys that sign transaction drafts beside the caller's wallet where the
 * venue profile names co-signers. They are made from a published text, hold nothing and protect nothing. Keys of a
 * profile that are not among them belong to a real venue's service: their slots stay empty here, and no chain looks.
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { base58 } from '@scure/base';

/** What stands before the 32 bytes of an ed25519 seed in its PKCS #8 encoding (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** As many as a profile may name. */
const KEY_NUMBERS = [1, 2, 3, 4];

const keys: ReadonlyMap<string, KeyObject> = new Map(
  KEY_NUMBERS.map((number) => {
    const seed = createHash('sha256').update(`twinbook paper signing service, key ${number}`).digest();
    const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    // The last 32 bytes of its SPKI encoding are the key itself.
    const publicBytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
    return [base58.encode(publicBytes), key];
  }),
);

/**
 * Base58 of the service's public keys, always the same ones: what a test writes under `draft_cosigners`.
 *
 * @public
 */
export const PAPER_COSIGNERS: readonly string[] = [...keys.keys()];

/** The signature of one of its keys over the message bytes of a transaction; null for a key that is not its own. */
export function cosign(publicKey: string, messageBytes: Uint8Array): Buffer | null {
  const key = keys.get(publicKey);
  return key === undefined ? null : sign(null, messageBytes, key);
}
