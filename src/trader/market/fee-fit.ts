/**
 * Detects a market's fee schedule from its public trades. Each known fee schedule is fitted with one taker rate and one
 * maker rate. A fee schedule is possible if it predicts each trade's fee within two millionths. If several fee
 * schedules or none are possible, the result is undecided.
 */

import { FEE_SCHEDULES, type FeeSchedule, feePerShare } from '../../shared/base/fees.js';
import { type Micros, ONE, parseDecimal } from '../../shared/base/micros.js';
import type { PublicTradeRow } from '../../shared/protocol/records.js';

/** Number of settled trades that decide on the fee schedule. With fewer trades, the result is undecided. */
export const FEE_ROWS = 100;
/** Tolerance in the comparison of fees: a fee and its base are each rounded to a millionth. */
const TOLERANCE_MICROS = 2;

/** Result of fitting one fee schedule to the fees of trades. */
interface FeeFit {
  readonly schedule: FeeSchedule;
  /** Fitted fee rate, a fraction of the schedule's base; null if no taker (or no maker) paid a fee. */
  readonly takerRate: number | null;
  readonly makerRate: number | null;
  /** Largest difference between a trade's fee and the schedule's prediction, currency. */
  readonly residual: number;
  readonly isPossible: boolean;
}

/** Detected schedule: `free` (no fees), `seen` (one fits), `undecided` (several or none fit, or too few trades). */
type FeeVerdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'seen'; readonly schedule: FeeSchedule }
  | { readonly kind: 'undecided'; readonly reason: string };

/** Fee schedules fitted to the newest trades of a market. */
interface FeeReading {
  /** Number of settled trades used, each with a reported taker fee and maker fee. */
  readonly trades: number;
  readonly fits: readonly FeeFit[];
  readonly verdict: FeeVerdict;
}

interface Charged {
  readonly feeMicros: number;
  /** Possible fee bases, millionths: one for each outcome (YES, NO) that the taker or maker may have traded. */
  readonly bases: readonly number[];
}

/** Fits each fee schedule to the first `FEE_ROWS` settled trades of the exchange's list. */
export function readFees(rows: readonly PublicTradeRow[]): FeeReading {
  const trades = rows.filter(isCharged).slice(0, FEE_ROWS);
  const fits = FEE_SCHEDULES.map((schedule) => fitSchedule(schedule, trades));
  return { trades: trades.length, fits, verdict: judgeFits(trades.length, fits) };
}

/** Returns why trades contradict the declared fee schedule, in a sentence; null if they agree or are undecided. */
export function feeContradiction({ fits, verdict, trades }: FeeReading, declared: FeeSchedule): string | null {
  const possible = fits.filter(({ isPossible }) => isPossible).map(({ schedule }) => schedule);
  if (trades < FEE_ROWS || verdict.kind === 'free' || possible.length === 0 || possible.includes(declared)) return null;
  return `the fees of ${trades} trades match the schedule ${possible.join(' or ')}, but fee_schedule is ${declared}`;
}

function judgeFits(trades: number, fits: readonly FeeFit[]): FeeVerdict {
  if (trades < FEE_ROWS) return { kind: 'undecided', reason: `only ${trades} settled trades, ${FEE_ROWS} are needed` };
  if (fits.every(({ takerRate, makerRate }) => takerRate === null && makerRate === null)) return { kind: 'free' };
  const [first, ...others] = fits.filter(({ isPossible }) => isPossible);
  if (first === undefined) return { kind: 'undecided', reason: 'no fee schedule explains the fees with one rate' };
  if (others.length === 0) return { kind: 'seen', schedule: first.schedule };
  const names = [first, ...others].map(({ schedule }) => schedule).join(' and ');
  return { kind: 'undecided', reason: `${names} explain the fees equally well` };
}

const isCharged = ({ state, maker_fee, taker_fee }: PublicTradeRow): boolean =>
  state === 'done' && feeMicros(maker_fee) !== null && feeMicros(taker_fee) !== null;

const feeMicros = (text: string | null): Micros | null => (text === null ? null : parseDecimal(text));

function fitSchedule(schedule: FeeSchedule, trades: readonly PublicTradeRow[]): FeeFit {
  // A trade row shows the taker's outcome and price; the maker may have traded the other outcome.
  const takers = trades.map((row) => makeCharged(row.taker_fee, row, [row.price / ONE], schedule));
  const makers = trades.map((row) => makeCharged(row.maker_fee, row, [row.price / ONE, 1 - row.price / ONE], schedule));
  const [taker, maker] = [fitSide(takers), fitSide(makers)];
  const residualMicros = Math.max(taker.residualMicros, maker.residualMicros);
  return {
    schedule,
    takerRate: taker.rate,
    makerRate: maker.rate,
    residual: residualMicros / ONE,
    isPossible: residualMicros <= TOLERANCE_MICROS,
  };
}

function makeCharged(
  fee: string | null,
  { amount }: PublicTradeRow,
  prices: readonly number[],
  schedule: FeeSchedule,
): Charged {
  return { feeMicros: feeMicros(fee) ?? 0, bases: prices.map((price) => amount * feePerShare(schedule, 1, price)) };
}

/** Computes the fee rate from the trade with the largest fee, and compares all trades with that rate. */
function fitSide(rows: readonly Charged[]): { readonly rate: number | null; readonly residualMicros: number } {
  if (rows.every((row) => row.feeMicros === 0)) return { rate: null, residualMicros: 0 };
  const largest = rows.reduce((most, row) => (row.feeMicros > most.feeMicros ? row : most));
  let best = { rate: 0, residualMicros: Number.POSITIVE_INFINITY };
  for (const base of largest.bases) {
    // Fees are rounded up, so a fee before rounding is half a millionth lower on average.
    const rate = (largest.feeMicros - 0.5) / base;
    const residualMicros = Math.max(...rows.map((row) => distance(row, rate)));
    if (residualMicros < best.residualMicros) best = { rate, residualMicros };
  }
  return best;
}

const distance = ({ feeMicros: fee, bases }: Charged, rate: number): number =>
  Math.min(...bases.map((base) => Math.abs(fee - rate * base)));
