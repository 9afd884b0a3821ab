import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micros, ONE } from '../../../src/shared/base/micros.js';
import { lossRung } from '../../../src/trader/risk/loss-guard.js';

const any = fc.integer({ min: -1e12, max: 1e12 }).map(micros);
const limit = fc.integer({ min: 1, max: 1e12 }).map(micros);
const part = fc.integer({ min: 1, max: ONE }).map(micros);
const anyLimits = fc.record({
  ...{ maxLossDayMicros: limit, maxDrawdownMicros: limit },
  ...{ widenAtLossMicros: part, reduceAtLossMicros: part },
});

describe('the rungs of a loss', () => {
  it('are reached exactly when either loss is that part of its limit or more', () =>
    fc.assert(
      fc.property(any, any, anyLimits, (dayLossMicros, drawdownMicros, limits) => {
        const isPart = (lost: number, of: number, part: number) =>
          lost > 0 && BigInt(lost) * BigInt(ONE) >= BigInt(of) * BigInt(part);
        const isReached = (part: number) =>
          isPart(dayLossMicros, limits.maxLossDayMicros, part) ||
          isPart(drawdownMicros, limits.maxDrawdownMicros, part);
        const rung = lossRung({ dayLossMicros, drawdownMicros, halted: null }, limits);
        expect(rung.widened !== null).toBe(isReached(limits.widenAtLossMicros));
        expect(rung.reducing !== null).toBe(isReached(limits.reduceAtLossMicros));
      }),
      { numRuns: 2_000 },
    ));

  it('say the figures', () => {
    const limits = {
      maxLossDayMicros: micros(50_000_000),
      maxDrawdownMicros: micros(100_000_000),
      widenAtLossMicros: micros(500_000),
      reduceAtLossMicros: micros(800_000),
    };
    const loss = { dayLossMicros: micros(30_000_000), drawdownMicros: micros(85_000_000), halted: null };
    expect(lossRung(loss, limits)).toEqual({
      widened: '30 lost today, at least 0.5 of the limit of 50',
      reducing: '85 below the high-water mark, at least 0.8 of the limit of 100',
    });
  });
});
