/** Requests waiting for the budget while this machine's clock is changed. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServiceClient } from '../../../src/shell/client/client.js';
import type { Sender } from '../../../src/shell/client/transport.js';
import { profile, refusal } from './hostile-server.js';

const HOUR_MS = 3_600_000;
const PER_MINUTE = 2;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const setClock = (byMs: number) => vi.setSystemTime(Date.now() + byMs);

/** Accepts everything and reports no budget. */
const venue: Sender = {
  send: () => Promise.resolve({ kind: 'answer', status: 404, header: () => null, text: refusal('not_found') }),
  close: () => undefined,
};

async function end(client: ServiceClient): Promise<void> {
  const closed = client.close();
  await vi.advanceTimersByTimeAsync(1_000);
  await closed;
}

const limits = { public: PER_MINUTE, signed: PER_MINUTE, bootstrap: PER_MINUTE };

it.each([
  ['set back before they wait', -HOUR_MS, 0],
  ['set back while they wait', 0, -HOUR_MS],
  ['set ahead before they wait', HOUR_MS, 0],
  ['set ahead while they wait', 0, HOUR_MS],
])('requests leave when the window has a place, though the clock is %s', async (_, before, during) => {
  const client = new ServiceClient({ profile, budgets: limits }, venue);
  const beganMs = performance.now();
  const answered: number[] = [];
  const ask = () =>
    client.call('markets.list', {}, { latestMs: Date.now() + 90_000 }).then(({ outcome }) => {
      if (outcome.kind === 'refused') answered.push(Math.round((performance.now() - beganMs) / 1_000));
    });
  for (let n = 0; n < PER_MINUTE; n++) void ask();
  await vi.advanceTimersByTimeAsync(5_000);
  setClock(before);
  const waiting = [ask(), ask()];
  await vi.advanceTimersByTimeAsync(5_000);
  setClock(during);
  await vi.advanceTimersByTimeAsync(90_000);
  await Promise.all(waiting);
  expect(answered).toEqual([0, 0, 60, 60]);
  await end(client);
});

it('a request that waits is given up after its patience, though the clock is set back', async () => {
  const client = new ServiceClient({ profile, budgets: limits }, venue);
  const ask = () => client.call('markets.list', {}, { latestMs: Date.now() + 10_000 });
  for (let n = 0; n < PER_MINUTE; n++) void ask();
  await vi.advanceTimersByTimeAsync(1_000);
  const third = ask();
  setClock(-HOUR_MS);
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await third).outcome).toMatchObject({ kind: 'unknown', sent: false });
  await end(client);
});
