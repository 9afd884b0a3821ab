/** A proxy that rewrites requests to the exchange, as some proxies do, and its answers. */

import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { listeningWeb } from './listening.js';

/** A request in transit. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer in transit. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The changed fields of a request. */
export type Alter = (passing: Passing) => Partial<Passing>;

export interface AlteringProxy {
  readonly url: string;
  /** Changes each request from now on. */
  alter: Alter;
  /** Changes the body of each answer from now on; `asked` is the received request. */
  answer: (body: string, asked: Passing) => string;
  /** Changes each whole answer from now on, after `answer`; null cuts the connection instead. */
  reply: (reply: Reply, asked: Passing) => Partial<Reply> | null;
}

export async function alteringProxy(target: string): Promise<AlteringProxy> {
  const { url } = await listeningWeb(async (incoming, outgoing) => {
    const { 'content-length': _, ...headers } = incoming.headers;
    const whole = { method: incoming.method ?? 'GET', path: incoming.url ?? '/', headers, body: await text(incoming) };
    const passing = { ...whole, ...proxy.alter(whole) };
    const length = passing.body === '' ? {} : { 'content-length': String(Buffer.byteLength(passing.body)) };
    const answer = await forward(target, { ...passing, headers: { ...passing.headers, ...length } }).catch(() => null);
    if (answer === null) return void outgoing.destroy();
    const reply = { ...answer, body: proxy.answer(answer.body.toString('utf8'), whole) };
    const altered = proxy.reply(reply, whole);
    if (altered === null) return void outgoing.destroy();
    const sent = { ...reply, ...altered };
    const { 'content-length': __, 'transfer-encoding': ___, ...kept } = sent.headers;
    outgoing.writeHead(sent.status, { ...kept, 'content-length': String(Buffer.byteLength(sent.body)) });
    outgoing.end(sent.body);
  });
  const proxy: AlteringProxy = { url, alter: () => ({}), answer: (body) => body, reply: () => ({}) };
  return proxy;
}

/** The target's answer to this request. */
export async function forward(
  target: string,
  { method, path, headers, body }: Omit<Passing, 'body'> & { readonly body: string | Uint8Array },
) {
  const onward = request(`${target}${path}`, { method, headers });
  // After the head of the answer, an error reaches the answer's stream too.
  onward.on('error', () => undefined).end(body);
  const [answer] = (await once(onward, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 500, headers: answer.headers, body: await buffer(answer) };
}
