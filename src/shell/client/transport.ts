/** One attempt over HTTP: bytes out, bytes in, and whether any byte left. Knows nothing of the service. */

import http from 'node:http';
import https from 'node:https';
import axios, { type AxiosInstance } from 'axios';
import type { Message } from './message.js';
import { Wire } from './wire.js';

/** Result of one attempt. `text` is null when the bytes are not UTF-8. */
export type Attempt =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly header: (name: string) => string | null;
      readonly text: string | null;
    }
  | { readonly kind: 'failure'; readonly reason: string; readonly sent: boolean };

/** Carrier of messages: HTTP here, a simulated network elsewhere. */
export interface Sender {
  /** Never throws. `timeoutMs` bounds the whole attempt, so that an endless body ends too. */
  send(message: Message, headers: Record<string, string | false>, timeoutMs: number): Promise<Attempt>;
  /** Aborts requests in flight and closes every socket. */
  close(): void;
}

/** Sends messages over HTTP with connections that are kept open; never follows a redirect and never retries. */
export class Transport implements Sender {
  readonly #axios: AxiosInstance;
  readonly #agents: { readonly http: http.Agent; readonly https: https.Agent };
  readonly #inFlight = new Set<Wire>();

  /** `sockets`: connections kept open at most. */
  constructor(sockets: number) {
    const options = { keepAlive: true, maxSockets: sockets, maxFreeSockets: sockets, scheduling: 'lifo' } as const;
    this.#agents = { http: new http.Agent(options), https: new https.Agent(options) };
    this.#axios = axios.create({
      httpAgent: this.#agents.http,
      httpsAgent: this.#agents.https,
      transformRequest: [(data: unknown) => data],
      transformResponse: [(data: unknown) => data],
      validateStatus: () => true,
    });
  }

  async send(message: Message, headers: Record<string, string | false>, timeoutMs: number): Promise<Attempt> {
    const wire = new Wire();
    this.#inFlight.add(wire);
    const timer = setTimeout(() => wire.cut(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const response = await this.#axios.request<Buffer>({
        method: message.method,
        url: message.url.href,
        headers,
        ...(message.body === '' ? {} : { data: Buffer.from(message.body, 'utf8') }),
        adapter: wire.adapter,
      });
      const read = (name: string): string | null => {
        const value: unknown = response.headers[name];
        return typeof value === 'string' ? value : null;
      };
      return { kind: 'answer', status: response.status, header: read, text: decode(response.data) };
    } catch (error) {
      return { kind: 'failure', reason: describe(error), sent: wire.connected };
    } finally {
      clearTimeout(timer);
      this.#inFlight.delete(wire);
    }
  }

  close(): void {
    for (const wire of this.#inFlight) wire.cut(new Error('the client was closed'));
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null; // garbled on the way
  }
}

const PLAIN_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found: no answer from the name server',
  ETIMEDOUT: 'connection timed out',
  HPE_HEADER_OVERFLOW: 'answer with too large headers',
};

/** Code and message only: the error itself contains the request's headers. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return PLAIN_WORDS[code] ?? `${code} ${error.message}`.trim().slice(0, 200);
}
