/** Decimal strings in and out of Micros, without a float in between. */

import { type Micros, micros, ONE } from './micros.js';

const MOST_WHOLE_DIGITS = 16;
const MOST_PLACES = 24;
/** Places of a millionth. */
const PLACES = 6;

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

/**
 * Reads a plain decimal such as `12`, `0.42` or `-3.5000000` (digits past the sixth must be zeros). Null for anything
 * else, and for a size beyond a safe integer of millionths.
 */
export function parseDecimal(text: string): Micros | null {
  // Digit by digit: this reads every number of every answer and every recording.
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

/** -1 for a character that is not a digit, and at the end. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** Writes Micros as a plain decimal without trailing zeros: 420000 is `0.42`, 12000000 is `12`. */
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
