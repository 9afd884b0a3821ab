/** Figures of a refusal as text. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import type { Breach, Unit } from './intent.js';

/** Micros as a plain decimal; any other number unchanged. */
export function showFigure(value: Micros | number): string {
  // Checked: `formatDecimal` needs a safe integer of millionths.
  return Number.isSafeInteger(value) ? formatDecimal(value as Micros) : String(value);
}

/** `12 shares`, `0.42`, `3 orders`: a figure with its unit. */
export function withUnit(value: number | null, unit: Unit): string {
  if (value === null) return 'missing';
  if (unit === 'price') return showFigure(value);
  if (unit === 'flag') return String(value);
  return unit === 'shares' || unit === 'currency' ? `${showFigure(value)} ${unit}` : `${value} ${unit}`;
}

/** Null when `found` is finite and at most `limit`, else the breach; a limit that is not finite is a breach too. */
export function atMost(what: string, found: number | null | undefined, limit: number, unit: Unit): Breach | null {
  const figure = finite(found);
  if (figure !== null && figure <= limit) return null;
  return breach(what, figure, limit, unit, 'allowed is at most');
}

/** Null when `found` is finite and at least `limit`, else the breach. */
export function atLeast(what: string, found: number | null | undefined, limit: number, unit: Unit): Breach | null {
  const figure = finite(found);
  if (figure !== null && figure >= limit) return null;
  return breach(what, figure, limit, unit, 'needed is at least');
}

const finite = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const breach = (what: string, found: number | null, limit: number, unit: Unit, word: string): Breach => ({
  limit,
  found,
  unit,
  text: `${what} is ${withUnit(found, unit)}, ${word} ${withUnit(limit, unit)}`,
});
