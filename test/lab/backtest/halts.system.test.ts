/** A limit that halts the trader: the run continues at the next event or ends, and the report says which. */

import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import type { AfterHalt } from '../../../src/lab/backtest/contract.js';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { Halts } from '../../../src/lab/backtest/session.js';
import { analyse, bracketVerdict } from '../../../src/lab/report/analysis/analyse.js';
import { summaryTable } from '../../../src/lab/report/summary.js';
import { riskLimitsSchema } from '../../../src/trader/risk/limits.js';
import { bidder, plan } from './plans.js';
import { ASK, BID, end, FIRST_MS, level, source, trade } from './recordings.js';

const HALF_HOUR_MS = 1_800_000;

/** A market whose bid is hit and loses 2 at the mark; one every half hour. */
function losing(number: number) {
  const at = (ms: number) => number * HALF_HOUR_MS + ms;
  const rows = [
    ...[level(at(0), BID, 0.4, 100), level(at(0), ASK, 0.6, 100), trade(at(120_000), ASK, 0.44, 50)],
    ...[level(at(130_000), BID, 0.4, 0), level(at(130_000), BID, 0.2, 100)],
    ...[level(at(130_000), ASK, 0.6, 0), level(at(130_000), ASK, 0.3, 100), end(at(400_000))],
  ];
  const conditionId = base58.encode(new Uint8Array(32).fill(number + 1));
  const [openTimeMs, closeTimeMs] = [FIRST_MS + at(-60_000), FIRST_MS + at(400_000)];
  // Recurring events have one title.
  const event = { eventTitle: 'Up in the next half hour?', eventConditionId: `E${number}` };
  return source(rows, { conditionId, ...event, outcome: false, openTimeMs, closeTimeMs });
}

async function played(afterHalt: AfterHalt, maxLossDay: string, parts: Readonly<Record<string, string>> = {}) {
  const given = plan([0, 1, 2].map(losing), { strategy: bidder({ price: 0.45, fairPrice: 0.5 }), params: {} });
  const limits = { max_loss_day: maxLossDay, max_drawdown: '500', min_time_to_resolution_s: 0, ...parts };
  const trader = { ...given.trader, risk: riskLimitsSchema.parse(limits) };
  const { session } = await runBacktest({ ...given, trader, afterHalt });
  return { session, analysis: analyse(session) };
}

describe('a loss limit that is reached in a backtest', () => {
  it('is resumed with the next event, and the report says so', async () => {
    const { session, analysis } = await played('resume', '1.5');
    expect(session.markets.map(({ fills }) => fills.length)).toEqual([1, 1, 1]);
    expect(session.halts.map(({ reason }) => reason)).toEqual(Array(3).fill('lost 2 today, the limit is 1.5'));
    expect(session.halts.map(({ resumedMs }) => resumedMs !== null)).toEqual([true, true, false]);
    expect(analysis.coverage).toMatchObject({ markets: 3, marketsPlayed: 3 });
    expect(session.notices.filter(({ text }) => text.includes('clock'))).toEqual([]);
    const said = analysis.warnings.find(({ name }) => name === 'halted')?.text;
    expect(said).toMatch(/^Limits halted the trader 2 times, first at 2026-03-02 12:02:\d\d UTC \(lost 2 today/);
    expect(said).toContain('The backtest resumed the trader at the next event or day');
  });

  it('ends the run for good where that is wanted, and the markets that were not played stand at the top', async () => {
    const { session, analysis } = await played('end', '1.5');
    expect(session.markets.map(({ fills }) => fills.length)).toEqual([1, 0, 0]);
    expect(analysis.coverage).toMatchObject({ markets: 3, marketsPlayed: 1 });
    expect(analysis.markets.map(({ isPlayed }) => isPlayed)).toEqual([true, false, false]);
    expect(analysis.warnings[0]).toMatchObject({ level: 'caution', name: 'not_played' });
    expect(summaryTable([analysis]).replaceAll('\n  ', ' ')).toContain(
      '! 2 of 3 markets were not played: a limit had halted the trader (lost 2 today, the limit is 1.5).',
    );
  });

  it('compares models over what all of them played', async () => {
    const [whole, cut] = [await played('end', '500'), await played('end', '1.5')];
    expect(whole.analysis.result.resultMicros).toBe(3 * cut.analysis.result.resultMicros);
    const verdict = bracketVerdict([whole.analysis, cut.analysis]);
    expect(verdict.text).toContain('−4.50 (risk-averse); −4.50 (risk-averse)');
    expect(verdict.text).toContain('The comparison uses the 1 market of 3 that every fill model played.');
  });
});

describe('a part of a loss limit that is reached in a backtest', () => {
  it('is lifted with the next event, and the report says so', async () => {
    const { session, analysis } = await played('resume', '10', { reduce_at_loss: '0.2' });
    expect(session.markets.map(({ fills }) => fills.length)).toEqual([1, 1, 1]);
    expect(session.halts.map(({ rung }) => rung)).toEqual(Array(3).fill('reducing'));
    expect(session.halts.map(({ resumedMs }) => resumedMs !== null)).toEqual([true, true, false]);
    const said = analysis.warnings.find(({ name }) => name === 'held_back')?.text;
    expect(said).toMatch(
      /^Losses near a limit restricted the trader 3 times, 3 of them to reducing orders only, first at /,
    );
    expect(said).toContain('The backtest ended the restriction at the next event or day');
  });

  it('stays where the run is to end there, and markets without an order are not played', async () => {
    const { session, analysis } = await played('end', '10', { reduce_at_loss: '0.2' });
    expect(session.markets.map(({ fills }) => fills.length)).toEqual([1, 0, 0]);
    expect(analysis.coverage).toMatchObject({ markets: 3, marketsPlayed: 1 });
    expect(analysis.warnings[0]?.text).toMatch(
      /^2 of 3 markets were not played: a limit had restricted the trader to reducing positions/,
    );
  });

  it('that only widens quotes is lifted too, and its markets count as played', async () => {
    const { session, analysis } = await played('resume', '10', { widen_at_loss: '0.2', widen_distance: '0.2' });
    expect(session.markets.map(({ fills }) => fills.length)).toEqual([1, 1, 1]);
    expect(session.halts.map(({ rung }) => rung)).toEqual(['widened', 'widened', 'widened']);
    expect(analysis.coverage.marketsPlayed).toBe(3);
  });
});

describe('the halts of a run', () => {
  const halted = (timeMs: number) =>
    ({ timeMs, severity: 'loud', kind: 'halted', text: 'a limit; and so on' }) as const;

  it('are resumed by a new event or a new UTC day, not by another market of an event that has begun', () => {
    const halts = new Halts('resume');
    halts.onOpen('first');
    expect(halts.takeResume(0)).toBe(false);
    halts.onNotices([halted(1_000)]);
    halts.onOpen('first');
    expect([halts.takeResume(2_000), halts.takeResume(86_400_000)]).toEqual([false, true]);
    halts.onOpen('second');
    expect(halts.takeResume(3_000)).toBe(true);
    expect([halts.takeSettle(1), halts.takeSettle(0), halts.takeSettle(0)]).toEqual([false, true, false]);
    halts.onResume(3_000);
    expect([halts.takeSettle(0), halts.takeResume(4_000)]).toEqual([false, false]);
    expect(halts.records).toEqual([{ rung: 'halted', fromMs: 1_000, reason: 'a limit', resumedMs: 3_000 }]);
    expect([0, 2_500, 3_000].map((fromMs) => halts.withinMs(fromMs, 10_000))).toEqual([2_000, 500, 0]);
  });

  it('include every restriction before them, each up to the next', () => {
    const halts = new Halts('resume');
    halts.onLook(1_000, { rung: 'widened', reason: 'a little' });
    halts.onLook(2_000, { rung: 'reducing', reason: 'much' });
    halts.onNotices([halted(4_000)]);
    halts.onResume(5_000);
    halts.onLook(6_000, { rung: 'widened', reason: 'a little' });
    halts.onLook(7_000, null);
    expect(halts.records.map(({ rung, fromMs, resumedMs }) => [rung, fromMs, resumedMs])).toEqual([
      ['widened', 1_000, 2_000],
      ['reducing', 2_000, 4_000],
      ['halted', 4_000, 5_000],
      ['widened', 6_000, 7_000],
    ]);
    expect(halts.withinMs(0, 10_000)).toBe(3_000);
  });
});
