/** An exchange that loses answers: a proxy in front of the real one that does to requests what networks do. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { Random } from '../../src/shared/base/random.js';

export const FAULTS = [
  'request lost', // the connection is cut before the exchange has seen anything
  'answer lost', // the exchange did it, nobody hears of it
  'twice', // delivered twice; the first answer comes back
  'html', // done, and answered with a proxy's error page
  'cut', // done, and answered with half of the body
  'late', // done, and answered two seconds later
  'late request', // held up for two seconds, then done
] as const;
export type Fault = (typeof FAULTS)[number];

export interface LossyProxy {
  readonly url: string;
  /** Everything arrives until now. Resolves when every kind of fault was dealt so often; then everything arrives again. */
  rage(times: number): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const LATE_MS = 2_000;

/** @param share part of all requests that meet a fault, each kind as likely as the others */
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
  const server = createServer((incoming, outgoing) => {
    // A connection that either side cuts is what this is about.
    pass(target, incoming, outgoing, draw()).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const rage = (times: number) =>
    new Promise<void>((resolve) => {
      wanted = times;
      enough = resolve;
    });
  return { url: `http://127.0.0.1:${port}`, rage };
}

async function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | null) {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (fault === 'request lost') return incoming.socket.destroy();
  if (fault === 'late request') await pause(LATE_MS);
  const answer = await forward(target, incoming, body);
  if (fault === 'twice') await forward(target, incoming, body);
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

function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onward = request(`${target}${url}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 500, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    onward.on('error', reject);
    onward.end(body);
  });
}
