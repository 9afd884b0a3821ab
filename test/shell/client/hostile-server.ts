/** A server with prepared answers, down to single bytes, that records requests. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';

export const profile: VenueProfile = {
  service_name: 'SVC',
  header_prefix: 'SVC',
  base_url: 'http://127.0.0.1:1',
  draft_message: 'utf8',
  draft_lifetime_s: 60,
  clock_tolerance_s: 30,
  rate_limits: { public_per_minute: 1_000, signed_per_minute: 1_000, bootstrap_per_minute: 1_000 },
  own_trades: true,
};

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, asked: Asked, count: number) => void;

export const envelope = (data: unknown, meta: unknown = {}): string => JSON.stringify({ data, meta, error: null });
export const refusal = (slug: string, message = slug, details: unknown = []): string =>
  JSON.stringify({ data: null, meta: null, error: { code: -1, slug, message, details } });

/** Answers with this status, text and headers. */
export const answering =
  (status: number, text: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(text);
  };

/** Each answer in turn; the last one for all further requests. */
export const inTurn =
  (...answers: readonly Answer[]): Answer =>
  (response, asked, count) =>
    answers[Math.min(count, answers.length) - 1]?.(response, asked, count);

export class HostileServer {
  readonly asked: Asked[] = [];
  answer: Answer = answering(200, envelope({}));
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const asked = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
        this.asked.push(asked);
        this.answer(response, asked, this.asked.length);
      });
    });
  }

  static async start(): Promise<HostileServer> {
    const hostile = new HostileServer();
    await new Promise<void>((resolve) => hostile.#server.listen(0, '127.0.0.1', resolve));
    return hostile;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  async stop(): Promise<void> {
    const stopped = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await stopped;
  }
}

/** Below HTTP: passes each socket on once bytes of its first request arrive. */
export async function rawServer(
  onRequest: (socket: Socket) => void,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => onRequest(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    const stopped = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await stopped;
  };
  return { url: urlOf(server), stop };
}

function urlOf(server: Server | TcpServer): string {
  // A listening TCP server has an address object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
