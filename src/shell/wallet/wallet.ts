/**
 * The wallet has the key and signs only two kinds of text. The first kind is a credential challenge that equals the
 * venue's template. The second kind is a stored draft, found by intent id and compared with the intent. Callers cannot
 * pass bytes to be signed. No caller, log or error gets the key. Other folders of `src` have no key bytes.
 */

import { createHash, randomBytes } from 'node:crypto';
import { getPublicKey, hashes, sign } from '@noble/ed25519';
import { base58 } from '@scure/base';
import { TwinbookError } from '../../shared/base/errors.js';
import { challengeText } from '../../shared/protocol/signing.js';
import { makeSigner, type SigningPolicy, type SignResult } from './draft-signer.js';

// Signing is synchronous, so that no other task runs between reading a stored draft and signing its text.
hashes.sha512 = (message: Uint8Array) => new Uint8Array(createHash('sha512').update(message).digest());

export const derivePublicKey = (seed: Uint8Array): Uint8Array => getPublicKey(seed);

/** Signs a message; returns the signature as 128 lowercase hex characters. */
export const signToHex = (message: Uint8Array, seed: Uint8Array): string =>
  Buffer.from(sign(message, seed)).toString('hex');

/** Matches a valid nonce. A nonce has no space, pipe or line break, so it cannot add text to the challenge. */
const HARMLESS_NONCE = /^[A-Za-z0-9._~+/=-]{1,128}$/;

export class Wallet {
  /** The wallet's 32-byte public key in base58. */
  readonly address: string;
  readonly #seed: Uint8Array;

  /** `seed` is the 32-byte ed25519 secret key; it is copied. Throws TwinbookError key_invalid for another length. */
  constructor(seed: Uint8Array) {
    if (seed.length !== 32) {
      const hint = '`twinbook keys import` imports a key from a file.';
      throw new TwinbookError('key_invalid', `a secret key has 32 bytes, this one has ${seed.length}`, hint);
    }
    this.#seed = Uint8Array.from(seed);
    this.address = base58.encode(derivePublicKey(this.#seed));
  }

  /** Makes a wallet with a random key that is never stored, for an exchange without real money. */
  static makeUnkept(): Wallet {
    return new Wallet(randomBytes(32));
  }

  /** Signs a credential challenge. Refuses any text except the template with our wallet and a valid nonce. */
  signChallenge(text: string, { serviceName, nonce }: { serviceName: string; nonce: string }): SignResult {
    if (!HARMLESS_NONCE.test(nonce))
      return { ok: false, reason: 'the nonce has characters other than letters, digits and . _ ~ + / = -' };
    if (text !== challengeText(serviceName, this.address, nonce))
      return { ok: false, reason: `the challenge is not exactly the ${serviceName} template for ${this.address}` };
    return { ok: true, signature: signToHex(Buffer.from(text, 'utf8'), this.#seed) };
  }

  draftSigner(policy: SigningPolicy) {
    return makeSigner(policy, this.address, (bytes) => signToHex(bytes, this.#seed));
  }
}
