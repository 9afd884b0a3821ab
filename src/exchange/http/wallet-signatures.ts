/**
 * Whether a wallet signed a text: ed25519 by `node:crypto`. The trader signs with another implementation, so that each
 * checks the other.
 */

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { submittedSignature } from '../../protocol/signing.js';

/** What stands before the 32 bytes of an ed25519 public key in its SPKI encoding (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Keys kept decoded; decoding one costs about as much as a check. */
const MAX_KEYS = 1000;

export class WalletSignatures {
  readonly #keys = new Map<string, KeyObject>();

  /**
   * Whether `signatureHex` (128 hex characters in any case, a leading `0x` allowed) is the signature of `wallet` over the
   * UTF-8 bytes of `text`. False for anything malformed.
   */
  isValid(wallet: string, text: string, signatureHex: string): boolean {
    const hex = submittedSignature(signatureHex);
    if (hex === null || !/^[0-9a-fA-F]{128}$/.test(hex)) return false;
    const key = this.#keyOf(wallet);
    return key !== null && verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(hex, 'hex'));
  }

  #keyOf(wallet: string): KeyObject | null {
    const known = this.#keys.get(wallet);
    if (known !== undefined) return known;
    const key = publicKey(wallet);
    if (key === null) return null;
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    this.#keys.set(wallet, key);
    return key;
  }
}

function publicKey(wallet: string): KeyObject | null {
  // 32 bytes are at most 44 characters; longer text is not worth decoding (base58 is quadratic).
  if (wallet.length > 44) return null;
  try {
    const bytes = base58.decode(wallet);
    if (bytes.length !== 32) return null;
    return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
  } catch {
    return null; // not base58, or not a key
  }
}
