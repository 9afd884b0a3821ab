/** Keyset pages over ids that only grow: newest first, everything below `beforeId`. */

import type { Catalog } from '../catalog.js';
import type { Page } from '../contract.js';

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

interface Numbered {
  readonly id: number;
}

/**
 * One page of two lists that both come newest first and hold one more than the page, if there are so many: that is how
 * a next page is known. `toRow` is asked for the rows of the page alone.
 */
export function mergedPage<A extends Numbered, B extends Numbered, T>(
  first: readonly A[],
  second: readonly B[],
  limit: number,
  toRow: (record: A | B) => T,
): Page<T> {
  const merged = [...first, ...second].sort((a, b) => b.id - a.id);
  const shown = merged.slice(0, limit);
  return { rows: shown.map(toRow), nextBeforeId: merged.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

/** The index of the market that a list is asked for; undefined for all, null for one that does not exist. */
export function askedMarket(catalog: Catalog, conditionId: string | undefined): number | undefined | null {
  return conditionId === undefined ? undefined : (catalog.byId(conditionId)?.index ?? null);
}

export const NO_ROWS: Page<never> = { rows: [], nextBeforeId: null };
