/**
 * The last filter of every secret. A reader of a secret from a file or the environment registers it here, and all text that
 * leaves the process for a person (log, terminal, last words of a crash) is cleaned first, in every spelling that a
 * library or a stranger's answer could give it. It is the last filter and not the first: an error is made without secrets.
 *
 * One instance for a process, because a secret may appear anywhere in it. It never returns a secret.
 */

import { inspect } from 'node:util';
import { base58, base64 } from '@scure/base';

const CENSOR = '[redacted]';

/** Shorter values would remove harmless text too; keys and API secrets are far longer. */
const SHORTEST_CHARACTERS = 6;

export class Secrets {
  readonly #spellings = new Set<string>();
  #pattern: RegExp | null = null;

  /** Removes this value from now on, as text, or for bytes in the spellings of key files. */
  hide(secret: string | Uint8Array): void {
    const bytes = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret;
    if (bytes.length < SHORTEST_CHARACTERS) return;
    for (const spelling of listSpellings(secret, bytes)) this.#spellings.add(spelling);
    this.#pattern = null;
  }

  clean(text: string): string {
    if (this.#spellings.size === 0) return text;
    this.#pattern ??= makePattern(this.#spellings);
    return text.replace(this.#pattern, CENSOR);
  }
}

/** The longest first: one spelling may be a prefix of another. */
function makePattern(spellings: ReadonlySet<string>): RegExp {
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((text) => text.replace(/[^\p{L}\p{N}]/gu, escapeCharacter)).join('|'), 'gu');
}

const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;

function listSpellings(secret: string | Uint8Array, bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex');
  const asText =
    typeof secret === 'string'
      ? [
          ...[secret, JSON.stringify(secret).slice(1, -1), inspect(secret).slice(1, -1)],
          encodeURIComponent(Buffer.from(secret, 'utf8').toString('utf8')),
        ]
      : [[...bytes].join(','), [...bytes].join(', '), hex.replace(/..(?=.)/g, '$& ')];
  return [...asText, hex, hex.toUpperCase(), base58.encode(bytes), ...inBase64(bytes)];
}

/** Its forms within a base64 text: three, by the number of bytes before it. */
function inBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = base64.encode(Buffer.concat([Buffer.alloc(before), bytes])).replace(/=+$/, '');
    // Characters at both ends contain bits of neighbouring bytes.
    const from = before === 0 ? 0 : before + 1;
    const to = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    const own = text.slice(from, to);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

export const secrets = new Secrets();
