/** Decimal strings in and out of Micros, without a float in between. */

import { type Micros, micros, ONE } from './micros.js';

const DECIMAL = /^(-?)(\d{1,16})(?:\.(\d{1,24}))?$/;

/**
 * Reads a plain decimal such as `12`, `0.42` or `-3.5000000` (digits past the sixth must be zeros).
 * Returns null for anything else: signs other than a leading minus, exponents, blanks, more precision, or a size that
 * does not fit into a safe integer of millionths.
 */
export function parseDecimal(text: string): Micros | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  if (fraction.length > 6 && /[1-9]/.test(fraction.slice(6))) return null;
  const wholeMicros = Number(whole) * ONE;
  const value = wholeMicros + Number(fraction.slice(0, 6).padEnd(6, '0'));
  if (!Number.isSafeInteger(wholeMicros) || !Number.isSafeInteger(value)) return null;
  return micros(sign === '-' && value !== 0 ? -value : value);
}

/** Writes Micros as a plain decimal without trailing zeros: 420000 is `0.42`, 12000000 is `12`. */
export function formatDecimal(value: Micros): string {
  const size = Math.abs(value);
  const whole = Math.floor(size / ONE);
  const rest = size - whole * ONE;
  const sign = value < 0 ? '-' : '';
  if (rest === 0) return `${sign}${whole}`;
  return `${sign}${whole}.${String(rest).padStart(6, '0').replace(/0+$/, '')}`;
}
