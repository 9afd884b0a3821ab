/** Possible spellings of a secret: independent of the product's list, to find spellings that the product misses. */

import { inspect } from 'node:util';
import { base58, base58xmr, base64, base64url, hex } from '@scure/base';

/** Bytes to search for, and their description. */
export interface Spelling {
  readonly form: string;
  readonly bytes: Buffer;
}

/** Shorter ones would match by chance. */
const SHORTEST = 8;

/** A text secret (passphrase, API secret, password, token). */
export function spellingsOfText(secret: string): Spelling[] {
  const bytes = Buffer.from(secret, 'utf8');
  return usable([
    ...spellingsOfBytes(bytes),
    { form: 'raw', bytes },
    { form: 'JSON', bytes: Buffer.from(JSON.stringify(secret).slice(1, -1)) },
    { form: 'JSON in JSON', bytes: Buffer.from(JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)) },
    { form: 'printed', bytes: Buffer.from(inspect(secret).slice(1, -1)) },
    { form: 'URL', bytes: Buffer.from(encodeURIComponent(secret)) },
    { form: 'UTF-16', bytes: Buffer.from(secret, 'utf16le') },
    { form: 'reversed', bytes: Buffer.from([...secret].reverse().join('')) },
  ]);
}

/** A secret of bytes: a key. */
export function spellingsOfBytes(bytes: Uint8Array): Spelling[] {
  const numbers = [...bytes];
  const hexText = hex.encode(bytes);
  const texts: readonly (readonly [string, string])[] = [
    ['hex', hexText],
    ['HEX', hexText.toUpperCase()],
    ['hex in pairs', hexText.replace(/..(?=.)/g, '$& ')],
    ['hex with colons', hexText.replace(/..(?=.)/g, '$&:')],
    ['numbers', numbers.join(',')],
    ['numbers and blanks', numbers.join(', ')],
    ['numbers on lines', numbers.join(',\n  ')],
    ['base58', base58.encode(bytes)],
    ['base58 in blocks', base58xmr.encode(bytes)],
    ...aligned('base64', bytes, base64.encode),
    ...aligned('base64url', bytes, base64url.encode),
  ];
  const written = texts.map(([form, text]) => ({ form, bytes: Buffer.from(text) }));
  return usable([{ form: 'raw bytes', bytes: Buffer.from(bytes) }, ...written]);
}

/** The common part of all base64 texts with these bytes after 0, 1 or 2 bytes of a group of three. */
function aligned(form: string, bytes: Uint8Array, encode: (of: Uint8Array) => string): (readonly [string, string])[] {
  return [0, 1, 2].map((before) => {
    const text = encode(Uint8Array.from([...new Array<number>(before).fill(0), ...bytes])).replace(/=+$/, '');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    return [`${form}, ${before} before`, text.slice(Math.ceil((before * 8) / 6), whole)];
  });
}

const usable = (spellings: readonly Spelling[]) => spellings.filter(({ bytes }) => bytes.length >= SHORTEST);
