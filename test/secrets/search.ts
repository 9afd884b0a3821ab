/** Searches for many secrets in every spelling, in one pass over the output. */

import { type Spelling, spellingsOfBytes, spellingsOfText } from './spellings.js';

/** Reports the kind and place of a finding; never the secret itself. */
export interface Found {
  readonly secret: string;
  readonly form: string;
  readonly at: number;
}

interface Wanted extends Spelling {
  readonly secret: string;
}

const FILTER_BITS = 22;

export class SecretSearch {
  readonly #wanted = new Map<number, Wanted[]>();
  /** First four bytes that need a full comparison. */
  readonly #filter = new Uint8Array(2 ** FILTER_BITS);
  readonly #known = new Set<string>();

  /** Number of different secrets in the search. */
  get size(): number {
    return this.#known.size;
  }

  /** @param name reported when it is found */
  add(name: string, secret: string | Uint8Array): void {
    const id = typeof secret === 'string' ? secret : Buffer.from(secret).toString('hex');
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const spellings = typeof secret === 'string' ? spellingsOfText(secret) : spellingsOfBytes(secret);
    for (const { form, bytes } of spellings) {
      const start = bytes.readUInt32LE(0);
      this.#filter[slot(start)] = 1;
      this.#wanted.set(start, [...(this.#wanted.get(start) ?? []), { secret: name, form, bytes }]);
    }
  }

  /** The first place of each secret in each spelling. */
  in(bytes: Buffer): Found[] {
    const found = new Map<string, Found>();
    // Four bytes as one number, advanced by one byte at a time.
    let window = bytes.length < 4 ? 0 : bytes.readUInt32LE(0);
    for (let at = 0; at + 4 <= bytes.length; at++) {
      if (this.#filter[slot(window)] === 1) {
        for (const { secret, form, bytes: own } of this.#wanted.get(window) ?? []) {
          if (bytes.compare(own, 0, own.length, at, Math.min(at + own.length, bytes.length)) !== 0) continue;
          if (!found.has(`${secret} ${form}`)) found.set(`${secret} ${form}`, { secret, form, at });
        }
      }
      window = ((window >>> 8) | ((bytes[at + 4] ?? 0) << 24)) >>> 0;
    }
    return [...found.values()];
  }
}

const slot = (start: number): number => Math.imul(start, 0x9e3779b1) >>> (32 - FILTER_BITS);
