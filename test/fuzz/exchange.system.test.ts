import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningExchange } from '../../src/exchange/exchange.js';
import { Random } from '../../src/shared/base/random.js';
import { startTestExchange } from '../exchange/http/harness.js';
import { times } from '../support/effort.js';
import { shotOf } from './exchange/attack.js';
import { campaign } from './exchange/campaign.js';
import { World } from './exchange/world.js';
import { Document, type Json } from './schema.js';

/** The short form of `npm run fuzz -- --way exchange`. */

const SEED = 3;
const REQUESTS = times(1500, 3000);

let exchange: RunningExchange;
beforeAll(async () => {
  exchange = await startTestExchange({ landingMs: 20 });
});
afterAll(() => exchange.close());

describe('an exchange under hostile requests', () => {
  it('answers all of them as its document says, and does nothing that it may not', async () => {
    const { tally, faults } = await campaign(exchange.url, {
      seed: SEED,
      lanes: 4,
      slowMs: Number.POSITIVE_INFINITY,
      half: (before) => (requests) => requests >= before + REQUESTS / 2,
      heapBytes: () => Promise.resolve(null),
    });
    expect(faults).toEqual([]);
    // If nearly all requests failed for the same reason, the test would prove nothing.
    for (const status of ['200', '201', '400', '401', '403', '404', '405', '409', '415']) {
      expect([status, tally.countOf(status) > 0]).toEqual([status, true]);
    }
  });

  it('meets the same requests again under the same seed', async () => {
    const document = new Document((await (await fetch(`${exchange.url}/openapi.json`)).json()) as Json);
    const world = await World.open(exchange.url, 1);
    const [actor] = world.actors;
    if (actor === undefined) throw new Error('a world without actors');
    const shots = (seed: number) =>
      Array.from({ length: 200 }, (_, at) => {
        const random = Random.fromSeed(seed, `case 0/${at}`);
        const { kind, bytes } = shotOf({ random, world, actor, document }, `0/${at}`);
        // The time and the signatures over it differ.
        return [kind, bytes.toString('latin1').replace(/SVC-[A-Z-]+: .*/g, '')];
      });
    expect(shots(1)).toEqual(shots(1));
    expect(shots(1)).not.toEqual(shots(2));
  });
});
