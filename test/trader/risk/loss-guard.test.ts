import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LossGuard, type LossState } from '../../../src/trader/risk/loss-guard.js';
import { m, ONE } from './states.js';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 0, 10, 12);
const limits = { maxLossDayMicros: m(50 * ONE), maxDrawdownMicros: m(100 * ONE) };
const money = (value: number) => m(value * ONE);

describe('the loss guard', () => {
  it('halts when a day has lost its limit, and says so once', () => {
    const guard = LossGuard.started(NOON, money(1000));
    expect(guard.observe(NOON + 1, m(950 * ONE + 1), limits)).toBeNull();
    expect(guard.observe(NOON + 2, money(950), limits)).toBe('lost 50 today, the limit is 50');
    expect(guard.observe(NOON + 3, money(900), limits)).toBeNull();
    expect(guard.facts).toEqual({
      dayLossMicros: money(100),
      drawdownMicros: money(100),
      halted: 'lost 50 today, the limit is 50',
    });
  });

  it('counts a loss over midnight to the new day, and days apart from each other', () => {
    const guard = LossGuard.started(NOON, money(1000));
    guard.observe(NOON + 1, money(960), limits);
    expect(guard.observe(NOON + DAY_MS, money(915), limits)).toBeNull();
    expect(guard.facts.dayLossMicros).toBe(money(45));
    expect(guard.state.day).toBe('2026-01-11');
    expect(guard.observe(NOON + DAY_MS + 1, money(911), limits)).toBeNull();
  });

  it('halts at the distance from the high-water mark, however many days it took', () => {
    const guard = LossGuard.started(NOON, money(1000));
    for (const [day, equity] of [1010, 975, 940].entries()) {
      expect(guard.observe(NOON + day * DAY_MS, money(equity), limits)).toBeNull();
    }
    expect(guard.observe(NOON + 3 * DAY_MS, money(910), limits)).toBe(
      '100 below the high-water mark, the limit is 100',
    );
  });

  it('stays halted over midnight, a recovery and a restart, until a person resumes', () => {
    const guard = LossGuard.started(NOON, money(1000));
    guard.observe(NOON, money(940), limits);
    const stored: LossState = JSON.parse(JSON.stringify(guard.state));
    const restarted = LossGuard.restored(stored);
    restarted.observe(NOON + 2 * DAY_MS, money(1000), limits);
    expect(restarted.facts.halted).toBe('lost 60 today, the limit is 50');
    restarted.observe(NOON + 2 * DAY_MS, money(945), limits);
    restarted.resume();
    expect(restarted.facts).toEqual({ dayLossMicros: 0, drawdownMicros: 0, halted: null });
    expect(restarted.observe(NOON + 2 * DAY_MS, money(900), limits)).toBeNull();
  });

  it('begins no new day when the clock steps back', () => {
    const guard = LossGuard.started(NOON, money(1000));
    guard.observe(NOON, money(970), limits);
    guard.observe(NOON - 2 * DAY_MS, money(970), limits);
    guard.observe(NOON, money(970), limits);
    expect(guard.facts.dayLossMicros).toBe(money(30));
  });

  it('halts on an equity that cannot be computed, and keeps what it knew', () => {
    const guard = LossGuard.started(NOON, money(1000));
    expect(guard.observe(NOON, m(Number.NaN), limits)).toBe('the equity cannot be computed (got NaN)');
    expect(guard.facts).toMatchObject({ dayLossMicros: 0, drawdownMicros: 0 });
  });

  it('is halted from the first look at which either limit is reached, and not before', () => {
    const steps = fc.array(
      fc.record({ hours: fc.integer({ min: 0, max: 30 }), equity: fc.integer({ min: 850, max: 1100 }) }),
    );
    fc.assert(
      fc.property(steps, (looks) => {
        const guard = LossGuard.started(NOON, money(1000));
        let [hours, last, high, dayStart, reached] = [0, 1000, 1000, 1000, false];
        for (const look of looks) {
          const dayBefore = Math.floor((12 + hours) / 24);
          hours += look.hours;
          if (Math.floor((12 + hours) / 24) > dayBefore) dayStart = last;
          last = look.equity;
          high = Math.max(high, last);
          reached ||= dayStart - last >= 50 || high - last >= 100;
          guard.observe(NOON + hours * 3_600_000, money(look.equity), limits);
          expect(guard.facts.halted !== null).toBe(reached);
        }
      }),
    );
  });
});
