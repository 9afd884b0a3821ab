import { type Micros, micros, mul, ONE } from '../base/micros.js';

/** Outcome of a market. True: YES paid 1. False: NO paid 1. Number: value of a YES share, 0 to 1. */
export type MarketOutcome = boolean | number;

/** Value of a share of a void market, unless the venue reports a different value. */
export const VOID_OUTCOME = 0.5;

/** Returns the value of a YES share in Micros. */
export const yesValue = (outcome: MarketOutcome): Micros => micros(Math.round(Number(outcome) * ONE));

/** Returns the value of `yes` YES shares and `no` NO shares in Micros, rounded down. */
export const settledValue = (outcome: MarketOutcome, yes: number, no: number): Micros =>
  // The formula equals yes x value + no x (1 - value), but rounds only once.
  micros(no + mul(micros(yes - no), yesValue(outcome), 'floor'));

/** Rounding of the payments for YES and NO, micros: each is rounded down. */
const ROUNDING = 2;

/** Returns true if some outcome pays `paid`: a complete set always pays 1, and any other share 0 to 1. */
export const isPossiblePayment = (paid: number, yes: number, no: number): boolean =>
  paid >= Math.max(0, Math.min(yes, no) - ROUNDING) && paid <= Math.max(yes, no);

/** Returns the outcome in which a YES share has a given value; null for a value outside 0 to 1. */
export function outcomeOf(value: number): MarketOutcome | null {
  if (!(value >= 0 && value <= 1)) return null;
  const rounded = Math.round(value * ONE) / ONE;
  return rounded === 0 ? false : rounded === 1 ? true : rounded;
}

/** Returns the outcome in which `yes` and `no` shares pay `paid`; null if `paid` does not determine the outcome. */
export function inferOutcome(yes: number, no: number, paid: number): MarketOutcome | null {
  if (yes === no) return null;
  // Venues settle at multiples of 0.0001.
  const outcome = outcomeOf(Math.round(((paid - no) / (yes - no)) * 1e4) / 1e4);
  return outcome !== null && settledValue(outcome, yes, no) === paid ? outcome : null;
}

/** Returns the outcome as text for messages, such as `YES`. */
export function outcomeText(outcome: MarketOutcome | null): string {
  if (typeof outcome === 'number') return `YES pays ${outcome}`;
  return outcome === null ? 'not known' : outcome ? 'YES' : 'NO';
}
