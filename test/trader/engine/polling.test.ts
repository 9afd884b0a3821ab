/** Facts and polls that the poll plan takes from the other rooms. */

import { expect, it } from 'vitest';
import type { PlannedRequest } from '../../../src/shared/protocol/seam.js';
import { askDue } from '../../../src/trader/engine/act.js';
import { Polling } from '../../../src/trader/engine/requests.js';
import { MarketTracker } from '../../../src/trader/market/market-tracker.js';
import { MarkTrust } from '../../../src/trader/market/venue-marks.js';
import { PollPlan } from '../../../src/trader/scheduler/poll-plan.js';
import { newsSigma } from '../../../src/trader/strategy/maths/log-odds.js';
import { at, detail, snapshot } from '../market/fixtures.js';
import { pollFacts, pollSettings } from '../scheduler/world.js';
import { Account } from './exchange-lists.js';

const NOW_MS = 1_700_000_000_000;

/** The polling of a state that has only the used parts. */
const newPolling = (state: unknown) => new Polling(state as ConstructorParameters<typeof Polling>[0]);

/** For a market with or without a resolution date. */
function polledOf(resolution_date: number | null) {
  const feed = new MarketTracker('M');
  feed.onDetail(detail({ resolution_date }), at(NOW_MS - 1_000, 1));
  feed.onBook(snapshot([[0.48, 10]], [[0.52, 10]]), at(NOW_MS, 2), []);
  const entry = { conditionId: 'M', feed, excludedBecause: null as string | null };
  const state = {
    markets: { all: [entry], version: 1, catalogSize: 1 },
    account: { own: { orders: new Map(), exposure: { workingOrders: 0 } } },
    requests: { queue: {} },
  };
  const polling = newPolling(state);
  polling.nowMs = NOW_MS;
  return { polling, feed, entry, market: polling.markets[0] };
}

it('counts a market near its resolution as wilder than its past has shown', () => {
  const { polling, feed, market } = polledOf(NOW_MS / 1000 + 600);
  const measured = feed.motion?.sigmaPerSqrtS ?? 0;
  expect(polledOf(null).market?.sigmaPerSqrtS).toBe(measured);
  expect(market?.sigmaPerSqrtS).toBeCloseTo(newsSigma(0.5, 600), 9);
  expect(market?.sigmaPerSqrtS).toBeGreaterThan(measured);
  polling.nowMs = NOW_MS + 599_000;
  expect(market?.sigmaPerSqrtS).toBeCloseTo(newsSigma(0.5, 1), 9);
  polling.nowMs = NOW_MS + 601_000;
  expect(market?.sigmaPerSqrtS).toBe(Number.POSITIVE_INFINITY);
});

it('knows a market by its newest book', () => {
  const { entry, market } = polledOf(null);
  expect(market).toMatchObject({ marketConditionId: 'M', price: 0.5, seenMs: NOW_MS - 200, isOver: false, quotes: [] });
  expect(market?.usualDistance).toBeCloseTo(0.02, 12);
  entry.excludedBecause = 'its book is unreadable';
  expect(market?.isOver).toBe(true);
});

/** With this number of markets with resting orders, each losing this much by stale quotes, polled every ten seconds. */
function marksOf(markets: number, { requestPrice = 0, stale = 0.001, told = 30, marks = 'auto' as const } = {}) {
  const ids = Array.from({ length: markets }, (_, i) => `M${i}`);
  const markTrust = new MarkTrust();
  for (let i = 0; i < told; i++) markTrust.note(true, true);
  const worth = { value: { stale, lookEveryS: 10 }, lateFillCost: 0 };
  const state = {
    settings: { polling: { marks, assetsIntervalMs: 60_000 } },
    markets: { all: [], get: () => ({ slots: [{ worth }] }), markTrust, version: 1, catalogSize: 1 },
    account: { own: { orders: new Map(ids.map((id) => [id, []])), exposure: { workingOrders: markets } } },
    requests: { queue: { perMinute: () => 114 } },
    selection: { valuedMs: 1, requestPrice },
  };
  const polling = newPolling(state);
  polling.quoting = true;
  return polling.marksEveryMs;
}

it('reads the marks of the venue for looks only once they are believed, and where books are not looked at as often anyway', () => {
  expect(marksOf(40)).toBe(5000);
  expect(marksOf(40, { told: 19 }), 'learning').toBe(Number.POSITIVE_INFINITY);
  expect(marksOf(8), 'a look at each within five seconds').toBe(Number.POSITIVE_INFINITY);
  expect(marksOf(40, { marks: 'off' as never })).toBe(Number.POSITIVE_INFINITY);
});

it('reads them more seldom the dearer requests are, and not beside rounds where stale quotes lose too little', () => {
  // The square root of the price over the saving: 40 x 0.001 / 10 a second for each second, times a recall of 31 / 32.
  expect(marksOf(40, { requestPrice: 1 })).toBe(Math.round(1000 * Math.sqrt(1 / (0.004 * (31 / 32)))));
  expect(marksOf(40, { requestPrice: 0.001 })).toBe(5000);
  expect(marksOf(40, { requestPrice: 1, stale: 0.00001 })).toBe(Number.POSITIVE_INFINITY);
});

const SECONDS = 120;

it('reads the marks of the venue without beginning a round of reconciliation', () => {
  const account = new Account();
  const { reconciler } = account;
  const poller = new PollPlan(pollSettings({ ownIntervalMs: 60_000 }));
  const asked: PlannedRequest[] = [];
  const state = {
    reconciler,
    requests: {
      poller,
      polling: { readFacts: () => pollFacts({ marksEveryMs: 5000 }) },
      queue: { push: (request: PlannedRequest) => void asked.push(request), setOpenOrders: () => undefined },
    },
    account: { own: { exposure: { workingOrders: 2 } } },
    safety: { modes: { wantsProof: false } },
  };
  for (let s = 0; s < SECONDS; s++) {
    account.nowMs += 1000;
    // Only the used parts of these rooms.
    askDue(state as unknown as Parameters<typeof askDue>[0], false, account.nowMs);
    for (const { owner } of asked) if (owner.kind === 'poll') poller.onReport(owner.target, 'ok', account.nowMs);
  }
  account.close();
  const polls = (kind: string) => asked.filter(({ owner }) => owner.kind === 'poll' && owner.target.kind === kind);
  expect(polls('marks')).toHaveLength(SECONDS / 5);
  expect(polls('assets')).toHaveLength(SECONDS / 60);
  expect(asked.filter(({ owner }) => owner.kind === 'round')).toHaveLength((6 * SECONDS) / 60);
});
