/**
 * Money, prices and share amounts as integers in millionths of a unit, so that no fraction of money is ever a float.
 * Every inexact operation has a rounding parameter. A result that a double cannot hold exactly throws a RangeError.
 */

const MOST_WHOLE_DIGITS = 16;
const MOST_PLACES = 24;
const PLACES = 6;

const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_ZERO = 0x30;

/**
 * Parses a plain decimal such as `12`, `0.42` or `-3.5000000` (digits after the sixth decimal must be zeros). Returns
 * null for any other text, and for a value whose millionths are not a safe integer.
 */
export function parseDecimal(text: string): Micros | null {
  // The parser reads digit by digit for speed, because it parses every number in answers and recordings.
  const isNegative = text.charCodeAt(0) === MINUS;
  const { length } = text;
  let at = isNegative ? 1 : 0;
  const wholeAt = at;
  let whole = 0;
  for (let digit = digitAt(text, at); digit >= 0; digit = digitAt(text, ++at)) whole = whole * 10 + digit;
  if (at === wholeAt || at - wholeAt > MOST_WHOLE_DIGITS) return null;
  let fraction = 0;
  let places = 0;
  if (at < length) {
    if (text.charCodeAt(at) !== POINT) return null;
    for (let digit = digitAt(text, ++at); digit >= 0; digit = digitAt(text, ++at)) {
      if (places < PLACES) fraction = fraction * 10 + digit;
      else if (digit > 0) return null;
      places++;
    }
    if (at < length || places === 0 || places > MOST_PLACES) return null;
  }
  for (; places < PLACES; places++) fraction *= 10;
  const wholeMicros = whole * ONE;
  const value = wholeMicros + fraction;
  if (!Number.isSafeInteger(wholeMicros) || !Number.isSafeInteger(value)) return null;
  return micros(isNegative && value !== 0 ? -value : value);
}

/** Returns the digit at a position; -1 at the end, or for a character that is not a digit. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - DIGIT_ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** Formats Micros as a plain decimal without trailing zeros: 420000 becomes `0.42`, 12000000 becomes `12`. */
export function formatDecimal(value: Micros): string {
  const size = Math.abs(value);
  const whole = Math.floor(size / ONE);
  let rest = size - whole * ONE;
  const sign = value < 0 ? '-' : '';
  if (rest === 0) return `${sign}${whole}`;
  let places = PLACES;
  for (; rest % 10 === 0; places--) rest /= 10;
  return `${sign}${whole}.${String(rest).padStart(places, '0')}`;
}

declare const microsBrand: unique symbol;

/** An integer number of millionths: 420000 is 0.42. Micros are always safe integers: |value| <= 2^53 - 1. */
export type Micros = number & { readonly [microsBrand]: true };

/** One unit of currency, one share, or the price 1, in millionths. */
export const ONE = 1_000_000 as Micros;
export const ZERO = 0 as Micros;

/** `floor` rounds towards minus infinity, `ceil` towards plus infinity. Callers round to the trader's disadvantage. */
export type Rounding = 'floor' | 'ceil';

/** Converts a number to the type Micros. Throws RangeError for a number that is not a safe integer. */
export function micros(value: number): Micros {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer of millionths: ${value}`);
  // The type Micros has no constructor, so the number is cast after the check. Adding 0 turns -0 into 0.
  return (value + 0) as Micros;
}

/** Returns a + b. Throws RangeError beyond 2^53 - 1. */
export const add = (a: Micros, b: Micros): Micros => micros(a + b);

/** Returns a - b. Throws RangeError beyond 2^53 - 1. */
export const sub = (a: Micros, b: Micros): Micros => micros(a - b);

export const complement = (price: Micros): Micros => micros(ONE - price);

/** Returns a * b as Micros (0.5 * 2 = 1), exact except for the given rounding. Throws RangeError on overflow. */
export function mul(a: Micros, b: Micros, rounding: Rounding): Micros {
  const product = a * b;
  if (Number.isSafeInteger(product)) {
    const quotient = Math.floor(product / ONE);
    // The floating-point division may round up to the next integer; the exact product then corrects the quotient.
    const floored = quotient * ONE > product ? quotient - 1 : quotient;
    return micros(rounding === 'ceil' && floored * ONE !== product ? floored + 1 : floored);
  }
  return mulDivBig(BigInt(a), BigInt(b), BigInt(ONE), rounding);
}

/** Returns a * b / c, exact except for the given rounding. Throws RangeError for c = 0 and on overflow. */
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

/** Rounds `value` down (floor) or up (ceil) to a multiple of `step`. */
export function toMultiple(value: Micros, step: Micros, rounding: Rounding): Micros {
  if (step <= 0) throw new RangeError(`step must be positive: ${step}`);
  const rest = ((value % step) + step) % step;
  if (rest === 0) return value;
  return micros(rounding === 'floor' ? value - rest : value - rest + step);
}

export const isMultiple = (value: Micros, step: Micros): boolean => value % step === 0;

/** Returns 10^-precision as Micros, for precision 0 to 6. The result is a market's price tick or share lot. */
export function stepOfPrecision(precision: number): Micros {
  if (!Number.isInteger(precision) || precision < 0 || precision > 6)
    throw new RangeError(`precision must be an integer from 0 to 6, got ${precision}`);
  return micros(10 ** (6 - precision));
}

export const minMicros = (a: Micros, b: Micros): Micros => (a < b ? a : b);
export const maxMicros = (a: Micros, b: Micros): Micros => (a > b ? a : b);
