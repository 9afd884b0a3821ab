/**
 * Exact products of an amount with a price or rate, computed with plain numbers, and helpers for typed arrays. Large
 * amounts are split into whole units and a remainder, so that every intermediate value is a safe integer.
 */

import { formatDecimal, type Micros } from '../../shared/base/micros.js';

/** Reads a cell at a valid index, on the hot path. A function for each array type keeps calls monomorphic. */
export const f64 = (cells: Float64Array, index: number): number => cells[index] as number;
/** Reads a cell of an integer array, like `f64`. */
export const i32 = (cells: Int32Array, index: number): number => cells[index] as number;
/** Reads a cell of a byte array, like `f64`. */
export const u8 = (cells: Uint8Array, index: number): number => cells[index] as number;

type NumberColumn = Float64Array | Int32Array | Uint8Array;

/** Returns a larger copy of the column, with all values in the same places. */
export function widen<C extends NumberColumn>(cells: C, size: number): C {
  // The cast is right: the constructor of every typed array takes a length.
  const wider = new (cells.constructor as new (length: number) => C)(size);
  wider.set(cells);
  return wider;
}

/** Lists the non-zero cells among every `stride`-th cell from `first`, as `[row, value, …]` for a snapshot. */
export function sparse(cells: NumberColumn, stride = 1, first = 0): number[] {
  const pairs: number[] = [];
  for (let row = 0, at = first; at < cells.length; row++, at += stride) {
    const value = cells[at] ?? 0;
    if (value !== 0) pairs.push(row, value);
  }
  return pairs;
}

/** Restores cells from a list that `sparse` returned. All cells of the array must be zero before the call. */
export function fillSparse(cells: NumberColumn, pairs: readonly number[], stride = 1, first = 0): void {
  for (let i = 0; i < pairs.length; i += 2) cells[(pairs[i] ?? 0) * stride + first] = pairs[i + 1] ?? 0;
}

const UNIT = 1_000_000;

/** floor(rate × amount), for 0 <= rate <= 1 (micros) and any safe integer amount >= 0. */
export function timesDown(rate: number, amount: number): number {
  const product = rate * amount;
  if (product <= Number.MAX_SAFE_INTEGER) {
    const quotient = Math.floor(product / UNIT);
    // The floating-point division may have rounded up to the next integer.
    return quotient * UNIT > product ? quotient - 1 : quotient;
  }
  let whole = Math.floor(amount / UNIT);
  if (whole * UNIT > amount) whole -= 1;
  return rate * whole + Math.floor((rate * (amount - whole * UNIT)) / UNIT);
}

/** ceil(rate × amount), for the same ranges as `timesDown`. */
export const timesUp = (rate: number, amount: number): number => amount - timesDown(UNIT - rate, amount);

/** Currency that an open buy locks: price × amount plus the fee at `rate` (the higher fee rate), both rounded up. */
export function buyLock(price: number, amount: number, rate: number): number {
  const cost = timesUp(price, amount);
  return rate === 0 ? cost : cost + timesUp(rate, cost);
}

/** Casts a number of the core to `Micros`. The core's limits keep all sums within the safe integers. */
export const asMicros = (value: number): Micros =>
  // The cast is right: all amounts of the core are integers in millionths.
  value as Micros;

/** Formats an amount of the core as a decimal string. */
export const text = (value: number): string => formatDecimal(asMicros(value));
