/** Servers of tests on loopback. */

import { once } from 'node:events';
import { createServer, type RequestListener, Server as WebServer } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens at this port, or at any free one, until the test ends or `close` is called. */
export async function listening(server: Server, at = 0) {
  const port = await listenAt(server, at);
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    if (server instanceof WebServer) server.closeAllConnections();
    await closed;
  };
  onTestFinished(() => void close());
  return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, close };
}

/** An HTTP server with this listener. */
export const listeningWeb = (answer: RequestListener, at = 0) => listening(createServer(answer), at);

/** A port of loopback without a server. */
export async function freePort(): Promise<number> {
  const server = new Server();
  const port = await listenAt(server, 0);
  server.close();
  await once(server, 'close');
  return port;
}

async function listenAt(server: Server, at: number): Promise<number> {
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
