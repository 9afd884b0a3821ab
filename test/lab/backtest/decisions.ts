/** A backtest's requests before a given time, as text. */

import { openSources } from '../../../src/lab/backtest/replay-driver.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { plan } from './plans.js';

/** A trade is matched with its level change, which may precede its print by this time. */
export const PRINTS_LATE_MS = 200;

/** Every request before this time, with all its fields. */
export async function decisionsBefore(untilMs: number, path: string): Promise<string[]> {
  const { sources } = await openSources([path]);
  const found: string[] = [];
  await runBacktest({
    ...plan(sources, { params: { half_spread_ticks: 1, improve_ticks: 0, order_shares: '10' } }),
    onSent: ({ call: { endpoint, params, body } }, nowMs) => {
      if (nowMs < untilMs) found.push(JSON.stringify([nowMs, endpoint, params, body ?? null]));
    },
  });
  return found;
}

export const ordersIn = (decisions: readonly string[]): number =>
  decisions.filter((line) => line.includes('orders.create')).length;
