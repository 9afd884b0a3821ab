/** A proxy in front of a healthy exchange that answers one request otherwise, as a proxy with limits of its own does. */

import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface OneAnswer {
  /** Null passes the request on. */
  readonly status: number | null;
  /** In place of the body; null keeps it. */
  readonly body: string | null;
  /** Beside those that the exchange sends, or in their place. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface MisjudgingProxy {
  readonly url: string;
  /** Answers the next signed read so. Resolves when that was done. */
  once(answer: OneAnswer): Promise<void>;
}

const isSigned = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some((name) => /-signature$/.test(name));

export async function misjudgingProxy(target: string): Promise<MisjudgingProxy> {
  let armed: { readonly answer: OneAnswer; readonly done: () => void } | null = null;
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer); // a stream of bytes gives nothing else
    const hit = incoming.method === 'GET' && isSigned(incoming.headers) ? armed : null;
    if (hit !== null) armed = null;
    if (hit?.answer.status != null) {
      outgoing.writeHead(hit.answer.status, hit.answer.headers).end(hit.answer.body ?? '');
      return hit.done();
    }
    const onward = request(`${target}${incoming.url}`, { method: incoming.method, headers: incoming.headers });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, { ...answer.headers, ...hit?.answer.headers });
      answer.pipe(outgoing);
      hit?.done();
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(Buffer.concat(chunks));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // of a server that listens on TCP
  const once = (answer: OneAnswer) =>
    new Promise<void>((done) => {
      armed = { answer, done };
    });
  return { url: `http://127.0.0.1:${port}`, once };
}
