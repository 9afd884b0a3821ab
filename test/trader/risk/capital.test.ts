import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { LossGuard } from '../../../src/trader/risk/loss-guard.js';

const units = (n: number) => micros(n * 1_000_000);
const limits = { maxLossDayMicros: units(50), maxDrawdownMicros: units(100) };
const NOON = Date.UTC(2026, 10, 21, 12);

describe('the loss guard and capital that is put in or taken out', () => {
  it('counts it neither as a gain that hides a loss nor as a loss', () => {
    const guard = LossGuard.start(NOON, units(1000));
    expect(guard.observe(NOON + 1000, units(955), limits)).toBeNull();
    guard.capitalMoved(units(500));
    expect(guard.facts).toMatchObject({ dayLossMicros: units(45), drawdownMicros: units(45) });
    expect(guard.observe(NOON + 2000, units(1450), limits)).toContain('lost 50 today');
  });

  it('does not halt when it is taken out', () => {
    const guard = LossGuard.start(NOON, units(1000));
    guard.capitalMoved(units(-500));
    expect(guard.observe(NOON + 1000, units(500), limits)).toBeNull();
    expect(guard.facts.halted).toBeNull();
  });
});
