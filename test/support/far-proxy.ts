/** A distant exchange: a proxy that delays every byte in both directions, and loses none. */

import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listening } from './listening.js';

/** Returns the address of the proxy; `roundTripMs` is added to each request. It ends with the test. */
export async function farProxy(target: string, roundTripMs: number): Promise<string> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void setTimeout(() => to.write(bytes), roundTripMs / 2));
      from.on('error', () => from.destroy());
      from.on('close', () => void setTimeout(() => to.destroy(), roundTripMs / 2));
    }
  });
  const { url } = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return url;
}
