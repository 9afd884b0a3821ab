/** The trader of a backtest sees the same as with polling, at the same time. */

import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { micros } from '../../../src/shared/base/micros.js';
import { NO_QUOTES } from '../../../src/trader/strategy/contract.js';
import { plan, watcher } from './plans.js';
import { ASK, BID, end, FIRST_MS, level, market, type Row, source, trade } from './recordings.js';

const BOOK: readonly Row[] = [level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100)];
const LATER_MS = 120_000;
const IDS = ['4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'] as const;

describe('a backtest', () => {
  it('shows a change of the book only after a poll that left later has come back', async () => {
    for (const roundTripMs of [0, 100, 2_000]) {
      const { seen, strategy } = watcher();
      const rows = [...BOOK, level(LATER_MS, BID, 0.45, 50), end(LATER_MS + 60_000)];
      await runBacktest(plan([source(rows)], { strategy, params: {}, latency: `constant:${roundTripMs}` }));
      const first = seen.find(({ book }) => book.bids[0]?.priceMicros === 450_000);
      expect(first, `round trip ${roundTripMs}`).toBeDefined();
      // The state at the arrival of the poll is known half a round trip later.
      expect(first?.nowMs ?? 0).toBeGreaterThanOrEqual(FIRST_MS + LATER_MS + Math.floor(roundTripMs / 2));
      // The next poll is the bound: twice the shortest interval, and its round trip.
      expect(first?.nowMs ?? 0).toBeLessThanOrEqual(FIRST_MS + LATER_MS + 2 * 1_000 + 2 * roundTripMs);
      const early = seen.filter((view) => view.nowMs < FIRST_MS + LATER_MS && view.book.bids.length > 0);
      expect(early.length).toBeGreaterThan(50);
      for (const view of early) expect(view.book.bids[0]?.priceMicros).toBe(400_000);
    }
  });

  it('never shows the trader what was there only between two polls', async () => {
    const { seen, strategy } = watcher();
    const rows = [...BOOK, ...[level(LATER_MS, BID, 0.5, 5), level(LATER_MS + 1, BID, 0.5, 0)], end(LATER_MS + 60_000)];
    await runBacktest(plan([source(rows)], { strategy, params: {} }));
    expect(seen.length).toBeGreaterThan(100);
    expect(seen.filter(({ book }) => book.bids[0]?.priceMicros === 500_000)).toEqual([]);
  });

  it('tells the trader of its fills when own trades were polled, not when they happened', async () => {
    const bid = { priceMicros: micros(450_000), amountMicros: micros(10_000_000) };
    const { seen, strategy } = watcher(() => ({ ...NO_QUOTES('one bid'), bids: [bid], fairMicros: micros(500_000) }));
    const rows = [...BOOK, trade(LATER_MS, ASK, 0.45, 30), trade(LATER_MS, ASK, 0.44, 1), end(LATER_MS + 60_000)];
    const { session } = await runBacktest(plan([source(rows)], { strategy, params: {} }));
    const fill = session.markets[0]?.fills[0];
    expect([fill?.timeMs, fill?.amountMicros]).toEqual([FIRST_MS + LATER_MS, 10_000_000]);
    const knew = seen.find(({ inventory }) => inventory.yesMicros > 0);
    expect(fill?.seenMs ?? 0).toBeGreaterThan(FIRST_MS + LATER_MS);
    expect(knew?.nowMs ?? 0).toBeGreaterThanOrEqual(fill?.seenMs ?? Number.POSITIVE_INFINITY);
  });

  it('finds a market only by its list of markets', async () => {
    const { seen, strategy } = watcher();
    const second = market({ conditionId: IDS[0], openTimeMs: FIRST_MS + 61_000 });
    const early = source([...BOOK, end(300_000)]);
    const late = source([...BOOK.map(([t, ...row]): Row => [t + 61_000, ...row]), end(300_000)], second);
    await runBacktest(plan([early, late], { strategy, params: {} }));
    const first = seen.find(({ market: { conditionId } }) => conditionId === second.conditionId);
    // The list is polled once a minute; the start read it when there was only one market.
    expect(first?.nowMs ?? 0).toBeGreaterThan(FIRST_MS + 61_000);
  });

  it.each<[{ closeTimeMs: number; closeIsGuessed?: true }, boolean]>([
    [{ closeTimeMs: FIRST_MS + 300_000 }, true],
    [{ closeTimeMs: FIRST_MS + 1_500 }, false],
    [{ closeTimeMs: FIRST_MS - 2_000 }, false],
    [{ closeTimeMs: FIRST_MS + 300_000, closeIsGuessed: true }, false],
  ])('tells when a market closes only where the recorded venue told it: %j, %s', async (close, isTold) => {
    const { seen, strategy } = watcher();
    await runBacktest(plan([source([...BOOK, end(120_000)], close)], { strategy, params: {} }));
    expect(seen.length).toBeGreaterThan(10);
    for (const { market, timeToResolutionMs } of seen) {
      expect(market.resolutionTimeMs).toBe(isTold ? close.closeTimeMs : null);
      expect(timeToResolutionMs !== null).toBe(isTold);
    }
  });

  it('spends one request budget on all of its markets', async () => {
    const sources = IDS.map((conditionId) => source([...BOOK, end(300_000)], { conditionId }));
    const { session } = await runBacktest(plan(sources, { strategy: watcher().strategy, params: {} }));
    expect(session.requests?.public.peakPerMinute).toBeGreaterThan(90);
    expect(session.requests?.public.peakPerMinute).toBeLessThanOrEqual(120);
    expect(session.requests?.public.throttled).toBe(0);
  });
});
