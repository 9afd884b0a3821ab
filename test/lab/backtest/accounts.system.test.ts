/** The backtest's account equals the exchange's, to the millionth, under every fill model. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/lab/backtest/run.js';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import type { SessionRecord } from '../../../src/lab/session/contract.js';
import { times } from '../../support/effort.js';
import { plan } from './plans.js';
import { source, wanderingRows } from './recordings.js';

const MODELS = ['trade-through', 'risk-averse', 'power:3', 'log', 'optimistic'];
const IDS = ['4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'];

const cashOf = ({ capitalMicros, markets }: SessionRecord): number =>
  markets.reduce(
    (sum, { fills, conversions }) =>
      sum +
      fills.reduce((all, { cashMicros, feeMicros }) => all + cashMicros - feeMicros, 0) +
      conversions.reduce((all, { cashMicros }) => all + cashMicros, 0),
    capitalMicros,
  );

describe('the accounts of a backtest', () => {
  it('agree with the exchange and add up, whatever the market, the fees and the fill model', async () => {
    const draws = fc.record({
      seed: fc.integer({ min: 1, max: 1_000_000 }),
      fillModel: fc.constantFrom(...MODELS),
      outcome: fc.constantFrom(true, false, null),
      makerRateMicros: fc.constantFrom(0, 2_500, 17_000),
      roundTripMs: fc.constantFrom(0, 100, 1_500),
    });
    let fills = 0;
    await fc.assert(
      fc.asyncProperty(draws, async ({ seed, fillModel, outcome, makerRateMicros, roundTripMs }) => {
        const sources = IDS.map((conditionId, i) =>
          source(wanderingRows(seed + i, times(3, 6)), { conditionId, outcome: i === 0 ? outcome : true }),
        );
        const fees = { makerRateMicros, takerRateMicros: 2 * makerRateMicros };
        const changes = { fillModel, fees, seed, latency: `constant:${roundTripMs}` };
        const { session } = await runBacktest(plan(sources, changes));
        expect(cashOf(session)).toBe(session.endCashMicros);
        const analysis = analyse(session);
        const { spreadMicros, driftMicros, feesMicros, mergesMicros, settlementMicros, undividedMicros } =
          analysis.result;
        const parts = (spreadMicros ?? 0) + (driftMicros ?? 0) - feesMicros + mergesMicros + (settlementMicros ?? 0);
        expect(parts + undividedMicros).toBe(analysis.result.resultMicros);
        expect(analysis.equity.endEquityMicros - session.capitalMicros).toBe(analysis.result.resultMicros);
        // Ledger and exchange agree, and the trader came to rest: a difference would be a loud warning.
        expect(analysis.warnings.filter(({ level }) => level === 'wrong')).toEqual([]);
        const loud = session.notices.filter(({ severity }) => severity === 'loud');
        expect(loud.map(({ text }) => text)).toEqual([]);
        fills += session.markets.reduce((sum, market) => sum + market.fills.length, 0);
      }),
      { numRuns: times(5, 100) },
    );
    expect(fills).toBeGreaterThan(100);
  });

  it('know every fill that the trader knows, and no other', async () => {
    const { session } = await runBacktest(plan([source(wanderingRows(3, times(4, 10)))], { fillModel: 'optimistic' }));
    const fills = session.markets.flatMap((market) => market.fills);
    expect(fills.length).toBeGreaterThan(10);
    // Each fill was booked in the trader's ledger after its time, under the strategy of its order.
    for (const { seenMs, timeMs, strategy } of fills) {
      expect(seenMs ?? 0).toBeGreaterThan(timeMs);
      expect(strategy).toBe('tested');
    }
  });

  it('take the marks of a fill from the book of that moment and of the moments after it', async () => {
    const { session } = await runBacktest(plan([source(wanderingRows(4, times(4, 10)))], { fillModel: 'optimistic' }));
    const [market] = session.markets;
    const fills = market?.fills ?? [];
    const closeMs = market?.closeMs ?? 0;
    expect(fills.length).toBeGreaterThan(10);
    for (const { timeMs, markMicros, marksAfterMicros, priceMicros, side } of fills) {
      expect(marksAfterMicros.length).toBe(5);
      for (const [h, horizonMs] of [1_000, 5_000, 30_000, 60_000, 300_000].entries())
        expect(marksAfterMicros[h] === null, `${horizonMs}`).toBe(timeMs + horizonMs > closeMs - 1_000);
      // A maker's price was not beyond the middle when it was filled.
      if (side === 'bid') expect(priceMicros).toBeLessThanOrEqual((markMicros ?? 0) + 10_000);
      else expect(priceMicros).toBeGreaterThanOrEqual((markMicros ?? 0) - 10_000);
    }
  });
});
