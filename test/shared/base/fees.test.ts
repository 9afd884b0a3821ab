import fc from 'fast-check';
import { expect, it } from 'vitest';
import { computeFee, FEE_SCHEDULES, feePerShare, notionalRate } from '../../../src/shared/base/fees.js';
import { type Micros, micros, mul } from '../../../src/shared/base/micros.js';

const m = (value: number) => value as Micros;
const schedule = fc.constantFrom(...FEE_SCHEDULES);
const rate = fc.integer({ min: 0, max: 100_000 }).map(micros);
const price = fc.integer({ min: 1, max: 999_999 }).map(micros);
const amount = fc.integer({ min: 1, max: 10_000_000_000 }).map(micros);

const charged = (of: (typeof FEE_SCHEDULES)[number], rateMicros: Micros, priceMicros: Micros, amountMicros: Micros) =>
  computeFee(of, rateMicros, { priceMicros, amountMicros, notionalMicros: mul(priceMicros, amountMicros, 'ceil') });

it.each([
  ['notional', 16_000],
  ['variance', 3_200],
  ['per_share', 20_000],
] as const)('a rate of 0.02 of a share at 0.8 is, by %s, %d millionths', (of, fee) => {
  expect(charged(of, m(20_000), m(800_000), m(1_000_000))).toBe(fee);
  expect(feePerShare(of, 0.02, 0.8)).toBeCloseTo(fee / 1e6, 12);
  expect(notionalRate(of, m(20_000), m(800_000))).toBe(fee / 0.8);
});

it('what is charged is the exact fee, rounded up by two millionths at most', () =>
  fc.assert(
    fc.property(schedule, rate, price, amount, (of, rateMicros, priceMicros, amountMicros) => {
      const [r, p, a] = [BigInt(rateMicros), BigInt(priceMicros), BigInt(amountMicros)];
      const one = 1_000_000n;
      const exact = { notional: r * p * a * one, variance: r * p * (one - p) * a, per_share: r * one * one * a }[of];
      const fee = BigInt(charged(of, rateMicros, priceMicros, amountMicros)) * one ** 3n;
      expect(fee >= exact && fee - exact <= 2n * one ** 3n).toBe(true);
    }),
  ));

it('price and reserved fee pay for a buy at its limit and at every better price', () =>
  fc.assert(
    fc.property(schedule, rate, price, amount, fc.nat(), (of, rateMicros, limit, amountMicros, step) => {
      const better = micros(1 + (step % limit));
      const reserved = (at: Micros) => {
        const notional = mul(limit, amountMicros, 'ceil');
        return notional + mul(notionalRate(of, rateMicros, at), notional, 'ceil');
      };
      const paid = mul(better, amountMicros, 'floor') + charged(of, rateMicros, better, amountMicros);
      // Each of the two is rounded separately.
      expect(paid).toBeLessThanOrEqual(reserved(limit) + 2);
    }),
  ));
