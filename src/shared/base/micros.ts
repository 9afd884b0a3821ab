/**
 * Money, prices and share amounts: integers in millionths of a unit, so that no float ever holds money. Every inexact
 * operation names its rounding, and a result that a double cannot hold exactly is a RangeError.
 */

declare const microsBrand: unique symbol;

/** An integer count of millionths (0.42 is 420000), always a safe integer: |value| <= 2^53 - 1. */
export type Micros = number & { readonly [microsBrand]: true };

/** One whole unit of currency, one share, or the price 1. */
export const ONE = 1_000_000 as Micros;
export const ZERO = 0 as Micros;

/** `floor` rounds towards minus infinity, `ceil` towards plus infinity. The caller picks the unfavourable one. */
export type Rounding = 'floor' | 'ceil';

/** Brands a number as Micros. Throws RangeError when it is not a safe integer. */
export function micros(value: number): Micros {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer of millionths: ${value}`);
  // The branded type has no constructor; the check above ensures it.
  return (value + 0) as Micros;
}

/** a + b; RangeError beyond 2^53 - 1. */
export const add = (a: Micros, b: Micros): Micros => micros(a + b);

/** a - b; RangeError beyond 2^53 - 1. */
export const sub = (a: Micros, b: Micros): Micros => micros(a - b);

/** The price of the other outcome: 1 - price. */
export const complement = (price: Micros): Micros => micros(ONE - price);

/** a * b as Micros (so 0.5 * 2 = 1), exact but for the named rounding; RangeError when the result does not fit. */
export function mul(a: Micros, b: Micros, rounding: Rounding): Micros {
  const product = a * b;
  if (Number.isSafeInteger(product)) {
    const quotient = Math.floor(product / ONE);
    // Float division may round up across an integer; the remainder decides exactly.
    const floored = quotient * ONE > product ? quotient - 1 : quotient;
    return micros(rounding === 'ceil' && floored * ONE !== product ? floored + 1 : floored);
  }
  return mulDivBig(BigInt(a), BigInt(b), BigInt(ONE), rounding);
}

/** a * b / c, exact but for the named rounding; RangeError for c = 0 or when the result does not fit. */
export function mulDiv(a: Micros, b: Micros, c: Micros, rounding: Rounding): Micros {
  if (c === 0) throw new RangeError('division by zero');
  return mulDivBig(BigInt(a), BigInt(b), BigInt(c), rounding);
}

function mulDivBig(a: bigint, b: bigint, c: bigint, rounding: Rounding): Micros {
  const product = c < 0n ? -a * b : a * b;
  const divisor = c < 0n ? -c : c;
  let quotient = product / divisor;
  const remainder = product % divisor;
  if (rounding === 'floor' && remainder < 0n) quotient -= 1n;
  if (rounding === 'ceil' && remainder > 0n) quotient += 1n;
  return micros(Number(quotient > MAX_SAFE || quotient < -MAX_SAFE ? Number.NaN : quotient));
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** The largest multiple of `step` at most `value` (floor), or the smallest at least it (ceil). */
export function toMultiple(value: Micros, step: Micros, rounding: Rounding): Micros {
  if (step <= 0) throw new RangeError(`step must be positive: ${step}`);
  const rest = ((value % step) + step) % step;
  if (rest === 0) return value;
  return micros(rounding === 'floor' ? value - rest : value - rest + step);
}

export const isMultiple = (value: Micros, step: Micros): boolean => value % step === 0;

/** 10^-precision as Micros, for precision 0..6: the tick or lot of a market's precision. */
export function stepOfPrecision(precision: number): Micros {
  if (!Number.isInteger(precision) || precision < 0 || precision > 6) {
    throw new RangeError(`precision must be an integer from 0 to 6, got ${precision}`);
  }
  return micros(10 ** (6 - precision));
}

export const minMicros = (a: Micros, b: Micros): Micros => (a < b ? a : b);
export const maxMicros = (a: Micros, b: Micros): Micros => (a > b ? a : b);
