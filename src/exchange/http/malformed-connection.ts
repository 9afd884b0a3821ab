/**
 * The answer to a connection whose bytes are no request, or only a part of one. HTTP/1.1 answers have no id; clients match
 * them by order. So the answer to later bytes must not be taken for that of an earlier request, which may have been carried out.
 */

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { guarded } from '../../shared/base/guarded.js';
import { type Answer, badField, faultAnswer } from '../service/envelope.js';
import type { HeaderList, RateGuard } from './rate-guard.js';

/** From our last word to cutting the connection, ms: an immediate cut could overtake the answer. */
const LINGER_MS = 1000;

const NOT_HTTP = faultAnswer(badField('request', 'The request is not complete HTTP/1.1.'));
const HEAD_TOO_LARGE = faultAnswer({ slug: 'request_headers_too_large' });

/** What is said of bytes at which the runtime's parser has stopped, by the code of its error. */
export const wordsFor = (code: string): Answer => (code === 'HPE_HEADER_OVERFLOW' ? HEAD_TOO_LARGE : NOT_HTTP);

/** Ends connections that sent no valid request, without an answer that could be taken for another request's. */
export class MalformedConnections {
  readonly #guard: RateGuard;
  /** By connection: requests that have a head and no whole answer yet, in their order. */
  readonly #open = new WeakMap<Duplex, readonly ServerResponse[]>();

  constructor(guard: RateGuard) {
    this.#guard = guard;
  }

  watch(server: Server): void {
    const note = ({ socket }: IncomingMessage, response: ServerResponse) =>
      this.#open.set(socket, [...this.#openOn(socket), response]);
    // Without the note, a later answer may overtake this request's; the server itself answers it.
    server.on(
      'request',
      guarded(note, () => undefined),
    );
  }

  /** Says it when every whole request of the connection is answered, and ends the connection. */
  say(socket: Duplex, address: string, answer: Answer, headers: HeaderList = []): void {
    // A request whose body is not whole is what these words are about.
    const earlier = this.#openOn(socket).find(({ req }) => req.complete);
    if (earlier === undefined) this.#sayNow(socket, address, answer, headers);
    else earlier.once('close', () => this.say(socket, address, answer, headers));
  }

  #sayNow(socket: Duplex, address: string, answer: Answer, extra: HeaderList): void {
    if (!socket.writable) return;
    const { headers, refusal } = this.#guard.admitBytes(address);
    socket.end(wireText(refusal ?? answer, [...headers, ...extra]));
    // Whoever neither reads nor closes would keep the half of a connection for ever.
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
