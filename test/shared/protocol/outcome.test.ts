import { describe, expect, it } from 'vitest';
import { inferOutcome, outcomeOf, settledValue } from '../../../src/shared/protocol/outcome.js';

describe('an outcome', () => {
  it.each([
    [true, 3_000_001, 5, 3_000_001],
    [false, 3_000_001, 5, 5],
    [0.5, 3, 4, 3],
    [0.37, 100_000_000, 10_000_000, 43_300_000],
  ])('%s pays %d YES and %d NO %d, rounded down once', (outcome, yes, no, paid) => {
    expect(settledValue(outcome, yes, no)).toBe(paid);
  });

  it.each([true, false, 0.5, 0.37])('%s is inferred from the payment', (outcome) => {
    for (const [yes, no] of [
      [100_000_001, 0],
      [7_000_000, 9_000_003],
      [0, 12_345_678],
    ] as const)
      expect(inferOutcome(yes, no, settledValue(outcome, yes, no))).toBe(outcome);
  });

  it('is not known from as many shares of both, nor from a payment beyond 1 a share', () => {
    expect(inferOutcome(5_000_000, 5_000_000, 5_000_000)).toBeNull();
    expect(inferOutcome(5_000_000, 0, 5_000_001)).toBeNull();
  });

  it('is YES at 1, NO at 0, and none beyond', () => {
    expect([1, 0, 0.25, -0.1, 1.1, Number.NaN].map(outcomeOf)).toEqual([true, false, 0.25, null, null, null]);
  });
});
