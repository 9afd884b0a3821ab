import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningExchange } from '../../src/exchange/exchange.js';
import { startTestExchange } from '../exchange/http/harness.js';
import { times } from '../support/effort.js';
import { campaign } from './exchange/campaign.js';

/** The short form of `npm run fuzz -- --way exchange`. */

const SEED = 3;
const REQUESTS = times(1500, 3000);

let exchange: RunningExchange;
beforeAll(async () => (exchange = await startTestExchange({ landingMs: 20 })));
afterAll(() => exchange.close());

it('an exchange under hostile requests answers all of them as its document says, and does nothing that it may not', async () => {
  const { tally, faults } = await campaign(exchange.url, {
    seed: SEED,
    lanes: 4,
    slowMs: Number.POSITIVE_INFINITY,
    half: (before) => (requests) => requests >= before + REQUESTS / 2,
    heapBytes: () => Promise.resolve(null),
  });
  expect(faults).toEqual([]);
  // If nearly all requests failed for the same reason, the test would prove nothing.
  for (const status of ['200', '201', '400', '401', '403', '404', '405', '409', '415'])
    expect([status, tally.countOf(status) > 0]).toEqual([status, true]);
});
