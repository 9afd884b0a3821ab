/** Sums over markets. */

import { micros } from '../../../shared/base/micros.js';

/**
 * result = spread + drift - fees + merges + settlement + undivided, to the micro.
 *
 * - spread: at each fill, shares times the distance of its price from the middle.
 * - drift: what held shares won or lost while the middle moved, until they were given up or the market closed. Rounding
 *   the parts to whole micros leaves at most 4 micros a market, which are in here.
 * - fees: paid, as a positive number.
 * - merges: currency for complete sets beyond their value, 0 but for rounding.
 * - settlement: from the last middle to the outcome, of what was still held.
 * - undivided: what cannot be told apart because the middle is not known for it.
 */
export interface ResultSplit {
  readonly resultMicros: number;
  /** Spread and drift are null when no fill's mid is known, settlement when no settled part has one. */
  readonly spreadMicros: number | null;
  readonly driftMicros: number | null;
  readonly feesMicros: number;
  readonly mergesMicros: number;
  readonly settlementMicros: number | null;
  readonly undividedMicros: number;
}

/** Null only when unknown for every market; a market without it is in `undividedMicros`. */
export function sumSplits(splits: readonly ResultSplit[]): ResultSplit {
  // A market without a fill knows every part (0), but says nothing about others.
  const traded = splits.filter((split) => Object.values(split).some((part) => part !== 0));
  return {
    resultMicros: sum(splits.map((split) => split.resultMicros)),
    spreadMicros: knownSum(traded.map((split) => split.spreadMicros)),
    driftMicros: knownSum(traded.map((split) => split.driftMicros)),
    feesMicros: sum(splits.map((split) => split.feesMicros)),
    mergesMicros: sum(splits.map((split) => split.mergesMicros)),
    settlementMicros: knownSum(traded.map((split) => split.settlementMicros)),
    undividedMicros: sum(splits.map((split) => split.undividedMicros)),
  };
}

/** RangeError beyond exact doubles. */
export const sum = (values: readonly number[]): number => values.reduce((total, value) => micros(total + value), 0);

function knownSum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 && values.length > 0 ? null : sum(known);
}

/** Null as soon as one is unknown. */
export const sumIfAll = (values: readonly (number | null)[]): number | null =>
  values.some((value) => value === null) ? null : sum(values.filter((value) => value !== null));

/** Null without a whole. */
export const share = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole === 0 ? null : part / whole;
