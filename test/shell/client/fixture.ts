/** A client on a hostile server, new for each test, and the calls that the tests make most. */

import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeEach, onTestFinished } from 'vitest';
import { ServiceClient } from '../../../src/shell/client/client.js';
import type { CallOptions, ClientNotice, ClientOptions } from '../../../src/shell/client/contract.js';
import { listening, listeningWeb } from '../../support/listening.js';
import { type Answer, type Asked, answering, envelope, profile } from './hostile-server.js';

/** A server with prepared answers that records requests. It ends with its test. */
export class HostileServer {
  readonly asked: Asked[] = [];
  answer: Answer = answering(200, envelope({}));
  url = '';
  stop = (): Promise<void> => Promise.resolve();

  static async start(): Promise<HostileServer> {
    const hostile = new HostileServer();
    const { url, close } = await listeningWeb(async (request, response) => {
      const { method = '', url: path = '', headers } = request;
      const asked = { method, url: path, headers, body: await text(request) };
      hostile.asked.push(asked);
      hostile.answer(response, asked, hostile.asked.length);
    });
    return Object.assign(hostile, { url, stop: close });
  }
}

/** Below HTTP: passes each socket on once bytes of its first request arrive. Ends with its test; returns its address. */
export async function rawServer(onRequest: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => onRequest(socket));
  });
  return (await listening(server)).url;
}

export const credentials = { apiKey: 'key-1', secret: 'canary-secret' };
export const draft = { pubkey: 'P', message: 'M' };
export const orderBody = {
  market_condition_id: 'm',
  is_yes: true,
  side: 'buy',
  order_type: 'limit',
  price: '0.42',
  amount: '10',
};
export const bookData = { market: 'm', is_yes: true, bid: [{ price: '0.42', total_amount: '10' }], ask: [] };

export let server: HostileServer;
export let client: ServiceClient;
export let notices: ClientNotice[] = [];

/** A client that is closed at the end of its test. */
export function clientFor(url: string, options: Partial<ClientOptions> = {}): ServiceClient {
  const onNotice = (notice: ClientNotice) => notices.push(notice);
  const made = new ServiceClient({ profile, baseUrl: url, credentials, timeoutMs: 2_000, onNotice, ...options });
  onTestFinished(() => made.close());
  return made;
}

export const forgetNotices = () => (notices = []);

export const read = (more: CallOptions = {}) => client.call('markets.book', { params: { condition_id: 'm' } }, more);
export const write = (options: CallOptions = {}) => client.call('orders.create', { body: orderBody }, options);

/** Call it once at the top of a test file. */
export function serveEachTest(): void {
  beforeEach(async () => {
    server = await HostileServer.start();
    client = clientFor(server.url);
    forgetNotices();
  });
}
