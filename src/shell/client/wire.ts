/**
 * One request and its answer: an adapter that replaces axios's own access to the network. That one is
 * made for proxies, redirects, uploads and streams, none of which a call of the service may meet, and an order pays for it four times.
 */

import http from 'node:http';
import https from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { guarded } from '../../shared/base/processes.js';

/** A page of 200 assets has about 150 KB. */
const LARGEST_ANSWER_BYTES = 4 * 1024 * 1024;

/** A request prepared by axios, from its first byte to the last of its answer; for one use. */
export class Wire {
  /** True once the connection is open: before that no byte of a request leaves. */
  connected = false;
  #request: http.ClientRequest | null = null;
  #fail: (error: Error) => void = () => undefined;

  /** For axios. It connects directly, without a proxy; rejects for an incomplete or too large answer. */
  readonly adapter: AxiosAdapter = (config) =>
    new Promise((resolve, reject) => {
      this.#fail = reject;
      const url = new URL(config.url ?? '');
      const isSecure = url.protocol === 'https:';
      const agent: http.Agent | undefined = isSecure ? config.httpsAgent : config.httpAgent;
      // axios permits several kinds of header values; `writeHeaders` makes texts only.
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
      if (bytes > LARGEST_ANSWER_BYTES) this.cut(new Error(`answer of more than ${LARGEST_ANSWER_BYTES} bytes`));
    };
    response.on('data', guarded(take, this.#failed));
    const finish = () => {
      const { statusCode: status = 0, statusMessage: statusText = '' } = response;
      // Node's type knows headers without a value, which no answer has.
      const headers = response.headers as AxiosResponse['headers'];
      resolve({ status, statusText, headers, config, data: unpack(Buffer.concat(chunks), response.headers) });
    };
    response.on('end', guarded(finish, this.#failed));
  }

  readonly #failed = (error: unknown): void =>
    this.cut(error instanceof Error ? error : new Error('answer that cannot be unpacked'));
}

/**
 * Requests ask for plain answers, but packed ones are read too. Throws for bytes that are not packed as declared, or
 * too many.
 */
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
