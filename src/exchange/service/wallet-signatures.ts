/** Verifies wallets' signatures with `node:crypto`, not with the trader's library, and adds co-signers' signatures. */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { must } from '../../shared/base/errors.js';
import { type DraftMessage, signedBytes } from '../../shared/protocol/drafts/draft-message.js';
import { fillSlots, readTransaction } from '../../shared/protocol/drafts/solana-message.js';
import { submittedSignature } from '../../shared/protocol/signing.js';

/** Bytes before a 32-byte ed25519 public key in SPKI encoding (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Verifies signatures of wallets over drafts and challenges. */
export class WalletSignatures {
  readonly #draftMessage: DraftMessage;

  /** `draftMessage`: format of this exchange's draft messages. */
  constructor(draftMessage: DraftMessage = 'utf8') {
    this.#draftMessage = draftMessage;
  }

  /** Whether `signatureHex` (format as for `isValid`) is the wallet's signature of a draft's `message`. */
  signsDraft(wallet: string, message: string, signatureHex: string): boolean {
    if (this.#draftMessage === 'solana_tx') return this.fill(wallet, message, signatureHex) !== null;
    const bytes = signedBytes(this.#draftMessage, message);
    return bytes !== null && verifies(wallet, bytes, signatureHex);
  }

  /** Adds all signatures to a transaction and returns its hex; null if the wallet is not a signer or signed wrong. */
  fill(wallet: string, message: string, signatureHex: string): string | null {
    const read = readTransaction(message);
    if (!read.ok || !verifies(wallet, read.transaction.messageBytes, signatureHex)) return null;
    const { signers, messageBytes } = read.transaction;
    if (!signers.includes(wallet)) return null;
    const signatures = new Map<string, Uint8Array>();
    for (const signer of signers) {
      const own = cosign(signer, messageBytes);
      if (own !== null) signatures.set(signer, own);
    }
    signatures.set(wallet, Buffer.from(must(submittedSignature(signatureHex), 'a valid wallet signature'), 'hex'));
    return fillSlots(message, signatures);
  }

  /** Whether `signatureHex` (128 hex characters after an optional `0x`) is the wallet's signature of the text. */
  isValid(wallet: string, text: string, signatureHex: string): boolean {
    return verifies(wallet, Buffer.from(text, 'utf8'), signatureHex);
  }
}

function verifies(wallet: string, bytes: Uint8Array, signatureHex: string): boolean {
  const hex = submittedSignature(signatureHex);
  if (hex === null || !/^[0-9a-fA-F]{128}$/.test(hex)) return false;
  const key = publicKey(wallet);
  return key !== null && verify(null, bytes, key, Buffer.from(hex, 'hex'));
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

/** Bytes before a 32-byte ed25519 seed in PKCS #8 encoding (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Numbers of the co-signers' keys. A profile has at most four co-signers. */
const KEY_NUMBERS = [1, 2, 3, 4];

const keys: ReadonlyMap<string, KeyObject> = new Map(
  KEY_NUMBERS.map((number) => {
    const seed = createHash('sha256').update(`twinbook paper signing service, key ${number}`).digest();
    const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    // In SPKI encoding, the last 32 bytes are the public key.
    const publicBytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
    return [base58.encode(publicBytes), key];
  }),
);

/**
 * Base58 text of the paper exchange's fixed public keys, for `draft_cosigners` in tests.
 *
 * @public
 */
export const PAPER_COSIGNERS: readonly string[] = [...keys.keys()];

/** Returns a co-signer's signature over a transaction's message; null if the exchange lacks the co-signer's key. */
function cosign(publicKey: string, messageBytes: Uint8Array): Buffer | null {
  const key = keys.get(publicKey);
  return key === undefined ? null : sign(null, messageBytes, key);
}
