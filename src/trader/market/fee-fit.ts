/**
 * Checks the declared fee schedule against a market's public trades. A fee schedule is possible if one taker rate and
 * one maker rate predict the fees of all trades with an error of at most 0.000002 currency.
 */

import { FEE_SCHEDULES, type FeeSchedule, feePerShare } from '../../shared/base/fees.js';
import { type Micros, ONE, parseDecimal } from '../../shared/base/micros.js';
import type { PublicTradeRow } from '../../shared/protocol/records.js';

/** Number of settled trades that the check of the fee schedule needs. With fewer trades, there is no check. */
export const FEE_ROWS = 100;
/** Tolerance in the comparison of fees, millionths: a fee and its base are each rounded to a millionth. */
const TOLERANCE_MICROS = 2;

interface Charged {
  readonly feeMicros: number;
  /** Amounts to which the fee rate may apply, millionths: one for each outcome (YES, NO) that may have been traded. */
  readonly bases: readonly number[];
}

/**
 * Returns a sentence that says why the first `FEE_ROWS` settled trades contradict the declared fee schedule. Returns
 * null if the trades agree with it, have no fees or are too few, or if no fee schedule explains their fees.
 */
export function feeContradiction(rows: readonly PublicTradeRow[], declared: FeeSchedule): string | null {
  const isCharged = ({ state, maker_fee, taker_fee }: PublicTradeRow): boolean =>
    state === 'done' && feeMicros(maker_fee) !== null && feeMicros(taker_fee) !== null;
  const trades = rows.filter(isCharged).slice(0, FEE_ROWS);
  const isFree = trades.every(({ maker_fee, taker_fee }) => feeMicros(maker_fee) === 0 && feeMicros(taker_fee) === 0);
  if (trades.length < FEE_ROWS || isFree) return null;
  const possible = FEE_SCHEDULES.filter((schedule) => isPossible(schedule, trades));
  if (possible.length === 0 || possible.includes(declared)) return null;
  return `the fees of ${trades.length} trades match the schedule ${possible.join(' or ')}, but fee_schedule is ${declared}`;
}

const feeMicros = (text: string | null): Micros | null => (text === null ? null : parseDecimal(text));

function isPossible(schedule: FeeSchedule, trades: readonly PublicTradeRow[]): boolean {
  const charge = (fee: string | null, amount: Micros, prices: readonly number[]): Charged => ({
    feeMicros: feeMicros(fee) ?? 0,
    bases: prices.map((price) => amount * feePerShare(schedule, 1, price)),
  });
  // A trade row shows the taker's outcome and price; the maker may have traded the other outcome.
  const takers = trades.map(({ taker_fee, amount, price }) => charge(taker_fee, amount, [price / ONE]));
  const makers = trades.map(({ maker_fee, amount, price }) =>
    charge(maker_fee, amount, [price / ONE, 1 - price / ONE]),
  );
  return hasOneRate(takers) && hasOneRate(makers);
}

/** Returns true if one fee rate explains all fees. The rate is computed from the trade with the largest fee. */
function hasOneRate(rows: readonly Charged[]): boolean {
  if (rows.every((row) => row.feeMicros === 0)) return true;
  const largest = rows.reduce((most, row) => (row.feeMicros > most.feeMicros ? row : most));
  return largest.bases.some((largestBase) => {
    // Fees are rounded up to a millionth, so an unrounded fee is half a millionth lower on average.
    const rate = (largest.feeMicros - 0.5) / largestBase;
    return rows.every(({ feeMicros: fee, bases }) =>
      bases.some((base) => Math.abs(fee - rate * base) <= TOLERANCE_MICROS),
    );
  });
}
