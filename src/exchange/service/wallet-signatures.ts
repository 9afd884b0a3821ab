/**
 * Whether a wallet signed a text or a draft: ed25519 by `node:crypto`. The trader signs with another implementation, so that each
 * checks the other. What co-signers of a transaction add is made here too.
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { must } from '../../shared/base/errors.js';
import { type DraftMessage, signedBytes } from '../../shared/protocol/drafts/draft-message.js';
import { fillSlots, readTransaction } from '../../shared/protocol/drafts/solana-message.js';
import { submittedSignature } from '../../shared/protocol/signing.js';

/** What stands before the 32 bytes of an ed25519 public key in its SPKI encoding (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Keys kept decoded; decoding one costs about as much as a check. */
const MAX_KEYS = 1000;

/** Verifies signatures of wallets, and remembers the keys that it has decoded. */
export class WalletSignatures {
  readonly #keys = new Map<string, KeyObject>();
  readonly #draftMessage: DraftMessage;

  /** `draftMessage`: what the messages of drafts are at this exchange. */
  constructor(draftMessage: DraftMessage = 'utf8') {
    this.#draftMessage = draftMessage;
  }

  /** Whether `signatureHex`, as below, is the signature of `wallet` over what a draft's `message` gives to sign. */
  signsDraft(wallet: string, message: string, signatureHex: string): boolean {
    if (this.#draftMessage === 'solana_tx') return this.fill(wallet, message, signatureHex) !== null;
    const bytes = signedBytes(this.#draftMessage, message);
    return bytes !== null && this.#verifies(wallet, bytes, signatureHex);
  }

  /**
   * Hex of a drafted transaction as it would go to a chain: with the wallet's signature, and those that the exchange's
   * signing service makes, in their slots. Null when the wallet does not sign it, or did not with `signatureHex`.
   */
  fill(wallet: string, message: string, signatureHex: string): string | null {
    const read = readTransaction(message);
    if (!read.ok || !this.#verifies(wallet, read.transaction.messageBytes, signatureHex)) return null;
    const { signers, messageBytes } = read.transaction;
    if (!signers.includes(wallet)) return null;
    const signatures = new Map<string, Uint8Array>();
    for (const signer of signers) {
      const own = cosign(signer, messageBytes);
      if (own !== null) signatures.set(signer, own);
    }
    signatures.set(wallet, Buffer.from(must(submittedSignature(signatureHex), 'a signature that verifies'), 'hex'));
    return fillSlots(message, signatures);
  }

  /**
   * Whether `signatureHex` (128 hex characters in any case, a leading `0x` allowed) is the signature of `wallet` over the
   * UTF-8 bytes of `text`. False for anything malformed.
   */
  isValid(wallet: string, text: string, signatureHex: string): boolean {
    return this.#verifies(wallet, Buffer.from(text, 'utf8'), signatureHex);
  }

  #verifies(wallet: string, bytes: Uint8Array, signatureHex: string): boolean {
    const hex = submittedSignature(signatureHex);
    if (hex === null || !/^[0-9a-fA-F]{128}$/.test(hex)) return false;
    const key = this.#findKey(wallet);
    return key !== null && verify(null, bytes, key, Buffer.from(hex, 'hex'));
  }

  #findKey(wallet: string): KeyObject | null {
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
function cosign(publicKey: string, messageBytes: Uint8Array): Buffer | null {
  const key = keys.get(publicKey);
  return key === undefined ? null : sign(null, messageBytes, key);
}
