/** An exchange that loses answers: a proxy in front of the real one with the faults of networks. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../src/shared/base/random.js';
import { forward } from './altering-proxy.js';
import { listeningWeb } from './listening.js';

export const FAULTS = [
  'request lost', // the connection is cut before the exchange has received anything
  'answer lost', // the call takes effect, its answer is lost
  'twice', // delivered twice; the first answer is returned
  'html', // done, and answered with a proxy's error page
  'cut', // done, and answered with half of the body
  'late', // done, and answered two seconds later
  'late request', // held up for two seconds, then done
] as const;
export type Fault = (typeof FAULTS)[number];

export interface LossyProxy {
  readonly url: string;
  /** Without faults until this call. Resolves after this number of every kind of fault; then faults end. */
  rage(times: number): Promise<void>;
}

const LATE_MS = 2_000;

/** @param share part of all requests with a fault, each kind equally likely */
export async function lossyProxy(target: string, seed: number, share: number): Promise<LossyProxy> {
  const random = Random.fromSeed(seed, 'proxy');
  const dealt = new Map<Fault, number>();
  let enough: (() => void) | null = null;
  let wanted = 0;
  const draw = (): Fault | null => {
    if (enough === null || !random.chance(share)) return null;
    const fault = FAULTS[random.below(FAULTS.length)] ?? 'cut';
    dealt.set(fault, (dealt.get(fault) ?? 0) + 1);
    if (FAULTS.every((kind) => (dealt.get(kind) ?? 0) >= wanted)) {
      enough();
      enough = null;
    }
    return fault;
  };
  const { url } = await listeningWeb((incoming, outgoing) => {
    // Cut connections are intended here.
    pass(target, incoming, outgoing, draw()).catch(() => incoming.socket.destroy());
  });
  const rage = (times: number) =>
    new Promise<void>((resolve) => {
      wanted = times;
      enough = resolve;
    });
  return { url, rage };
}

async function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | null) {
  const { method = 'GET', url: path = '/', headers } = incoming;
  const whole = { method, path, headers, body: await buffer(incoming) };
  if (fault === 'request lost') return incoming.socket.destroy();
  if (fault === 'late request') await pause(LATE_MS);
  const answer = await forward(target, whole);
  if (fault === 'twice') await forward(target, whole);
  if (fault === 'late') await pause(LATE_MS);
  if (fault === 'answer lost') return incoming.socket.destroy();
  if (fault === 'html') {
    outgoing.writeHead(502, { 'content-type': 'text/html' });
    return outgoing.end('<html><body>502 Bad Gateway</body></html>');
  }
  outgoing.writeHead(answer.status, answer.headers);
  if (fault !== 'cut') return outgoing.end(answer.body);
  outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)));
  await pause(10);
  return incoming.socket.destroy();
}
