import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeFee, FEE_SCHEDULES, type FeeSchedule } from '../../../src/shared/base/fees.js';
import { complement, formatDecimal, type Micros, micros, mul } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import type { PublicTradeRow } from '../../../src/shared/protocol/records.js';
import { FEE_ROWS, feeContradiction } from '../../../src/trader/market/fee-fit.js';
import { forAll } from '../for-all.js';

const m = (value: number) => value as Micros;

interface Drawn {
  readonly schedule: FeeSchedule;
  readonly taker: number;
  readonly maker: number;
  readonly count?: number;
  /** The price of all trades; absent: any. */
  readonly price?: number;
}

/** Trades of a venue with this schedule; half of the makers traded the other outcome. */
function tradesOf({ schedule, taker, maker, count = FEE_ROWS, price }: Drawn, random: Random): PublicTradeRow[] {
  const charged = (rate: number, priceMicros: Micros, amountMicros: Micros) => {
    const notionalMicros = mul(priceMicros, amountMicros, 'ceil');
    return formatDecimal(computeFee(schedule, m(rate), { priceMicros, amountMicros, notionalMicros }));
  };
  return Array.from({ length: count }, (_, i) => {
    const own = micros(price ?? 10_000 * (1 + random.below(99)));
    const amount = micros(1_000_000 * (5 + random.below(200)));
    return {
      market_condition_id: 'a',
      amount,
      price: own,
      taker_fee: charged(taker, own, amount),
      maker_fee: charged(maker, random.chance(0.5) ? own : complement(own), amount),
      timestamp: i,
      state: 'done',
      is_yes: random.chance(0.5),
    };
  });
}

describe('the fees of public trades', () => {
  it('of any schedule contradict every other schedule', () => {
    const rates = fc.integer({ min: 2_000, max: 50_000 });
    const drawn = fc.record({
      schedule: fc.constantFrom(...FEE_SCHEDULES),
      taker: rates,
      maker: fc.oneof(fc.constant(0), rates),
    });
    forAll([drawn, fc.nat()], { numRuns: 60 }, (fees, seed) => {
      const trades = tradesOf(fees, Random.fromSeed(seed, 'trades'));
      for (const declared of FEE_SCHEDULES) {
        const found = feeContradiction(trades, declared);
        if (declared === fees.schedule) expect(found).toBeNull();
        else expect(found).toContain(`100 trades match the schedule ${fees.schedule}, but fee_schedule is ${declared}`);
      }
    });
  });

  const random = () => Random.fromSeed(1, 'noise');
  const paid = { schedule: 'notional', taker: 20_000, maker: 0 } as const;

  it.each<[string, PublicTradeRow[]]>([
    ['too few', tradesOf({ ...paid, count: FEE_ROWS - 1 }, random())],
    ['all at one price', tradesOf({ ...paid, price: 500_000 }, random())],
    [
      'of a rate that has changed among them',
      [...tradesOf({ ...paid, count: 50 }, random()), ...tradesOf({ ...paid, taker: 30_000, count: 50 }, random())],
    ],
    ['with an odd one out', tradesOf(paid, random()).map((row, i) => (i === 7 ? { ...row, taker_fee: '0.5' } : row))],
    ['free', tradesOf({ ...paid, taker: 0 }, random())],
  ])('%s contradict no schedule', (_, rows) => {
    for (const declared of FEE_SCHEDULES) expect(feeContradiction(rows, declared)).toBeNull();
  });

  it('count for settled trades that name both', () => {
    const spoil = (row: PublicTradeRow, i: number): PublicTradeRow =>
      i % 3 === 0 ? { ...row, state: 'failed', taker_fee: '9' } : i % 3 === 1 ? row : { ...row, maker_fee: null };
    const spoilt = (count: number) => tradesOf({ ...paid, count }, random()).map(spoil);
    expect(feeContradiction(spoilt(2 * FEE_ROWS), 'variance')).toBeNull();
    expect(feeContradiction(spoilt(3 * FEE_ROWS), 'variance')).toContain('100 trades match the schedule notional');
  });
});
