/** Post-only quotes: the book that they are compared with; a quote that would trade is neither drafted nor signed. */

import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../../src/lab/backtest/run.js';
import { findCrossing, PLACE_PAUSE_MS } from '../../../../src/trader/engine/quoting/quoting.js';
import type { TapeTrade } from '../../../../src/trader/market/view.js';
import { NO_QUOTES } from '../../../../src/trader/strategy/contract.js';
import { plan } from '../../../lab/backtest/plans.js';
import { ASK, BID, end, FIRST_MS, level, type Row, source } from '../../../lab/backtest/recordings.js';
import { book, m } from '../../market/fixtures.js';
import { strategyWith, wish } from '../played-trader.js';

const BOOK = book([[0.4, 10]], [[0.6, 10]]);
const traded = (price: number, taker: TapeTrade['taker']): TapeTrade => ({
  priceMicros: m(price),
  amountMicros: m(5),
  taker,
  venueTimeMs: 0,
  seenMs: 0,
});

describe('a post-only quote', () => {
  it.each([
    ['bid', 0.59, null, false],
    ['bid', 0.6, null, true],
    ['ask', 0.41, null, false],
    ['ask', 0.4, null, true],
    ['bid', 0.5, traded(0.5, 'buy'), true],
    ['bid', 0.5, traded(0.5, 'sell'), false],
    ['bid', 0.5, traded(0.4, 'sell'), false],
    ['bid', 0.5, traded(0.39, 'sell'), true],
    ['bid', 0.5, traded(0.51, 'buy'), false],
    ['ask', 0.5, traded(0.5, 'sell'), true],
    ['ask', 0.5, traded(0.5, 'buy'), false],
    ['ask', 0.5, traded(0.6, 'buy'), false],
    ['ask', 0.5, traded(0.61, 'buy'), true],
    ['ask', 0.5, traded(0.49, 'sell'), false],
  ] as const)('%s at %f beside the newest trade %o: crosses %s', (side, price, newestTrade, crosses) => {
    const said = findCrossing(side, m(price), { others: BOOK, newestTrade });
    expect(said !== null).toBe(crosses);
    if (said !== null) expect(said).toContain(String(price));
  });

  it('is held against nothing where nothing was seen', () =>
    expect(findCrossing('bid', m(0.99), { others: book([], []), newestTrade: null })).toBeNull());
});

const DECIDES_MS = 10_000;
const ROUND_TRIP_MS = 3_000;

/** Bids 0.55 from a given time on, post-only above the ask or in any case. */
const bidder = (postOnly: boolean) =>
  strategyWith(({ nowMs }) => {
    // Not into the empty book at the close.
    if (nowMs < FIRST_MS + DECIDES_MS || nowMs > FIRST_MS + 40_000) return NO_QUOTES('waits');
    return { ...wish(0.57, 0.55), postOnly };
  });

/** The ask falls to the bid: after the poll of the decision, before a poll that precedes the signature. */
const FALLS: readonly Row[] = [
  level(0, BID, 0.4, 100),
  level(0, ASK, 0.6, 100),
  level(DECIDES_MS - 1_000, ASK, 0.55, 100),
  end(60_000),
];

/** An ask at the bid that alternates as fast as a round trip. */
const FLICKER_MS = 800;
const FLICKERS: readonly Row[] = [
  level(0, BID, 0.4, 100),
  level(0, ASK, 0.6, 100),
  ...Array.from({ length: 36 }, (_, i) => level(DECIDES_MS - 900 + i * FLICKER_MS, ASK, 0.55, i % 2 === 0 ? 100 : 0)),
  end(60_000),
];

async function traders(postOnly: boolean, rows = FALLS, roundTripMs = ROUND_TRIP_MS) {
  const calls: { readonly endpoint: string; readonly atMs: number }[] = [];
  const given = plan([source(rows)], { strategy: bidder(postOnly), params: {}, latency: `constant:${roundTripMs}` });
  // A poll returns while the draft is in flight.
  const polling = { ...given.trader.polling, quietIntervalMs: 500 };
  const { session } = await runBacktest({
    ...given,
    trader: { ...given.trader, polling },
    onSent: ({ call }, atMs) => calls.push({ endpoint: call.endpoint, atMs }),
  });
  const count = (endpoint: string) => calls.filter((call) => call.endpoint === endpoint).length;
  return { calls, session, drafts: count('orders.create'), submits: count('orders.submit') };
}

describe('an order whose market moves while its draft is asked for', () => {
  it('is not signed when its quotes are post-only, and none is drafted after that', async () => {
    const { session, drafts, submits } = await traders(true);
    expect([drafts, submits]).toEqual([1, 0]);
    expect(session.markets[0]?.fills).toEqual([]);
    expect(session.refusals.find(({ name }) => name === 'post_only')?.count).toBeGreaterThan(0);
  });

  it('is not drafted again and again where what it would meet comes and goes', async () => {
    const { calls } = await traders(true, FLICKERS, FLICKER_MS);
    const asked = calls.filter(({ endpoint }) => endpoint === 'orders.create' || endpoint === 'orders.submit');
    const afterObjections = asked.slice(1).flatMap(({ endpoint, atMs }, index) => {
      const before = asked[index];
      return endpoint === 'orders.create' && before?.endpoint === endpoint ? [atMs - before.atMs] : [];
    });
    expect(afterObjections.length).toBeGreaterThan(0);
    expect(Math.min(...afterObjections)).toBeGreaterThanOrEqual(PLACE_PAUSE_MS);
  });

  it('is signed and takes what it meets when they are not', async () => {
    const { session, submits } = await traders(false);
    expect(submits).toBeGreaterThan(0);
    expect(session.markets[0]?.fills[0]?.isMaker).toBe(false);
  });
});
