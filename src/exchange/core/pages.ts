/** Keyset pages over ids that only grow: newest first, everything below `beforeId`. */

import type { Page } from './contract.js';

/** How many of the ascending ids lie below `bound`. */
export function countBelow(ids: readonly number[], bound: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The page of the records that `accept` takes; `row` is asked for those of the page alone. */
export function pageOf<R, T>(
  ids: readonly number[],
  query: { readonly limit: number; readonly beforeId?: number | undefined },
  record: (id: number) => R,
  accept: (record: R) => boolean,
  row: (record: R) => T,
): Page<T> {
  const rows: T[] = [];
  let lastId = 0;
  const start = query.beforeId === undefined ? ids.length : countBelow(ids, query.beforeId);
  for (let at = start - 1; at >= 0; at--) {
    const id = ids[at] ?? 0;
    const found = record(id);
    if (!accept(found)) continue;
    // One more than the page holds: there is a next page.
    if (rows.length === query.limit) return { rows, nextBeforeId: lastId };
    rows.push(row(found));
    lastId = id;
  }
  return { rows, nextBeforeId: null };
}
