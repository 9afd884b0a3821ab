/** What the plan of polls is told of a market: its own past, and what the time of its resolution says. */

import { expect, it } from 'vitest';
import { Polling } from '../../../src/trader/engine/polling.js';
import { MarketTracker } from '../../../src/trader/market/market-tracker.js';
import { newsSigma } from '../../../src/trader/strategy/maths/news.js';
import { at, detail, snapshot } from '../market/fixtures.js';

const NOW_MS = 1_700_000_000_000;

/** Of a market that says when it resolves, or does not. */
function polledOf(resolution_date: number | null) {
  const feed = new MarketTracker('M');
  feed.onDetail(detail({ resolution_date }), at(NOW_MS - 1_000, 1));
  feed.onBook(snapshot([[0.48, 10]], [[0.52, 10]]), at(NOW_MS, 2), []);
  const state = {
    markets: { all: [{ conditionId: 'M', feed }], version: 1, catalogSize: 1 },
    own: { orders: new Map(), exposure: { workingOrders: 0 } },
    queue: {},
  };
  // Only what is read here of the three rooms.
  const polling = new Polling(state as unknown as ConstructorParameters<typeof Polling>[0]);
  polling.nowMs = NOW_MS;
  return { polling, feed, market: polling.markets[0] };
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
  const { market } = polledOf(null);
  expect(market).toMatchObject({ marketConditionId: 'M', price: 0.5, seenMs: NOW_MS - 200, isOver: false });
  expect(market?.usualDistance).toBeCloseTo(0.02, 12);
  expect(market?.quotes).toEqual([]);
});
