/**
 * Bounds the time of clients that are slow, silent or no HTTP clients. Non-HTTP is answered in the envelope and cut
 * off. A connection beyond `maxConnections`, or one that stopped reading, ends without an answer.
 */

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { guarded } from '../../shared/base/processes.js';
import { type Answer, badField, faultAnswer } from '../service/answers.js';
import { MAX_HEAD_BYTES } from './messages.js';
import type { HeaderList, RateGuard } from './rate-guard.js';

/** Time-outs of sockets, ms, and their maximum number. */
export const PATIENCE = {
  /** Maximum time for the whole head of a request, ms. */
  headersMs: 10_000,
  /** Maximum time for a whole request, body included, ms. */
  requestMs: 30_000,
  /** Maximum time without a byte in either direction, ms: the client no longer reads its answers. */
  silenceMs: 60_000,
  /** Maximum time between two requests, ms; longer than clients keep idle sockets, so no request is cut off. */
  idleMs: 75_000,
  checkMs: 2000,
  /** Maximum connections; a connection may hold a body of 64 KiB: at most 64 MiB in all. */
  maxConnections: 1000,
};
/** Bounds of sockets. */
export type Patience = Readonly<typeof PATIENCE>;

/** Framework options of a patience. */
export const socketOptions = (patience: Patience) => ({
  connectionTimeout: patience.silenceMs,
  keepAliveTimeout: patience.idleMs,
  requestTimeout: patience.requestMs,
  http: {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: patience.headersMs,
    connectionsCheckingInterval: patience.checkMs,
    // The runtime's own refusal has no envelope, and this server has only one name.
    requireHostHeader: false,
  },
});

/** `Allow` of a 405 for a target that is not a path. */
const ALLOW = [['allow', 'GET, POST, DELETE']] as const;

/** Replaces the runtime's own answers, which lack the envelope. */
export function guardSockets({ server }: FastifyInstance, patience: Patience, lastWords: MalformedConnections): void {
  server.maxConnections = patience.maxConnections;
  // An unknown expectation is no reason to refuse (the runtime would send a bare 417).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // CONNECT is refused: the exchange is no proxy.
  server.on('connect', (request, socket) => {
    const refusal = faultAnswer({ slug: 'method_not_allowed' });
    const say = () => lastWords.say(socket, request.socket.remoteAddress ?? '', refusal, ALLOW);
    guarded(say, () => socket.destroy())();
  });
  lastWords.watch(server);
}

/** Time from the last answer to cutting the connection, ms: an immediate cut could overtake the answer. */
const LINGER_MS = 1000;

const NOT_HTTP = faultAnswer(badField('request', 'The request is not complete HTTP/1.1.'));
const HEAD_TOO_LARGE = faultAnswer({ slug: 'request_headers_too_large' });

/** Answer to bytes that the runtime's parser rejected, by its error code. */
export const wordsFor = (code: string): Answer => (code === 'HPE_HEADER_OVERFLOW' ? HEAD_TOO_LARGE : NOT_HTTP);

/** Ends connections without a valid request, without an answer that could match another request. */
export class MalformedConnections {
  readonly #guard: RateGuard;
  /** Requests with a head but no complete answer yet, in order, by connection. */
  readonly #open = new WeakMap<Duplex, readonly ServerResponse[]>();

  constructor(guard: RateGuard) {
    this.#guard = guard;
  }

  watch(server: Server): void {
    const note = ({ socket }: IncomingMessage, response: ServerResponse) =>
      this.#open.set(socket, [...this.#openOn(socket), response]);
    // Without this record, a later answer could overtake this request's; the server itself answers it.
    server.on(
      'request',
      guarded(note, () => undefined),
    );
  }

  /** Sends the answer after all complete requests of the connection are answered, then ends the connection. */
  say(socket: Duplex, address: string, answer: Answer, headers: HeaderList = []): void {
    // The answer is about a request with an incomplete body.
    const earlier = this.#openOn(socket).find(({ req }) => req.complete);
    if (earlier === undefined) this.#sayNow(socket, address, answer, headers);
    else earlier.once('close', () => this.say(socket, address, answer, headers));
  }

  #sayNow(socket: Duplex, address: string, answer: Answer, extra: HeaderList): void {
    if (!socket.writable) return;
    const { headers, refusal } = this.#guard.admitBytes(address);
    socket.end(wireText(refusal ?? answer, [...headers, ...extra]));
    // A client that neither reads nor closes would keep half of a connection forever.
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
