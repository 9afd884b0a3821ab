/** One of several API keys that the venue tells to come back later: its share pauses, the others go on. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lane, Request } from '../../../src/shared/protocol/seam.js';
import { ServiceClient } from '../../../src/shell/client/client.js';
import type { ClientNotice } from '../../../src/shell/client/contract.js';
import { RequestQueue } from '../../../src/trader/scheduler/request-queue.js';
import { credentials } from './fixture.js';
import { profile, refusal } from './hostile-server.js';

// The client waits on timers and two clocks; here all of them are the test's.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const A_KEY = 20;
const KEYS = ['a', 'b', 'c'] as const;
const RATE_LIMITS = { public_per_minute: A_KEY, signed_per_minute: A_KEY, bootstrap_per_minute: A_KEY };

interface Sent {
  readonly key: string;
  readonly atMs: number;
}

/** A client of a venue that refuses these keys, whatever they ask, for as long as they are told so. */
function meet(told: ReadonlyMap<string, number>, countedBy: 'key' | 'wallet' = 'key') {
  const [sent, notices]: [Sent[], ClientNotice[]] = [[], []];
  const client = new ServiceClient(
    {
      profile: { ...profile, signed_limit_per: countedBy, rate_limits: RATE_LIMITS },
      credentials: KEYS.map((apiKey) => ({ ...credentials, apiKey })),
      clock: { nowMs: () => Date.now(), monotonicMs: () => Date.now() },
      onNotice: (notice) => notices.push(notice),
    },
    {
      send: async (_, headers) => {
        const key = String(headers['SVC-API-KEY']);
        sent.push({ key, atMs: Date.now() });
        await new Promise((resolve) => setTimeout(resolve, 20));
        const waitS = told.get(key);
        const left = A_KEY - sent.filter((each) => each.key === key).length;
        const said: Readonly<Record<string, string>> = {
          'x-ratelimit-limit': String(A_KEY),
          'x-ratelimit-remaining': String(waitS === undefined ? left : 0),
          'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 30),
          ...(waitS === undefined ? {} : { 'retry-after': String(waitS) }),
        };
        return {
          kind: 'answer',
          status: waitS === undefined ? 404 : 429,
          header: (name) => said[name] ?? null,
          text: refusal(waitS === undefined ? 'not_found' : 'throttled'),
        };
      },
      close: () => undefined,
    },
  );
  return { client, sent, notices };
}

const cancel = (client: ServiceClient, lane: Lane = 'cancel') =>
  client.call('orders.cancel', { params: { pubkey: 'p' } }, { lane, latestMs: Date.now() + 60_000 });
const slugs = async (answers: readonly ReturnType<typeof cancel>[], ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  const heard = await Promise.all(answers);
  return heard.map(({ outcome }) => (outcome.kind === 'refused' ? outcome.slug : outcome.kind));
};
const times = (sent: readonly Sent[], wanted: string) => sent.filter(({ key }) => key === wanted).length;

describe('a key that is told to come back in half a minute', () => {
  it('pauses alone: what it refused goes by another at once, and nobody asks it before', async () => {
    const { client, sent, notices } = meet(new Map([['b', 30]]));
    // One after another, so that each knows what the one before was told.
    for (let n = 0; n < 6; n++) expect(await slugs([cancel(client)], 60)).toEqual(['not_found']);
    expect(times(sent, 'b')).toBe(1);
    expect(Math.max(...sent.map(({ atMs }) => atMs)) - (sent[0]?.atMs ?? 0)).toBeLessThan(1_000);
    expect(notices).toEqual([{ kind: 'throttled', scope: 'signed', waitMs: 30_000, apiKey: 'b' }]);
    // Its answer also said that none is left of a minute's window.
    await vi.advanceTimersByTimeAsync(60_000);
    for (let n = 0; n < 3; n++) await slugs([cancel(client)], 60);
    expect(times(sent, 'b')).toBe(2);
    await client.close();
  });

  it('does not keep the other lanes waiting either, nor what comes all at once', async () => {
    const { client, sent } = meet(new Map([['b', 600]]));
    const lanes: readonly Lane[] = ['cancel', 'submit', 'own', 'draft'];
    const answers = Array.from({ length: 24 }, (_, n) => cancel(client, lanes[n % lanes.length]));
    expect(new Set(await slugs(answers, 500))).toEqual(new Set(['not_found']));
    // Those that were under way before the first answer came.
    expect(times(sent, 'b')).toBeLessThanOrEqual(8);
    await client.close();
  });

  it('is told to the core as room that is not there, and as no refusal', async () => {
    const { client } = meet(new Map([['b', 30]]));
    const queue = new RequestQueue({ ...RATE_LIMITS, signed_per_minute: 3 * A_KEY });
    for (let n = 0; n < 3; n++) {
      queue.push({
        lane: 'cancel',
        call: CANCEL,
        latestMs: Date.now() + 60_000,
        owner: { kind: 'other', name: 'test' },
      });
      const [request] = queue.release(Date.now()).requests as [Request];
      const seen = client.perform(request);
      await vi.advanceTimersByTimeAsync(100);
      queue.onOutcome(await seen);
    }
    const { perMinute, blockedUntilMs, available } = queue.status('signed', Date.now());
    expect(blockedUntilMs).toBeNull();
    // Of 57, a twentieth of 60 left alone, the twenty of one key; and the three that were asked.
    expect([perMinute, available]).toEqual([37, 34]);
    await client.close();
  });
});

describe('when all keys are told so', () => {
  it('each is asked once, the refusal is told, and cancels find out for themselves', async () => {
    const told = new Map(KEYS.map((key) => [key, 600]));
    const { client, sent } = meet(told);
    expect(await slugs([cancel(client)], 100)).toEqual(['throttled']);
    expect(KEYS.map((key) => times(sent, key))).toEqual([1, 1, 1]);
    told.clear();
    const [draft, next] = [cancel(client, 'draft'), cancel(client)];
    expect(await slugs([next], 5_000)).toEqual(['not_found']);
    await client.close();
    await draft;
  });
});

describe('a wallet that is counted as one', () => {
  it('is not asked by another key', async () => {
    const { client, sent } = meet(new Map([['a', 30]]), 'wallet');
    expect(await slugs([cancel(client)], 100)).toEqual(['throttled']);
    expect(sent).toHaveLength(1);
    await client.close();
  });
});

const CANCEL = { endpoint: 'orders.cancel', params: { pubkey: 'p' }, query: {}, body: undefined } as const;
