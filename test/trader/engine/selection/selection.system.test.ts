/** Of its candidate markets, a strategy quotes those that meet its rules, or the most valuable ones. */

import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../../src/lab/backtest/run.js';
import type { MarketSelection } from '../../../../src/trader/engine/settings.js';
import { plan } from '../../../lab/backtest/plans.js';
import { ASK, BID, end, level, source, trade } from '../../../lab/backtest/recordings.js';
import { strategyWith, wish } from '../played-trader.js';

const LASTS_MS = 150_000;
const QUIET = 'A'.padEnd(44, '1');
const BUSY = 'B'.padEnd(44, '1');
const WIDE = 'C'.padEnd(44, '1');

const both = strategyWith(() => ({ ...wish(0.5, 0.48, 0.52), keepWithinTicks: 1, keepWithinSizeFraction: 0.5 }));

/** A market with a constant book; takers come at this interval, deep into both sides. */
function steady(conditionId: string, half: number, takersEveryMs: number | null) {
  const rows = [level(0, BID, 0.5 - half, 1000), level(0, ASK, 0.5 + half, 1000)];
  for (let atMs = 5_000; takersEveryMs !== null && atMs < LASTS_MS; atMs += takersEveryMs)
    rows.push(trade(atMs, atMs % (2 * takersEveryMs) < takersEveryMs ? ASK : BID, 0.5, 4));
  return source([...rows, end(LASTS_MS)], { conditionId });
}

async function ordersIn(selection: Partial<MarketSelection>): Promise<ReadonlyMap<string, number>> {
  const markets = [steady(QUIET, 0.03, null), steady(BUSY, 0.03, 4_000), steady(WIDE, 0.2, null)];
  const made = plan(markets, { strategy: both, params: {} });
  const strategies = made.trader.strategies.map((one) => ({ ...one, markets: { ...one.markets, ...selection } }));
  const { session } = await runBacktest({ ...made, trader: { ...made.trader, strategies } });
  return new Map(session.markets.map(({ conditionId, quoting }) => [conditionId, quoting.ordersPlaced]));
}

describe('a strategy that looks at more markets than it quotes', () => {
  it('quotes the most valuable', async () => {
    const placed = await ordersIn({ max: 1, candidates: 3, choose: 'value' });
    expect(placed.get(BUSY)).toBeGreaterThan(1);
    expect([placed.get(QUIET) ?? 0, placed.get(WIDE) ?? 0]).toEqual([0, 0]);
  });

  it('quotes the first, where it goes by the list', async () => {
    expect([...(await ordersIn({ max: 1, candidates: 3 }))].filter(([, orders]) => orders > 0).length).toBe(1);
    expect((await ordersIn({})).size).toBe(3);
  });

  it('quotes only what meets its rules', async () => {
    const none = { minSpread: null, maxSpread: null, minVolumeDay: null, minDaysLeft: null, maxDaysLeft: null };
    const narrow = await ordersIn({ rules: { ...none, maxSpread: 0.1 } });
    expect([narrow.get(WIDE) ?? 0, (narrow.get(QUIET) ?? 0) > 0, (narrow.get(BUSY) ?? 0) > 0]).toEqual([0, true, true]);
    const traded = await ordersIn({ rules: { ...none, minVolumeDay: 10 } });
    expect([traded.get(WIDE) ?? 0, traded.get(QUIET) ?? 0, (traded.get(BUSY) ?? 0) > 0]).toEqual([0, 0, true]);
  });
});
