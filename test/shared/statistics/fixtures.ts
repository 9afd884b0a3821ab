/** Samples like real results: money to the cent, of any sign; and comparison up to rounding. */

import fc from 'fast-check';
import { expect } from 'vitest';

export const samples = (length: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<number[]> =>
  fc.array(
    fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
    { maxLength: 60, ...length },
  );

/** Numbers that equal these up to this many digits, to compare lists. */
export const near = (values: readonly number[], digits: number): readonly number[] =>
  values.map((value) => expect.closeTo(value, digits));

/** Equal up to 1e-9 of their size; null equals only null. */
export function close(got: number | null, wanted: number | null): void {
  if (got === null || wanted === null) return expect(got).toBe(wanted);
  expect(Math.abs(got - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(wanted)));
}
