/** What a backtest asks of the exchange before a moment, as text. */

import { runBacktest } from '../../../src/lab/backtest/run.js';
import { openSources } from '../../../src/lab/backtest/sources.js';
import { plan } from './plans.js';

/** A trade goes to the level change that it belongs to, which was up to so long before its print. */
export const PRINTS_LATE_MS = 200;

/** Every request before this moment, with all that it asks for. */
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
