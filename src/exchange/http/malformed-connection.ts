/**
 * Answers a connection whose bytes are no request, or only part of one. HTTP/1.1 answers have no id and match requests
 * by order: the answer to later bytes must not be taken for that of an earlier request, which may have been carried
 * out.
 */

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { guarded } from '../../shared/base/guarded.js';
import { type Answer, badField, faultAnswer } from '../service/envelope.js';
import type { HeaderList, RateGuard } from './rate-guard.js';

/** Time from the last answer to cutting the connection, ms: an immediate cut could overtake the answer. */
const LINGER_MS = 1000;

const NOT_HTTP = faultAnswer(badField('request', 'The request is not complete HTTP/1.1.'));
const HEAD_TOO_LARGE = faultAnswer({ slug: 'request_headers_too_large' });

/** Answer to bytes that the runtime's parser rejected, by its error code. */
export const wordsFor = (code: string): Answer => (code === 'HPE_HEADER_OVERFLOW' ? HEAD_TOO_LARGE : NOT_HTTP);

/** Ends connections without a valid request, without an answer that could match another request. */
export class MalformedConnections {
  readonly #guard: RateGuard;
  /** By connection: requests with a head but no complete answer yet, in order. */
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
    // A client that neither reads nor closes would keep half of a connection for ever.
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
