/** Verifies wallets' signatures with `node:crypto`, not with the trader's library. */

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { type DraftMessage, signedBytes } from '../../shared/protocol/drafts/draft-message.js';
import { readTransaction } from '../../shared/protocol/drafts/solana-message.js';
import { submittedSignature } from '../../shared/protocol/signing.js';

/** Bytes before a 32-byte ed25519 public key in SPKI encoding (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Maximum number of cached keys. Decoding a key takes longer than verifying a signature (benchmark `round-trip`). */
const MAX_KEYS = 1000;

/** Verifies signatures of wallets over drafts and challenges. */
export class WalletSignatures {
  readonly #keys = new Map<string, KeyObject>();
  readonly #draftMessage: DraftMessage;

  constructor(draftMessage: DraftMessage = 'utf8') {
    this.#draftMessage = draftMessage;
  }

  /** True if `signatureHex` (format as for `isValid`) is the wallet's signature of a draft's `message`. */
  signsDraft(wallet: string, message: string, signatureHex: string): boolean {
    const bytes = signedBytes(this.#draftMessage, message);
    if (bytes === null || !this.#verifies(wallet, bytes, signatureHex)) return false;
    if (this.#draftMessage !== 'solana_tx') return true;
    const read = readTransaction(message);
    return read.ok && read.transaction.signers.includes(wallet);
  }

  /** True if `signatureHex` (128 hex characters after an optional `0x`) is the wallet's signature of the text. */
  isValid(wallet: string, text: string, signatureHex: string): boolean {
    return this.#verifies(wallet, Buffer.from(text, 'utf8'), signatureHex);
  }

  #verifies(wallet: string, bytes: Uint8Array, signatureHex: string): boolean {
    const hex = submittedSignature(signatureHex);
    if (hex === null || !/^[0-9a-fA-F]{128}$/.test(hex)) return false;
    const key = this.#keys.get(wallet) ?? publicKey(wallet);
    if (key === null) return false;
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    this.#keys.set(wallet, key);
    return verify(null, bytes, key, Buffer.from(hex, 'hex'));
  }
}

function publicKey(wallet: string): KeyObject | null {
  // A key of 32 bytes has at most 44 base58 characters. Longer text is not decoded: base58 takes quadratic time.
  if (wallet.length > 44) return null;
  try {
    const bytes = base58.decode(wallet);
    if (bytes.length !== 32) return null;
    return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
  } catch {
    return null; // The text is not base58, or not a key.
  }
}
