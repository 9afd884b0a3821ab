/** A distant exchange: a server in front of it that delays every byte in both directions, and loses none. */

import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listening } from './listening.js';

/** Returns the address of the proxy; `roundTripMs` is added to each request. It ends with the test. */
export async function farProxy(target: string, roundTripMs: number): Promise<string> {
  const { server, cut } = delaying(() => Number(new URL(target).port), roundTripMs / 2);
  const { url } = await listening(server);
  onTestFinished(cut);
  return url;
}

/** A server in front of a port of loopback, which each new connection reads; `cut` ends all connections. */
export function delaying(portOf: () => number, oneWayMs: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(portOf(), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), oneWayMs));
      from.on('close', () => {
        sockets.delete(from);
        setTimeout(() => to.destroy(), oneWayMs);
      });
      // A process that was killed resets its connections; `close` follows.
      from.on('error', () => undefined);
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { server, cut };
}
