/**
 * Whether the program at an address is the page that knows this secret. It proves it as to a browser; the secret is not
 * sent.
 */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readBounded } from '../alerts/texts.js';
import { deriveKey, proveServer } from '../dashboard/proof.js';

const ANSWERS_WITHIN_MS = 5_000;
const NONCE_BYTES = 32;
/** The page's own greeting is a tenth of it. */
const MOST_BYTES = 16_384;

const greetingSchema = z.object({
  salt: z.string().max(100),
  rounds: z.number().int().positive().max(10_000_000),
  nonce: z.string().max(100),
  proofs: z.array(z.string().max(100)).max(10),
});

export type PageProof = 'proven' | 'not proven' | 'no answer';

export async function provePage(url: string, secret: string): Promise<PageProof> {
  const pageNonce = randomBytes(NONCE_BYTES).toString('hex');
  const answer = await greet(url, pageNonce);
  if (answer === null) return 'no answer';
  const greeting = greetingSchema.safeParse(answer);
  if (!greeting.success) return 'not proven';
  const { nonce: serverNonce, proofs, ...derivation } = greeting.data;
  const key = await deriveKey(secret, derivation);
  const proof = proveServer(key, { pageNonce, serverNonce, address: new URL(url).host });
  return proofs.includes(proof) ? 'proven' : 'not proven';
}

/** Null without any answer. */
async function greet(url: string, nonce: string): Promise<unknown> {
  try {
    const response = await fetch(new URL('/session/greeting', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nonce }),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    return JSON.parse(await readBounded(response, MOST_BYTES).catch(() => '{}'));
  } catch {
    return null;
  }
}
