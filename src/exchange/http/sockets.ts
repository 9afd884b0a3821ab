/**
 * Clients that are slow, silent or no clients at all. One socket costs the others nothing: it gets so long to say what it
 * wants and so long to take the answer, and what is no HTTP is answered in the envelope and cut off.
 *
 * What the runtime ends without an answer: a connection beyond `maxConnections`, and one whose client stopped reading.
 */

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Answer, badField, faultAnswer } from './envelope.js';
import type { RateGuard } from './rate-guard.js';

/** How long sockets are waited for, ms, and how many may be open. */
export interface Patience {
  /** For the whole head of a request. */
  readonly headersMs: number;
  /** For a whole request, body included. */
  readonly requestMs: number;
  /** Without a byte in either direction: a client that has stopped reading its answers. */
  readonly silenceMs: number;
  /** Between two requests. */
  readonly idleMs: number;
  /** How often the first two are looked at. */
  readonly checkMs: number;
  readonly maxConnections: number;
}

export const PATIENCE: Patience = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 60_000,
  // Longer than clients keep idle sockets: none must see us close one under a request that is on its way.
  idleMs: 75_000,
  checkMs: 2000,
  // Each may hold a body of 64 KiB: at most 64 MiB in all.
  maxConnections: 1000,
};

/** From our last word to cutting the connection, ms: an immediate cut could overtake the answer. */
const LINGER_MS = 1000;

/** The framework's options that follow from a patience. */
export const socketOptions = (patience: Patience) => ({
  connectionTimeout: patience.silenceMs,
  keepAliveTimeout: patience.idleMs,
  requestTimeout: patience.requestMs,
  http: {
    headersTimeout: patience.headersMs,
    connectionsCheckingInterval: patience.checkMs,
    // The runtime's own refusal has no envelope, and this server has only one name to be called by.
    requireHostHeader: false,
  },
});

/** Takes over what the runtime would otherwise answer without the envelope. */
export function guardSockets({ server }: FastifyInstance, patience: Patience, guard: RateGuard): void {
  server.maxConnections = patience.maxConnections;
  // An expectation that we do not know is no reason to refuse (the runtime would say a bare 417).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // CONNECT: this is no proxy.
  server.on('connect', (request, socket) => {
    answerBytes(socket, request.socket.remoteAddress ?? '', guard, faultAnswer({ slug: 'method_not_allowed' }));
  });
}

const NOT_HTTP = faultAnswer(badField('request', 'The request is not complete HTTP/1.1.'));

/** The last words to a socket whose bytes are no request, or only a part of one. */
export function answerBytes(socket: Duplex, address: string, guard: RateGuard, answer: Answer = NOT_HTTP): void {
  if (!socket.writable) return;
  const { headers, refusal } = guard.admitBytes(address);
  socket.end(wireText(refusal ?? answer, headers));
  // Whoever neither reads nor closes would keep the half of a connection for ever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function wireText({ status, text }: Answer, headers: readonly (readonly [string, string])[]): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
