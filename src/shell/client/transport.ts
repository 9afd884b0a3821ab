/** One attempt over HTTP: bytes out, bytes in, and whether any byte left. Knows nothing of the service. */

import http from 'node:http';
import https from 'node:https';
import { guarded } from '../../shared/base/processes.js';
import type { Message } from './message.js';

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
  send(message: Message, headers: Record<string, string>, timeoutMs: number): Promise<Attempt>;
  /** Aborts requests in flight and closes every socket. */
  close(): void;
}

/** Sends messages over HTTP with connections that are kept open; never follows a redirect and never retries. */
export class Transport implements Sender {
  readonly #agents: readonly [http: http.Agent, https: https.Agent];
  readonly #inFlight = new Set<Wire>();

  /** `sockets`: connections kept open at most. */
  constructor(sockets: number) {
    const options = { keepAlive: true, maxSockets: sockets, maxFreeSockets: sockets, scheduling: 'lifo' } as const;
    this.#agents = [new http.Agent(options), new https.Agent(options)];
  }

  async send(message: Message, headers: Record<string, string>, timeoutMs: number): Promise<Attempt> {
    const wire = new Wire();
    this.#inFlight.add(wire);
    const timer = setTimeout(() => wire.cut(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const {
        status,
        headers: answered,
        body,
      } = await wire.send(message, headers, this.#agents[message.url.protocol === 'https:' ? 1 : 0]);
      const header = (name: string): string | null => {
        const value = answered[name];
        return typeof value === 'string' ? value : null;
      };
      return { kind: 'answer', status, header, text: decode(body) };
    } catch (error) {
      return { kind: 'failure', reason: describe(error), sent: wire.connected };
    } finally {
      clearTimeout(timer);
      this.#inFlight.delete(wire);
    }
  }

  close(): void {
    for (const wire of this.#inFlight) wire.cut(new Error('the client was closed'));
    for (const agent of this.#agents) agent.destroy();
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

/** A page of 200 assets has about 150 KB. */
const LARGEST_ANSWER_BYTES = 4 * 1024 * 1024;

interface WholeAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request from its first byte to the last of its answer; for one use. */
class Wire {
  /** True once the connection is open: before that no byte of a request leaves. */
  connected = false;
  #request: http.ClientRequest | null = null;
  #fail: (error: Error) => void = () => undefined;

  /** Connects directly, without a proxy. Rejects for an incomplete or too large answer. */
  send({ method, url, body }: Message, headers: Record<string, string>, agent: http.Agent): Promise<WholeAnswer> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? https : http).request(url, { method, headers, agent });
      this.#request = request;
      this.#watch(request, isSecure);
      const read = (response: http.IncomingMessage) => this.#read(response, resolve);
      request.once('response', guarded(read, this.#failed));
      request.on('error', reject);
      request.end(body === '' ? undefined : body);
    });
  }

  /** Aborts the request with this error as its outcome. */
  cut(error: Error): void {
    this.#fail(error);
    this.#request?.destroy();
  }

  #watch(request: http.ClientRequest, isSecure: boolean): void {
    // Not requested. Ignored, it would look like a missing answer until the time-out.
    request.once('upgrade', () => this.cut(new Error('answer in another protocol')));
    request.once('socket', (socket) => {
      if (!socket.connecting) this.connected = true;
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => (this.connected = true));
    });
  }

  #read(response: http.IncomingMessage, resolve: (answer: WholeAnswer) => void): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('error', this.#fail);
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > LARGEST_ANSWER_BYTES) this.cut(new Error(`answer of more than ${LARGEST_ANSWER_BYTES} bytes`));
    };
    response.on('data', guarded(take, this.#failed));
    const finish = () => {
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, body: Buffer.concat(chunks) });
    };
    response.on('end', guarded(finish, this.#failed));
  }

  readonly #failed = (error: unknown): void =>
    this.cut(error instanceof Error ? error : new Error('answer that cannot be read'));
}
