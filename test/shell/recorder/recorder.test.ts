/** A recorder beside a trader, on a disk that the trader needs or that is slow. */

import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { Recorder } from '../../../src/shell/recorder/recorder.js';
import { folderOf } from '../../support/folders.js';
import { bookOf, detailOf, MARKET } from './capture/world.js';

const NOW_MS = 1_700_000_000_000;

async function opened(limits: { keptFreeBytes?: number; closeWithinMs?: number }) {
  const folder = folderOf({});
  const failures: string[] = [];
  const onFailure = (error: unknown) => failures.push(String(error));
  const leftOut: string[] = [];
  const report = { onFailure, onLeftOut: (text: string) => void leftOut.push(text) };
  const settings = { folder, venue: 'paper', only: null, bookIntervalMs: 1000, publicPerMinute: 60, ...report };
  return { folder, failures, leftOut, recorder: await Recorder.open({ ...settings, ...limits }) };
}

/** One poll of a market and of its book. */
function poll(recorder: Recorder, state: Parameters<typeof detailOf>[0] = 'open', nowMs = NOW_MS, market = MARKET) {
  const answers = [
    ['markets.detail', { ...detailOf(state), condition_id: market }],
    ['markets.book', bookOf({ 0.4: 10 }, { 0.5: 7 })],
  ] as const;
  for (const [id, [endpoint, data]] of answers.entries()) {
    const call = { endpoint, params: { condition_id: market }, query: { depth: 100 }, body: null } as const;
    // Only the fields of a request that the recorder reads; the client's types have more.
    recorder.step({ kind: 'time', nowMs }, [{ id, lane: 'quiet', call, latestMs: nowMs } as never]);
    const outcome = { kind: 'answered', data: data as never, nextCursor: null } as const;
    const times = { sentMs: nowMs, nowMs: nowMs + 1, venueTimeMs: null, budget: null };
    recorder.step({ kind: 'outcome', requestId: id, outcome, ...times }, []);
  }
}

it('ends, said once, when the disk has no more than what is to stay free', async () => {
  const { recorder, failures, folder } = await opened({ keptFreeBytes: 1e18 });
  poll(recorder);
  await vi.waitFor(() => expect(failures).toHaveLength(1), 10_000);
  expect(failures[0]).toMatch(/less than 1000000000000 MB would be left free on the disk of/);
  poll(recorder);
  await recorder.close();
  expect(failures).toHaveLength(1);
  expect(readdirSync(folder)).not.toContain('.writer');
});

it.each([
  ['a long id', 'é'.repeat(60)],
  ['an id that is no Unicode text', '\ud800'],
])('leaves out a market with %s, reports the market once, and records the others', async (_, odd) => {
  const { recorder, failures, leftOut, folder } = await opened({});
  for (const market of [odd, odd, MARKET]) poll(recorder, 'open', NOW_MS, market);
  await recorder.close();
  expect([failures, leftOut]).toEqual([[], [expect.stringContaining('is not recorded')]]);
  expect(readdirSync(folder)).toEqual([`market=${MARKET}`]);
});

it('is not waited for without end when the disk is slow to take what is left', async () => {
  const { recorder, folder } = await opened({ closeWithinMs: 0 });
  poll(recorder);
  await expect(recorder.close()).rejects.toThrow(/the disk of .* does not answer/);
  // It continues meanwhile, undisturbed.
  await vi.waitFor(() => expect(readdirSync(folder)).not.toContain('.writer'), 10_000);
});

it('expects longer pauses only for the markets that it still reads', async () => {
  const { recorder } = await opened({});
  poll(recorder);
  expect(recorder.usualMs).toBeCloseTo(60_000 / (60 * 0.6));
  const dayMs = 86_400_000;
  recorder.step({ kind: 'time', nowMs: NOW_MS + 2 * dayMs }, []);
  expect(recorder.usualMs).toBe(1000);
  poll(recorder, 'open', NOW_MS + 2 * dayMs);
  expect(recorder.usualMs).toBeGreaterThan(1000);
  poll(recorder, 'resolved', NOW_MS + 2 * dayMs + 5000);
  expect(recorder.usualMs).toBe(1000);
  await recorder.close();
});
