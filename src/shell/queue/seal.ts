/** Proves that a text comes from a process with the queue's secret, which the queue's server does not have. */

import { createHmac, timingSafeEqual } from 'node:crypto';

interface SealKey {
  readonly name: string;
  readonly secret: string;
}

type Purpose = 'job' | 'done' | 'failed' | 'plan';

/** Returns the text with an HMAC-SHA-256 in front, which is valid for one purpose, queue and job. */
export const seal = (key: SealKey, purpose: Purpose, id: string, text: string): string =>
  `${compute(key, purpose, id, text)} ${text}`;

/** Returns the text; null if it was sealed with another secret, purpose, queue or job id. */
export function openSeal(key: SealKey, purpose: Purpose, id: string, sealed: unknown): string | null {
  if (typeof sealed !== 'string') return null;
  const at = sealed.indexOf(' ');
  const text = sealed.slice(at + 1);
  const [found, wanted] = [Buffer.from(sealed.slice(0, at)), Buffer.from(compute(key, purpose, id, text))];
  return found.length === wanted.length && timingSafeEqual(found, wanted) ? text : null;
}

const compute = ({ secret, name }: SealKey, purpose: Purpose, id: string, text: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([purpose, name, id]))
    .update(text)
    .digest('hex');
