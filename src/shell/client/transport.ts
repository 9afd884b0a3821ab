/** Makes one HTTP attempt, without the service's rules. Returns the received bytes, and whether any byte was sent. */

import http from 'node:http';
import https from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { AxiosAdapter, AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import axios from 'axios';
import { ADDRESS_ATTEMPT_MS, guarded } from '../../shared/base/processes.js';
import type { Message } from './message.js';

/** Result of one attempt of an HTTP request. `text` is null if the answer's bytes are not UTF-8. */
type Attempt =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly header: (name: string) => string | null;
      readonly text: string | null;
    }
  | { readonly kind: 'failure'; readonly reason: string; readonly sent: boolean };

/** Sends messages by HTTP, or over a simulated network in tests. */
export interface Sender {
  /** Sends a message; never throws. `timeoutMs` limits the whole attempt, even if the body is endless. */
  send(message: Message, headers: Record<string, string | false>, timeoutMs: number): Promise<Attempt>;
  /** Aborts all requests in flight, and closes every socket. */
  close(): void;
}

/** Sends messages over persistent HTTP connections. Redirects are not followed, and nothing is retried. */
export class Transport implements Sender {
  readonly #axios: AxiosInstance;
  readonly #agents: { readonly http: http.Agent; readonly https: https.Agent };
  readonly #inFlight = new Set<WireRequest>();

  /** `sockets`: maximum number of open connections. */
  constructor(sockets: number) {
    const pool = { keepAlive: true, maxSockets: sockets, maxFreeSockets: sockets, scheduling: 'lifo' } as const;
    const options = { ...pool, autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS };
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
    const wire = new WireRequest();
    this.#inFlight.add(wire);
    const timer = setTimeout(() => wire.cut(new Error(`no complete answer within ${timeoutMs} ms`)), timeoutMs);
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
    return null; // The bytes are not valid UTF-8.
  }
}

const PLAIN_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found: no answer from the name server',
  ETIMEDOUT: 'connection timed out',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too large',
};

/** Returns only code and message of the error, because the error itself contains the request's headers. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return PLAIN_WORDS[code] ?? `${code} ${error.message}`.trim().slice(0, 200);
}

/** Maximum size of an answer of the venue, bytes. A page of 200 assets has about 150 KB. */
const LARGEST_ANSWER_BYTES = 4 * 1024 * 1024;

/** Sends one request with `node:http` instead of axios's own adapter, which needs four times as long for an order. */
class WireRequest {
  /** True after the connection was opened. No byte of the request is sent before the connection was opened. */
  connected = false;
  #request: http.ClientRequest | null = null;
  #fail: (error: Error) => void = () => undefined;

  /** Adapter for axios. Connects to the venue without a proxy. Rejects if the answer is incomplete or too large. */
  readonly adapter: AxiosAdapter = (config) =>
    new Promise((resolve, reject) => {
      this.#fail = reject;
      const url = new URL(config.url ?? '');
      const isSecure = url.protocol === 'https:';
      const agent: http.Agent | undefined = isSecure ? config.httpsAgent : config.httpAgent;
      // The cast is safe: axios's types permit several kinds of header values, but `writeHeaders` returns only texts.
      const headers = config.headers.toJSON() as http.OutgoingHttpHeaders;
      const options = { method: config.method?.toUpperCase(), headers, agent };
      const request = isSecure ? https.request(url, options) : http.request(url, options);
      this.#request = request;
      this.#watch(request, isSecure);
      const read = (response: http.IncomingMessage) => this.#read(response, config, resolve);
      request.once('response', guarded(read, this.#failed));
      request.on('error', reject);
      request.end(config.data);
    });

  /** Aborts the request; `error` becomes the outcome of the request. */
  cut(error: Error): void {
    this.#fail(error);
    this.#request?.destroy();
  }

  #watch(request: http.ClientRequest, isSecure: boolean): void {
    // A protocol upgrade is an error, because the client never requests one.
    request.once('upgrade', () => this.cut(new Error('the answer uses another protocol')));
    request.once('socket', (socket) => {
      if (!socket.connecting) this.connected = true;
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => (this.connected = true));
    });
  }

  #read(
    response: http.IncomingMessage,
    config: InternalAxiosRequestConfig,
    resolve: (answer: AxiosResponse<Buffer>) => void,
  ): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('error', this.#fail);
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > LARGEST_ANSWER_BYTES) this.cut(new Error(`the answer has more than ${LARGEST_ANSWER_BYTES} bytes`));
    };
    response.on('data', guarded(take, this.#failed));
    const finish = () => {
      const { statusCode: status = 0, statusMessage: statusText = '' } = response;
      // The cast is safe: Node's type permits headers without a value, but an answer has none.
      const headers = response.headers as AxiosResponse['headers'];
      resolve({ status, statusText, headers, config, data: unpack(Buffer.concat(chunks), response.headers) });
    };
    response.on('end', guarded(finish, this.#failed));
  }

  readonly #failed = (error: unknown): void =>
    this.cut(error instanceof Error ? error : new Error('the answer cannot be decompressed'));
}

/** Decompresses an answer, which a proxy may have compressed. Throws if it is too large or not decompressible. */
function unpack(bytes: Buffer, headers: http.IncomingHttpHeaders): Buffer {
  const limit = { maxOutputLength: LARGEST_ANSWER_BYTES };
  switch (headers['content-encoding']?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, limit);
    case 'deflate':
      return inflateSync(bytes, limit);
    case 'br':
      return brotliDecompressSync(bytes, limit);
    default:
      return bytes;
  }
}
