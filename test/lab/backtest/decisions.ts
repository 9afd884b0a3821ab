/** A backtest's requests before a given time, as text. */

import type { BacktestPlan } from '../../../src/lab/backtest/contract.js';
import { openSources } from '../../../src/lab/backtest/replay-driver.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { plan } from './plans.js';

/** A trade is matched with its level change, which may precede its print by this time. */
export const PRINTS_LATE_MS = 200;

interface Sent {
  readonly atMs: number;
  /** With all its fields. */
  readonly text: string;
}

/** Plays a backtest and keeps every request. */
export async function playSending(plan: BacktestPlan) {
  const sent: Sent[] = [];
  const onSent: NonNullable<BacktestPlan['onSent']> = ({ call: { endpoint, params, body } }, atMs) =>
    void sent.push({ atMs, text: JSON.stringify([atMs, endpoint, params, body ?? null]) });
  return { sent, outcome: await runBacktest({ ...plan, onSent }) };
}

export const textsBefore = (sent: readonly Sent[], untilMs: number): string[] =>
  sent.filter(({ atMs }) => atMs < untilMs).map(({ text }) => text);

/** Every request of a backtest of this recording before this time. */
export async function decisionsBefore(untilMs: number, path: string): Promise<string[]> {
  const { sources } = await openSources([path]);
  return textsBefore((await playSending(plan(sources))).sent, untilMs);
}

export const ordersIn = (decisions: readonly string[]): number =>
  decisions.filter((line) => line.includes('orders.create')).length;
