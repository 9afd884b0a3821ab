/**
 * Reads of typed arrays on the hot path. One function per array type keeps each call site monomorphic, and inlining makes
 * it a plain load. The casts: an index inside the array always holds a number; callers stay inside by construction.
 */

export const f64 = (cells: Float64Array, index: number): number => cells[index] as number;
/** Reads one cell; the caller keeps the index inside the array. */
export const i32 = (cells: Int32Array, index: number): number => cells[index] as number;
/** Reads one cell; the caller keeps the index inside the array. */
export const u8 = (cells: Uint8Array, index: number): number => cells[index] as number;

/** A larger copy of the column; values keep their places. */
export function widenF64(cells: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(size);
  wider.set(cells);
  return wider;
}

/** A larger copy of the column; values keep their places. */
export function widenI32(cells: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(size);
  wider.set(cells);
  return wider;
}

/** A larger copy of the column; values keep their places. */
export function widenU8(cells: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const wider = new Uint8Array(size);
  wider.set(cells);
  return wider;
}

/** Cells as a sparse list `[index, value, …]` of the non-zero ones, for snapshots. */
export function sparse(cells: Float64Array | Int32Array | Uint8Array): number[] {
  const pairs: number[] = [];
  for (let i = 0; i < cells.length; i++) {
    const value = cells[i] ?? 0;
    if (value !== 0) pairs.push(i, value);
  }
  return pairs;
}

/** Restores such a list; the cells must be zero before. */
export function fillSparse(cells: Float64Array | Int32Array | Uint8Array, pairs: readonly number[]): void {
  for (let i = 0; i < pairs.length; i += 2) cells[pairs[i] ?? 0] = pairs[i + 1] ?? 0;
}
