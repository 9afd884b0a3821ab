import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LANES, type Lane } from '../../../src/shared/protocol/seam.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { times } from '../../support/effort.js';
import { passTime, useTimersOfMachine, useVirtualTimers } from '../../support/virtual-timers.js';
import { credentials, orderBody } from './fixture.js';
import { profile } from './hostile-server.js';
import { type Headers, honest, type VenueOptions, VirtualVenue } from './virtual-venue.js';

beforeEach(useVirtualTimers);
afterEach(useTimersOfMachine);

const MINUTE_MS = 60_000;
const clock = { nowMs: () => Date.now(), monotonicMs: () => Date.now() };

const limitsOf = (perMinute: number) => ({ public: perMinute, signed: perMinute, bootstrap: perMinute });
/** Headers of a venue that always has budget left. */
const ROOM = { 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '60', 'x-ratelimit-reset': '4000000000' };
const steady = () => ({ outMs: 40, backMs: 40 });

/** A client of a virtual venue whose profile assumes `believed` requests a minute. */
function meet(options: Partial<VenueOptions> & { limits: VenueOptions['limits'] }, believed = options.limits) {
  const venue = new VirtualVenue({ delay: steady, ...options });
  return { venue, client: new ServiceClient({ profile, credentials, clock, budgets: believed }, venue) };
}

/** Requests in flight also run on the test's clock. */
async function end(client: ServiceClient): Promise<void> {
  const closed = client.close();
  await passTime(10_000);
  await closed;
}

const CALLS: Readonly<Record<string, (client: ServiceClient, lane: Lane) => Promise<unknown>>> = {
  book: (client, lane) => client.call('markets.book', { params: { condition_id: 'm' } }, { lane }),
  price: (client, lane) => client.call('markets.price', { params: { condition_id: 'm' } }, { lane }),
  orders: (client, lane) => client.call('orders.list', {}, { lane }),
  draft: (client, lane) => client.call('orders.create', { body: orderBody }, { lane }),
  cancel: (client, lane) => client.call('orders.cancel', { params: { pubkey: 'p' } }, { lane }),
  // Useless after a second: it may give up its place.
  hasty: (client, lane) => client.call('trades.list', {}, { lane, latestMs: Date.now() + 1_000 }),
  challenge: (client, lane) => client.call('keys.challenge', { body: { wallet_address: 'w' } }, { lane }),
};

const work = fc.record({
  afterMs: fc.nat({ max: 30_000 }),
  call: fc.constantFrom(...Object.keys(CALLS)),
  lane: fc.constantFrom(...LANES),
  burst: fc.integer({ min: 1, max: 20 }),
});
type Work = typeof work extends fc.Arbitrary<infer W> ? W : never;

/** Sends all calls at their times; resolves when every call has ended. */
async function perform(client: ServiceClient, jobs: readonly Work[]): Promise<unknown[]> {
  const calls: Promise<unknown>[] = [];
  for (const { afterMs, call, lane, burst } of jobs) {
    await passTime(afterMs);
    for (let n = 0; n < burst; n++) calls.push(CALLS[call]?.(client, lane) ?? Promise.resolve());
  }
  await passTime(120 * MINUTE_MS);
  return Promise.all(calls);
}

it('a venue that follows its own headers never throttles the client, whatever it is asked for and however long answers take, and nothing is left undone', async () => {
  const delays = fc.infiniteStream(fc.record({ outMs: fc.nat({ max: 4_000 }), backMs: fc.nat({ max: 4_000 }) }));
  const limits = fc.record({
    // With less than four a minute the last would wait longer than the client's limit of an hour.
    public: fc.integer({ min: 4, max: 20 }),
    signed: fc.integer({ min: 4, max: 20 }),
    bootstrap: fc.integer({ min: 4, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(work, { maxLength: 8 }), delays, async (perMinute, jobs, stream) => {
      const { venue, client } = meet({ limits: perMinute, delay: () => stream.next().value });
      const answers = await perform(client, jobs);
      expect(venue.refused).toEqual([]);
      const hasty = jobs.reduce((sum, { call, burst }) => sum + (call === 'hasty' ? burst : 0), 0);
      expect(venue.passed.length).toBeGreaterThanOrEqual(answers.length - hasty);
      await end(client);
    }),
    { numRuns: times(20, 40) },
  );
});

const DEMAND = 20;
/** Twenty callers with endless requests, each within three minutes; passed and rejected requests by minute. */
async function besiege(venue: VirtualVenue, client: ServiceClient, minutes: number, lane: Lane = 'draft') {
  let going = true;
  const latest = () => ({ lane, latestMs: Date.now() + 3 * MINUTE_MS });
  const callers = [...Array(DEMAND)].map(async () => {
    while (going) await client.call('orders.create', { body: orderBody }, latest());
  });
  const log: { passed: number; refused: number }[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    const [passed, refused] = [venue.passed.length, venue.refused.length];
    await passTime(MINUTE_MS);
    log.push({ passed: venue.passed.length - passed, refused: venue.refused.length - refused });
  }
  going = false;
  await end(client);
  await Promise.all(callers);
  return log;
}

/** Lanes that retry after a second or two, whatever the venue answered. */
const PROBING: readonly Lane[] = ['cancel', 'own'];

describe('a venue whose budget others use too', () => {
  /** A request beside others, and its result: all requests, rejected requests, and the time it took. */
  async function share(lanes: readonly Lane[], check: (others: number, refused: number, ms: number) => void) {
    const job = work.filter(({ lane }) => lanes.includes(lane));
    const steps = fc.array(fc.record({ work: job, others: fc.nat({ max: 10 }) }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 20 }), steps, async (perMinute, script) => {
        const { venue, client } = meet({ limits: limitsOf(perMinute) });
        const startedMs = Date.now();
        let others = 0;
        for (const { work: asked, others: wanted } of script) {
          for (let n = 0; n < wanted; n++) if (venue.takeElsewhere('signed')) others += 1;
          void Promise.all([...Array(asked.burst)].map(() => client.call('orders.list', {}, { lane: asked.lane })));
          await passTime(asked.afterMs);
        }
        await passTime(MINUTE_MS);
        check(others, venue.refused.length, Date.now() - startedMs);
        await end(client);
      }),
      { numRuns: times(30, 60) },
    );
  }

  it('refuses no more requests than the others made, of what can wait', async () => {
    const patient = LANES.filter((lane) => !PROBING.includes(lane));
    await share(patient, (others, refused) => expect(refused).toBeLessThanOrEqual(others));
  });

  it('refuses, of what finds out for itself, no more than a few probes a minute besides', () =>
    share(LANES, (others, refused, ms) => {
      const probes = others === 0 ? 0 : 12 * Math.ceil(ms / MINUTE_MS);
      expect(refused).toBeLessThanOrEqual(others + probes);
    }));
});

describe('a venue that does not follow its own headers', () => {
  const lies: [string, VenueOptions['headers'] & object][] = [
    ['says nothing at all', () => ({})],
    ['says twice its limit and that half of it is free', (verdict, nowMs) => ({ ...honest(verdict, nowMs), ...ROOM })],
    ['says to come back at once', ({ allowed }): Headers => (allowed ? {} : { 'retry-after': '0' })],
    ['says to come back too soon', ({ allowed }): Headers => (allowed ? {} : { 'retry-after': '1' })],
    ['says that its budget was whole again long ago', () => ({ ...ROOM, 'x-ratelimit-reset': '1' })],
  ];

  const day: (typeof lies)[number] = [
    'says to stay away for a day',
    ({ allowed }): Headers => (allowed ? {} : { 'retry-after': '86400' }),
  ];
  it.each([...lies, day])('and %s is asked as much as it lets through, and little more', async (_, headers) => {
    const { venue, client } = meet({ limits: limitsOf(60), headers }, limitsOf(120));
    for (const { passed, refused } of await besiege(venue, client, 12)) {
      expect(passed).toBeGreaterThanOrEqual(50);
      // At most those in flight when the first of a minute was rejected.
      expect(refused).toBeLessThanOrEqual(8);
    }
  });

  it.each(lies)('and %s gets the whole of its limit again when that is back', async (_, headers) => {
    const { venue, client } = meet({ limits: limitsOf(1), headers }, limitsOf(120));
    setTimeout(() => venue.change(limitsOf(120)), 10 * MINUTE_MS);
    const log = await besiege(venue, client, 16);
    expect(log.slice(0, 10).reduce((sum, { refused }) => sum + refused, 0)).toBeLessThanOrEqual(10 * 16);
    // Doubled each minute from an eighth: three minutes, and one for the pause in progress.
    for (const { passed } of log.slice(14)) expect(passed).toBeGreaterThanOrEqual(110);
  });

  it.each(PROBING)('and lets nothing through is asked by lane %s one by one, ever seldomer', async (lane) => {
    const headers = ({ allowed }: { allowed: boolean }): Headers => (allowed ? {} : { 'retry-after': '30' });
    const { venue, client } = meet({ limits: limitsOf(0), headers }, limitsOf(120));
    const log = await besiege(venue, client, 4, lane);
    // Those sent before the first rejection, then probes after 1 to 2 s, 2 to 4, 4 to 8, and 8 to 10.
    expect(log[0]?.refused).toBeLessThanOrEqual(8 + 10);
    for (const { refused } of log.slice(1)) {
      expect(refused).toBeLessThanOrEqual(10);
      expect(refused).toBeGreaterThanOrEqual(5);
    }
    const probes = venue.refused.slice(8).map(({ atMs }) => atMs);
    expect(Math.min(...probes.slice(1).map((atMs, n) => atMs - (probes[n] ?? 0)))).toBeGreaterThan(1_000);
  });
});
