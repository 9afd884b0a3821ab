/** Sums over markets. */

import { micros } from '../../../shared/base/micros.js';
import type { ResultSplit } from './contract.js';

/** Null only when no market knows it; a market that does not is in `undividedMicros`. */
export function sumSplits(splits: readonly ResultSplit[]): ResultSplit {
  return {
    resultMicros: sum(splits.map((split) => split.resultMicros)),
    spreadMicros: knownSum(splits.filter((split) => !isQuiet(split)).map((split) => split.spreadMicros)),
    driftMicros: knownSum(splits.filter((split) => !isQuiet(split)).map((split) => split.driftMicros)),
    feesMicros: sum(splits.map((split) => split.feesMicros)),
    mergesMicros: sum(splits.map((split) => split.mergesMicros)),
    settlementMicros: knownSum(splits.filter((split) => !isQuiet(split)).map((split) => split.settlementMicros)),
    undividedMicros: sum(splits.map((split) => split.undividedMicros)),
  };
}

/** A market without a fill knows every part, 0, but tells nothing about those that do not. */
const isQuiet = (split: ResultSplit): boolean => Object.values(split).every((part) => part === 0);

/** RangeError beyond what a double holds exactly. */
export const sum = (values: readonly number[]): number => values.reduce((total, value) => micros(total + value), 0);

function knownSum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 && values.length > 0 ? null : sum(known);
}

/** Null as soon as one is not known. */
export const sumIfAll = (values: readonly (number | null)[]): number | null =>
  values.some((value) => value === null) ? null : sum(values.filter((value) => value !== null));

/** Null without a whole. */
export const share = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole === 0 ? null : part / whole;
