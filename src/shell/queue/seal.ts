/** Proof that a text of the queue comes of a process with its secret: the server, and others who may write to it, have none. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { QueueAddress } from './contract.js';

type Purpose = 'job' | 'result';

/** The text with its HMAC-SHA-256 before it, good for one purpose, queue and job. */
export const seal = (address: QueueAddress, purpose: Purpose, id: string, text: string): string =>
  `${compute(address, purpose, id, text)} ${text}`;

/** The text; null where the seal is not that of this secret and job. */
export function openSeal(address: QueueAddress, purpose: Purpose, id: string, sealed: unknown): string | null {
  if (typeof sealed !== 'string') return null;
  const at = sealed.indexOf(' ');
  const text = sealed.slice(at + 1);
  const [found, wanted] = [Buffer.from(sealed.slice(0, at)), Buffer.from(compute(address, purpose, id, text))];
  return found.length === wanted.length && timingSafeEqual(found, wanted) ? text : null;
}

const compute = ({ secret, name }: QueueAddress, purpose: Purpose, id: string, text: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([purpose, name, id]))
    .update(text)
    .digest('hex');
