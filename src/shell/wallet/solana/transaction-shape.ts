/**
 * Checks whether bytes have the shape of a Solana transaction or of the message that a transaction's signatures sign.
 * A signature over such bytes could move money on chain, so a text that decodes to one is never signed as a text.
 */

import { base58, base64, hex } from '@scure/base';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** A transaction fits into one packet of 1232 bytes; the double leaves a reserve. */
const LONGEST_TRANSACTION_BYTES = 2464;
/**
 * Characters of hex, base64 and base58: a text with any other character, like every readable draft, spells nothing in
 * them.
 */
const SPELLED = /^[A-Za-z0-9+/_=-]*$/;

/** True when the text's own bytes, or the bytes that it spells in hex, base64 or base58, have that shape. */
export function spellsTransaction(text: string): boolean {
  return readings(text).some(isTransaction);
}

function readings(text: string): Uint8Array[] {
  const found: Uint8Array[] = [Buffer.from(text, 'utf8')];
  const compact = text.replace(/\s+/g, '').replace(/^0x/i, '');
  if (!SPELLED.test(compact)) return found;
  // Base58 takes quadratic time; no longer text can spell a transaction in it.
  const decoders = [
    () => hex.decode(compact.toLowerCase()),
    () => base64.decode(compact.replace(/-/g, '+').replace(/_/g, '/').replace(/=+$/, '').padEnd(pad(compact), '=')),
    () => base58.decode(compact.length <= 2 * LONGEST_TRANSACTION_BYTES ? compact : ''),
  ];
  for (const decode of decoders) {
    try {
      found.push(decode());
    } catch {
      // Not in that encoding.
    }
  }
  return found;
}

const pad = (text: string): number => Math.ceil(text.replace(/=+$/, '').length / 4) * 4;

function isTransaction(bytes: Uint8Array): boolean {
  if (isMessage(bytes)) return true;
  const reader = new Reader(bytes);
  const signatures = reader.compact();
  if (signatures === 0 || signatures > 127) return false;
  reader.skip(signatures * SIGNATURE_BYTES);
  return reader.good && isMessage(reader.rest());
}

function isMessage(bytes: Uint8Array): boolean {
  if (bytes.length > LONGEST_TRANSACTION_BYTES) return false;
  const reader = new Reader(bytes);
  const versioned = (bytes[0] ?? 0) >= 0x80;
  if (versioned) reader.byte();
  const required = reader.byte();
  reader.skip(2);
  const accounts = reader.compact();
  if (required === 0 || required > accounts) return false;
  reader.skip(accounts * KEY_BYTES + KEY_BYTES);
  reader.each(() => {
    reader.byte();
    reader.skip(reader.compact());
    reader.skip(reader.compact());
  });
  if (versioned) {
    reader.each(() => {
      reader.skip(KEY_BYTES);
      reader.skip(reader.compact());
      reader.skip(reader.compact());
    });
  }
  return reader.good && reader.rest().length === 0;
}

/** Reads forwards; past the end it becomes invalid and stays so. */
class Reader {
  good = true;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) this.good = false;
    return value ?? 0;
  }

  /** Solana's compact-u16: seven bits per byte, lowest first, three bytes at most. */
  compact(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    this.good = false;
    return 0;
  }

  skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) this.good = false;
  }

  each(read: () => void): void {
    for (let count = this.compact(); count > 0 && this.good; count--) read();
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }
}
