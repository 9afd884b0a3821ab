/**
 * Clients that are slow, silent or no clients at all. One socket costs the others nothing: it gets so long to say what it
 * wants and so long to take the answer, and what is no HTTP is answered in the envelope and cut off.
 *
 * What the runtime ends without an answer: a connection beyond `maxConnections`, and one whose client stopped reading.
 */

import type { FastifyInstance } from 'fastify';
import { guarded } from '../../shared/base/guarded.js';
import { faultAnswer } from '../service/envelope.js';
import type { MalformedConnections } from './malformed-connection.js';
import { MAX_HEAD_BYTES } from './messages.js';

/** Time-outs of sockets, ms, and their maximum number. */
export interface Patience {
  /** For the whole head of a request. */
  readonly headersMs: number;
  /** For a whole request, body included. */
  readonly requestMs: number;
  /** Without a byte in either direction: a client that no longer reads its answers. */
  readonly silenceMs: number;
  /** Between two requests. */
  readonly idleMs: number;
  readonly checkMs: number;
  readonly maxConnections: number;
}

export const PATIENCE: Patience = {
  headersMs: 10_000,
  requestMs: 30_000,
  silenceMs: 60_000,
  // Longer than clients keep idle sockets, so that none is closed under a request in flight.
  idleMs: 75_000,
  checkMs: 2000,
  // Each may hold a body of 64 KiB: at most 64 MiB in all.
  maxConnections: 1000,
};

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
  // CONNECT: this is no proxy.
  server.on('connect', (request, socket) => {
    const refusal = faultAnswer({ slug: 'method_not_allowed' });
    const say = () => lastWords.say(socket, request.socket.remoteAddress ?? '', refusal, ALLOW);
    guarded(say, () => socket.destroy())();
  });
  lastWords.watch(server);
}
