/** A proxy that rewrites requests on their way to the exchange, as some proxies do, and answers on their way back. */

import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request on its way. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer on its way back. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What of it goes on otherwise. */
export type Alter = (passing: Passing) => Partial<Passing>;

export interface AlteringProxy {
  readonly url: string;
  /** What is done to each request from now on. */
  alter: Alter;
  /** What is done to the body of each answer from now on; `asked` is the request as it came. */
  answer: (body: string, asked: Passing) => string;
  /** What is done to each whole answer from now on, after `answer`; null cuts the connection in its place. */
  reply: (reply: Reply, asked: Passing) => Partial<Reply> | null;
}

export async function alteringProxy(target: string): Promise<AlteringProxy> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { 'content-length': _, ...headers } = incoming.headers;
    const body = Buffer.concat(chunks).toString('utf8');
    const whole = { method: incoming.method ?? 'GET', path: incoming.url ?? '/', headers, body };
    const passing = { ...whole, ...proxy.alter(whole) };
    const length = { 'content-length': String(Buffer.byteLength(passing.body)) };
    const onward = request(`${target}${passing.path}`, {
      method: passing.method,
      headers: { ...passing.headers, ...(passing.body === '' ? {} : length) },
    });
    onward.on('response', async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      const body = proxy.answer(Buffer.concat(parts).toString('utf8'), whole);
      const reply = { status: answer.statusCode ?? 500, headers: answer.headers, body };
      const altered = proxy.reply(reply, whole);
      if (altered === null) {
        outgoing.destroy();
        return;
      }
      const sent = { ...reply, ...altered };
      const { 'content-length': _, 'transfer-encoding': __, ...kept } = sent.headers;
      outgoing.writeHead(sent.status, { ...kept, 'content-length': String(Buffer.byteLength(sent.body)) });
      outgoing.end(sent.body);
    });
    onward.on('error', () => outgoing.destroy());
    onward.end(passing.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // of a server that listens on TCP
  const proxy: AlteringProxy = {
    url: `http://127.0.0.1:${port}`,
    alter: () => ({}),
    answer: (body) => body,
    reply: () => ({}),
  };
  return proxy;
}
