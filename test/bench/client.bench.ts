/** What the client adds to a request over loopback: signing, budget, lanes, reading and judging the answer. */

import { Agent, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios from 'axios';
import { keepCollectionsBrief } from '../../src/shared/base/brief-collections.js';
import type { VenueProfile } from '../../src/shared/protocol/profile.js';
import { ServiceClient } from '../../src/shell/client/client.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';

const WARM_UP = sized(300, 5);
const CALLS = sized(2_000, 20);
const limit = 1_000_000_000;
const profile: VenueProfile = {
  service_name: 'SVC',
  header_prefix: 'SVC',
  base_url: 'http://127.0.0.1:1',
  draft_message: 'utf8',
  draft_lifetime_s: 60,
  clock_tolerance_s: 30,
  rate_limits: { public_per_minute: 100_000, signed_per_minute: 100_000, bootstrap_per_minute: 100_000 },
  own_trades: true,
};
const order = { market_condition_id: 'm', is_yes: true, side: 'buy', order_type: 'limit', price: '0.42', amount: '10' };
const level = (n: number) => ({ price: (0.5 - n / 1000).toFixed(3), total_amount: '12.5' });
const levels = Array.from({ length: 50 }, (_, n) => level(n));
const answers = {
  POST: JSON.stringify({ data: { pubkey: 'P', message: 'M'.repeat(160) }, meta: {}, error: null }),
  GET: JSON.stringify({ data: { market: 'm', is_yes: true, bid: levels, ask: levels }, meta: {}, error: null }),
};

/** Sorted microseconds per call, one after another. */
async function timed(once: () => Promise<unknown>): Promise<number[]> {
  for (let n = 0; n < WARM_UP; n++) await once();
  const figures: number[] = [];
  for (let n = 0; n < CALLS; n++) {
    const started = performance.now();
    await once();
    figures.push((performance.now() - started) * 1_000);
  }
  return figures.sort((a, b) => a - b);
}

const row = (name: string, figures: readonly number[]): BenchRow => ({
  name,
  figure: percentile(figures, 0.5),
  unit: 'µs/call',
  spread: `p99 ${percentile(figures, 0.99).toFixed(0)}`,
});

async function run(): Promise<readonly BenchRow[]> {
  // As `twinbook start` does.
  keepCollectionsBrief();
  const headers = { 'content-type': 'application/json', 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': limit };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { ...headers, 'x-ratelimit-reset': 4_000_000_000 });
      response.end(request.method === 'GET' ? answers.GET : answers.POST);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address object.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new ServiceClient({ profile, baseUrl: url, credentials: { apiKey: 'k', secret: 's' } });
  const bare = axios.create({ httpAgent: new Agent({ keepAlive: true }), proxy: false, maxRedirects: 0 });
  try {
    return [
      row('bare axios, order draft', await timed(() => bare.post(`${url}/orders/`, order))),
      row('client, order draft (signed)', await timed(() => client.call('orders.create', { body: order }))),
      row('bare axios, book of 100 levels', await timed(() => bare.get(`${url}/markets/m/book/`))),
      row(
        'client, book of 100 levels',
        await timed(() => client.call('markets.book', { params: { condition_id: 'm' } })),
      ),
    ];
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
}

export const bench: Bench = { title: 'client: overhead over bare axios on loopback', run };
