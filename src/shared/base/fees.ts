/** Fees according to the schedule of a venue profile. Each price is a price of the traded outcome, YES or NO. */

import { complement, type Micros, mul, mulDiv, ONE } from './micros.js';

/**
 * Formulas of a fee. `notional`: rate x price x shares. `variance`: rate x price x (1 - price) x shares. `per_share`:
 * rate x shares, with the rate in currency per share.
 */
export const FEE_SCHEDULES = ['notional', 'variance', 'per_share'] as const;
export type FeeSchedule = (typeof FEE_SCHEDULES)[number];

/** Returns the fee for one share as a float, for strategies' estimates. `rate` and `price` are from 0 to 1. */
export function feePerShare(schedule: FeeSchedule, rate: number, price: number): number {
  return rate * { notional: price, variance: price * (1 - price), per_share: 1 }[schedule];
}

/**
 * Returns the rate on price x shares that yields the schedule's fee at a given price, rounded up. An order reserves its
 * fee at this rate and its limit price. At a better price the fee may be higher, but price plus fee is never worse.
 */
export function notionalRate(schedule: FeeSchedule, rateMicros: Micros, priceMicros: Micros): Micros {
  if (schedule === 'variance') return mul(rateMicros, complement(priceMicros), 'ceil');
  return schedule === 'notional' ? rateMicros : mulDiv(rateMicros, ONE, priceMicros, 'ceil');
}

/** Returns the fee of a trade in currency, rounded up. `notionalMicros` is the cost of the shares without fee. */
export function computeFee(
  schedule: FeeSchedule,
  rateMicros: Micros,
  trade: Readonly<Record<'priceMicros' | 'amountMicros' | 'notionalMicros', Micros>>,
): Micros {
  if (schedule === 'per_share') return mul(rateMicros, trade.amountMicros, 'ceil');
  if (schedule === 'notional') return mul(rateMicros, trade.notionalMicros, 'ceil');
  const spread = mulDiv(trade.notionalMicros, complement(trade.priceMicros), ONE, 'ceil');
  return mul(rateMicros, spread, 'ceil');
}
