/** The account's curve and its drawdown know of every step, settlement included. */

import { expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import { bidder, plan } from './plans.js';
import { ASK, BID, end, level, type Row, source, trade } from './recordings.js';

const ROWS: readonly Row[] = [
  ...[level(0, BID, 0.4, 100), level(0, ASK, 0.6, 100)],
  ...[trade(120_000, ASK, 0.44, 50), end(180_000)],
];
/** The price moves in the last moment, between two samples. */
const LATE_ROWS: readonly Row[] = [...ROWS.slice(0, -1), level(180_050, BID, 0.56, 10), end(180_090)];

it('a loss at the settlement of the last market is in the drawdown and in the curve', async () => {
  for (const [outcome, lossMicros] of [
    [false, 5_000_000],
    [true, 0],
  ] as const) {
    const { session } = await runBacktest(
      plan([source(ROWS, { outcome })], { strategy: bidder({ price: 0.45, fairPrice: 0.5 }), params: {} }),
    );
    expect(session.markets[0]?.fills.length).toBe(1);
    // Bought at 0.45 and marked at 0.50: ten shares were worth 5 before they were worth nothing.
    expect(session.maxDrawdownMicros).toBe(lossMicros);
    expect(session.account.equityMicros.at(-1)).toBe(analyse(session).equity.endEquityMicros);
    expect(session.account.timeMs.at(-1)).toBe(session.toMs);
    expect(session.account.lockedMicros.at(-1)).toBe(0);
  }
});

it('what is held at the close is marked at the last middle before it', async () => {
  for (const [rows, markMicros] of [
    [ROWS, 500_000],
    [LATE_ROWS, 580_000],
  ] as const) {
    const { session } = await runBacktest(
      plan([source(rows)], { strategy: bidder({ price: 0.45, fairPrice: 0.5 }), params: {} }),
    );
    expect(session.markets[0]?.endMarkMicros).toBe(markMicros);
  }
});
