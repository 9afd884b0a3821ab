/** A client on a hostile server, new for each test, and the calls that the tests make most. */

import { afterEach, beforeEach, onTestFinished } from 'vitest';
import { ServiceClient } from '../../../src/shell/client/client.js';
import type { CallOptions, ClientNotice, ClientOptions } from '../../../src/shell/client/contract.js';
import { HostileServer, profile } from './hostile-server.js';

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

export const forgetNotices = () => {
  notices = [];
};

export const read = (options: CallOptions = {}) =>
  client.call('markets.book', { params: { condition_id: 'm' } }, options);
export const write = (options: CallOptions = {}) => client.call('orders.create', { body: orderBody }, options);

/** Call it once at the top of a test file. */
export function serveEachTest(): void {
  beforeEach(async () => {
    server = await HostileServer.start();
    client = clientFor(server.url);
    forgetNotices();
  });
  afterEach(() => server.stop());
}
