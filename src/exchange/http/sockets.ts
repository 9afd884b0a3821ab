/**
 * Limits the time of slow and silent clients. A client that does not send HTTP gets an error in the envelope, and its
 * connection ends. A connection beyond `maxConnections`, or one that stops reading, ends without an answer.
 */

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { guarded } from '../../shared/base/processes.js';
import { type Answer, badField, faultAnswer } from '../service/answers.js';
import { MAX_HEAD_BYTES } from './messages.js';
import type { HeaderList, RateGuard } from './rate-guard.js';

/** Time limits of connections, ms, and the maximum number of connections. */
export const PATIENCE = {
  /** Maximum time for the whole head of a request, ms. */
  headersMs: 10_000,
  /** Maximum time for a whole request, body included, ms. */
  requestMs: 30_000,
  /** Maximum time without a byte in either direction, ms. A silent client no longer reads its answers. */
  silenceMs: 60_000,
  /** Maximum time between two requests, ms. Clients close idle connections earlier, so no request is lost. */
  idleMs: 75_000,
  checkMs: 2000,
  /** Maximum number of connections. Each may hold a body of 64 KiB, so all hold at most 64 MiB. */
  maxConnections: 1000,
};
/** Limits of connections. */
export type Patience = Readonly<typeof PATIENCE>;

/** Options of the framework for these limits. */
export const socketOptions = (patience: Patience) => ({
  connectionTimeout: patience.silenceMs,
  keepAliveTimeout: patience.idleMs,
  requestTimeout: patience.requestMs,
  http: {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: patience.headersMs,
    connectionsCheckingInterval: patience.checkMs,
    // Node's own refusal has no envelope. This server has only one name, so it needs no host header.
    requireHostHeader: false,
  },
});

/** Header `Allow` of a 405 for CONNECT, whose target is not a path. */
const ALLOW = [['allow', 'GET, POST, DELETE']] as const;

/** Replaces Node's own answers, which have no envelope. */
export function guardSockets({ server }: FastifyInstance, patience: Patience, lastWords: MalformedConnections): void {
  server.maxConnections = patience.maxConnections;
  // Requests with an unknown `Expect` header are answered normally. Node would send a 417 without an envelope.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // CONNECT is refused, because the exchange is not a proxy.
  server.on('connect', (request, socket) => {
    const refusal = faultAnswer({ slug: 'method_not_allowed' });
    const say = () => lastWords.say(socket, request.socket.remoteAddress ?? '', refusal, ALLOW);
    guarded(say, () => socket.destroy())();
  });
  lastWords.watch(server);
}

/** Time between the last answer and the end of its connection, ms. An immediate end could lose the answer. */
const LINGER_MS = 1000;

const NOT_HTTP = faultAnswer(badField('request', 'The request is not complete HTTP/1.1.'));
const HEAD_TOO_LARGE = faultAnswer({ slug: 'request_headers_too_large' });

/** Answer to bytes that Node's parser has rejected, by the parser's error code. */
export const wordsFor = (code: string): Answer => (code === 'HPE_HEADER_OVERFLOW' ? HEAD_TOO_LARGE : NOT_HTTP);

/** Ends connections that send no valid request. Its answer never precedes the answer to an earlier request. */
export class MalformedConnections {
  readonly #guard: RateGuard;
  /** By connection: responses that are not yet complete, in order of their requests. */
  readonly #open = new WeakMap<Duplex, readonly ServerResponse[]>();

  constructor(guard: RateGuard) {
    this.#guard = guard;
  }

  watch(server: Server): void {
    const note = ({ socket }: IncomingMessage, response: ServerResponse) =>
      this.#open.set(socket, [...this.#openOn(socket), response]);
    // The server itself answers these requests. Without this record, a later answer could precede theirs.
    server.on(
      'request',
      guarded(note, () => undefined),
    );
  }

  /** Sends an answer and ends the connection, after all complete requests of the connection are answered. */
  say(socket: Duplex, address: string, answer: Answer, headers: HeaderList = []): void {
    // The malformed request itself may be open with an incomplete body. It is not waited for.
    const earlier = this.#openOn(socket).find(({ req }) => req.complete);
    if (earlier === undefined) this.#sayNow(socket, address, answer, headers);
    else earlier.once('close', () => this.say(socket, address, answer, headers));
  }

  #sayNow(socket: Duplex, address: string, answer: Answer, extra: HeaderList): void {
    if (!socket.writable) return;
    const { headers, refusal } = this.#guard.admitBytes(address);
    socket.end(wireText(refusal ?? answer, [...headers, ...extra]));
    // Otherwise a client that neither reads nor closes would keep the connection open forever.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  #openOn(socket: Duplex): readonly ServerResponse[] {
    return (this.#open.get(socket) ?? []).filter(({ closed }) => !closed);
  }
}

function wireText({ status, text }: Answer, headers: HeaderList): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
