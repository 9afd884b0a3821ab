/** What a sweep tells of crossings is what a backtest of the same configuration tells. */

import { expect, it, onTestFinished } from 'vitest';
import { sweepTables } from '../../../src/cli/lab/sweep/sweep-tables.js';
import { backtestOf } from '../../../src/lab/backtest/backtest.js';
import { sweepHtml } from '../../../src/lab/sweep/html/sweep-html.js';
import { runSweep } from '../../../src/lab/sweep/sweep.js';
import { times } from '../../support/effort.js';
import { optimiseThreadsLate } from '../../support/late-optimising.js';
import { record, sweepPlace, sweepPlan, watching } from './place.js';

optimiseThreadsLate();

const near = (value: number) => expect.closeTo(value, -0.5);

/** A calibrated one reaches the threads, and every report, by the name that says so. */
const FILL_MODELS = ['posts-only', 'calibrated (risk-averse)'];

it('is told of the best configuration under each fill model, as a backtest tells it', async () => {
  const place = sweepPlace();
  onTestFinished(() => place.remove());
  await record(place.data, { events: 2, minutes: times(2, 3) });
  const plan = await sweepPlan(place, {
    params: ['behind_ticks=0', 'order_shares=10'],
    folds: 1,
    fillModels: FILL_MODELS,
  });
  const { result } = await runSweep(plan, watching().watcher);
  const options = { data: [place.data], fillModels: FILL_MODELS, latency: 'constant:100', landingMs: plan.landingMs };
  const played = await backtestOf(plan.config, { ...options, seed: plan.seed });
  const told = result.configurations[0]?.models.map(({ crossing }) => crossing);
  expect(told).toHaveLength(2);
  for (const [index, { analysis }] of played.entries()) {
    const crossing = analysis.crossing;
    const after = (ms: number) => crossing?.unfilled.markouts.find(({ horizon }) => horizon === ms)?.markoutMicros;
    const shown = told?.[index];
    expect(shown).toMatchObject({
      filledMicros: crossing?.filled.sharesMicros,
      unfilledMicros: crossing?.unfilled.sharesMicros,
      unfilledOrders: crossing?.unfilled.orders,
    });
    const means = [shown?.meanCrossedMs, shown?.markout5sMicros, shown?.markout60sMicros];
    const wanted = [crossing?.unfilled.crossed.mean, after(5_000), after(60_000)];
    // Sums are rounded before they are divided.
    expect(means.map((value) => value ?? null)).toEqual(wanted.map((value) => (value == null ? null : near(value))));
  }
  expect(told?.map((crossing) => (crossing?.filledMicros ?? 0) > 0)).toEqual([false, true]);
  expect(told?.[0]?.unfilledMicros).toBeGreaterThan(0);
  const [, table = ''] = sweepTables(result).split('Crossings of configuration 1');
  expect(
    table
      .split('\n')
      .slice(1, 4)
      .map((line) => line.split(/\s+/)[0]),
  ).toEqual(['FILL', 'posts-only', 'calibrated']);
  expect(sweepHtml(result)).toContain('Crossed, not filled');
});
