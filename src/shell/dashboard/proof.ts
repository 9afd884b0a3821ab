/**
 * Page and server prove to each other that they know the secret. Neither sends it, and the server proves first: another program
 * at the page's address receives one random number.
 */

import { createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Greeting } from './contract.js';

/** Header of an answer: its proof, hex. */
export const PROOF_HEADER = 'x-twinbook-proof';

const KEY_BYTES = 32;
const deriveBytes = promisify(pbkdf2);

export const deriveKey = (secret: string, { salt, rounds }: Pick<Greeting, 'salt' | 'rounds'>): Promise<Buffer> =>
  deriveBytes(secret, salt, rounds, KEY_BYTES, 'sha256');

export interface Handshake {
  /** Random, 32 bytes in hex, of either side. */
  readonly pageNonce: string;
  readonly serverNonce: string;
  /** Host and port as the browser's address bar shows them. */
  readonly address: string;
}

type Bytes = string | Uint8Array;

/** Hex. The first line names the purpose, so that no proof can serve another one. */
function prove(key: Buffer, lines: readonly (string | number)[], body: Bytes = ''): string {
  return createHmac('sha256', key)
    .update(`twinbook ${lines.join('\n')}\n`)
    .update(body)
    .digest('hex');
}

const handshakeLines = ({ pageNonce, serverNonce, address }: Handshake) => [pageNonce, serverNonce, address];

export const proveServer = (key: Buffer, handshake: Handshake): string =>
  prove(key, ['server', ...handshakeLines(handshake)]);

export const provePage = (key: Buffer, handshake: Handshake): string =>
  prove(key, ['page', ...handshakeLines(handshake)]);

export const deriveSessionKey = (key: Buffer, handshake: Handshake): Buffer =>
  Buffer.from(prove(key, ['session', ...handshakeLines(handshake)]), 'hex');

export interface ProvenRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Number of the request within its session. */
  readonly count: number;
  readonly body: string;
}

export const proveRequest = (sessionKey: Buffer, { method, target, count, body }: ProvenRequest): string =>
  prove(sessionKey, ['request', count, method, target], body);

export const proveAnswer = (sessionKey: Buffer, count: number, status: number, body: Bytes): string =>
  prove(sessionKey, ['answer', count, status], body);

/** @param index number of the event within its stream, from 0 */
export const proveEvent = (sessionKey: Buffer, count: number, index: number, data: string): string =>
  prove(sessionKey, ['event', count, index], data);

export function isProof(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
