/**
 * Reads of typed arrays on the hot path. One function per array type keeps each call site monomorphic, and inlining makes
 * it a plain load. The casts: an index inside the array always holds a number; callers stay inside by construction.
 */

export const f64 = (cells: Float64Array, index: number): number => cells[index] as number;
/** As `f64`. */
export const i32 = (cells: Int32Array, index: number): number => cells[index] as number;
/** As `f64`. */
export const u8 = (cells: Uint8Array, index: number): number => cells[index] as number;

type Column = Float64Array | Int32Array | Uint8Array;

/** A larger copy of the column; values keep their places. */
export function widen<C extends Column>(cells: C, size: number): C {
  // Each of these has a constructor of its own kind that takes a length.
  const wider = new (cells.constructor as new (length: number) => C)(size);
  wider.set(cells);
  return wider;
}

/**
 * Cells as a sparse list `[index, value, …]` of the non-zero ones, for snapshots. With a stride only every such cell
 * from `first` on, by row.
 */
export function sparse(cells: Column, stride = 1, first = 0): number[] {
  const pairs: number[] = [];
  for (let row = 0, at = first; at < cells.length; row++, at += stride) {
    const value = cells[at] ?? 0;
    if (value !== 0) pairs.push(row, value);
  }
  return pairs;
}

/** Restores such a list; the cells must be zero before. */
export function fillSparse(cells: Column, pairs: readonly number[], stride = 1, first = 0): void {
  for (let i = 0; i < pairs.length; i += 2) cells[(pairs[i] ?? 0) * stride + first] = pairs[i + 1] ?? 0;
}
