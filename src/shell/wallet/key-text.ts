/** Secret keys as other tools write them: a Solana `id.json`, base58, hex. */

import { base58 } from '@scure/base';
import { TwinbookError } from '../../shared/base/errors.js';
import { derivePublicKey } from './ed25519.js';

/**
 * The 32-byte seed that the text spells: a JSON array of 64 numbers, base58 or hex of 32 bytes (the seed) or 64 bytes
 * (seed and public key, which must belong together). Throws TwinbookError key_invalid, which never quotes the text.
 */
export function readKeyText(text: string, where: string): Uint8Array {
  const trimmed = text.trim();
  const bytes = trimmed.startsWith('[') ? fromJsonArray(trimmed) : (fromHex(trimmed) ?? fromBase58(trimmed));
  if (bytes === null) throw invalid(where, 'is neither a Solana id.json, nor base58, nor hex');
  if (bytes.length !== 32 && bytes.length !== 64) throw invalid(where, `has ${bytes.length} bytes, not 32 or 64`);
  const seed = bytes.slice(0, 32);
  if (bytes.length === 64 && Buffer.compare(bytes.subarray(32), derivePublicKey(seed)) !== 0) {
    throw invalid(where, 'has a public half that does not belong to its secret half');
  }
  return seed;
}

const invalid = (where: string, what: string) =>
  new TwinbookError(
    'key_invalid',
    `the key in ${where} ${what}`,
    'A key is 32 or 64 bytes, as base58, hexadecimal or a JSON list: look at the file that it comes from.',
  );

function fromJsonArray(text: string): Uint8Array | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null; // cut or not JSON
  }
  if (!Array.isArray(parsed) || parsed.length > 64) return null;
  const isByte = (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
  return parsed.every(isByte) ? Uint8Array.from(parsed) : null;
}

function fromHex(text: string): Uint8Array | null {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  return /^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})$/.test(digits) ? new Uint8Array(Buffer.from(digits, 'hex')) : null;
}

function fromBase58(text: string): Uint8Array | null {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,90}$/.test(text)) return null;
  return base58.decode(text);
}
