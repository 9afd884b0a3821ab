/**
 * A secret key under a passphrase: scrypt for the key, AES-256-GCM for the content. The address and every parameter are
 * authenticated, so a changed file is refused.
 */

import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { base64 } from '@scure/base';
import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';

export interface ScryptCost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** About a second and 256 MiB on a small machine: once per start, and expensive for an attacker who guesses. */
export const DEFAULT_SCRYPT: ScryptCost = { n: 2 ** 18, r: 8, p: 1 };

/** Maximum memory that a file may request. */
const LARGEST_SCRYPT_BYTES = 2 ** 30;

const bytes = (min: number, max: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9+/]*={0,2}$/)
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
    .refine((value) => value.length >= min && value.length <= max);

/** Bounded on both sides: too weak and too expensive costs are refused. */
export const sealedKeySchema = z.strictObject({
  kdf: z.literal('scrypt'),
  n: z
    .number()
    .int()
    .min(2 ** 10)
    .max(2 ** 20)
    .refine((n) => Number.isInteger(Math.log2(n))),
  r: z.number().int().min(1).max(16),
  p: z.number().int().min(1).max(4),
  salt: bytes(16, 64),
  cipher: z.literal('aes-256-gcm'),
  iv: bytes(12, 12),
  tag: bytes(16, 16),
  data: bytes(32, 32),
});

type SealedKey = z.input<typeof sealedKeySchema>;

export function sealKey(seed: Uint8Array, address: string, passphrase: string, cost: ScryptCost): SealedKey {
  const salt = randomBytes(32);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', stretch(passphrase, salt, cost), iv);
  cipher.setAAD(context(address, cost));
  const data = Buffer.concat([cipher.update(seed), cipher.final()]);
  return {
    kdf: 'scrypt',
    n: cost.n,
    r: cost.r,
    p: cost.p,
    salt: base64.encode(salt),
    cipher: 'aes-256-gcm',
    iv: base64.encode(iv),
    tag: base64.encode(cipher.getAuthTag()),
    data: base64.encode(data),
  };
}

/** The seed; null for a wrong passphrase or a changed file, which look alike. */
export function unsealKey(
  sealed: z.output<typeof sealedKeySchema>,
  address: string,
  passphrase: string,
): Uint8Array | null {
  if (128 * sealed.n * sealed.r > LARGEST_SCRYPT_BYTES) {
    throw new TwinbookError(
      'key_invalid',
      `the key file asks for more than 1 GiB of memory (n ${sealed.n}, r ${sealed.r})`,
      'It was changed, or another program sealed it: take your copy of it, or `twinbook keys import` the key again.',
    );
  }
  const decipher = createDecipheriv('aes-256-gcm', stretch(passphrase, sealed.salt, sealed), sealed.iv);
  decipher.setAAD(context(address, sealed));
  decipher.setAuthTag(sealed.tag);
  try {
    return new Uint8Array(Buffer.concat([decipher.update(sealed.data), decipher.final()]));
  } catch {
    return null; // The tag did not match.
  }
}

const context = (address: string, { n, r, p }: ScryptCost): Buffer =>
  Buffer.from(`twinbook key v1 ${address} ${n} ${r} ${p}`, 'utf8');

function stretch(passphrase: string, salt: Uint8Array, { n, r, p }: ScryptCost): Buffer {
  // Node refuses N above 2^16 with its default maxmem; scrypt needs 128 * N * r bytes and a little for p.
  const maxmem = 128 * n * r + 128 * r * p + 2 ** 20;
  return scryptSync(passphrase.normalize('NFKC'), salt, 32, { N: n, r, p, maxmem });
}
