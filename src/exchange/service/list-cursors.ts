/**
 * Cursors that belong to one list. Many lists go on by a number under the same key, so which list a cursor is of lies in
 * the number itself, above all positions: a cursor of another list is refused instead of showing the wrong rows. A number
 * that names no list is a plain position, as the interface describes it, and is taken by any list of its key.
 */

import {
  type CursorKey,
  decodeCursor,
  decodePlace,
  encodeCursor,
  type SortedPlace,
} from '../../shared/protocol/cursors.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';

/** The index is part of cursors: add new lists at the end. */
const LISTS = [
  'events.list',
  'markets.list',
  'search.list',
  'markets.trades',
  'markets.marginActivity',
  'orders.list',
  'trades.list',
  'merges.list',
  'splits.list',
  'redeems.list',
  'positions.list',
  'settlements.list',
  'requests.list',
] as const satisfies readonly EndpointName[];

/** A list whose cursors no other list accepts. */
export type CursorList = (typeof LISTS)[number];

/** Positions are below it. Sixteen times it is still a safe integer. */
const PER_LIST = 2 ** 48;

const computeBase = (list: CursorList): number => (LISTS.indexOf(list) + 1) * PER_LIST;

/** Position in a cursor's number; null for another list's. */
function positionIn(list: CursorList, number: number): number | null {
  const position = number % PER_LIST;
  const base = number - position;
  return base === 0 || base === computeBase(list) ? position : null;
}

/** Position where this list continues; undefined for its beginning, null for a foreign cursor. */
export function cursorPosition(
  list: CursorList,
  cursor: string | undefined,
  key: CursorKey,
): number | undefined | null {
  if (cursor === undefined) return undefined;
  const number = decodeCursor(cursor, key);
  return number === null ? null : positionIn(list, number);
}

/** Cursor of a list at this position. */
export const cursorAt = (list: CursorList, key: CursorKey, position: number): string =>
  encodeCursor({ [key]: computeBase(list) + position });

/** The same for a list with either order: behind the record of this pubkey. */
export function cursorPlace(list: CursorList, cursor: string | undefined): SortedPlace | undefined | null {
  if (cursor === undefined) return undefined;
  const place = decodePlace(cursor);
  const sortValue = place === null ? null : positionIn(list, place.sortValue);
  return place === null || sortValue === null ? null : { pubkey: place.pubkey, sortValue };
}

/** Cursor of a sorted list behind this record. */
export const cursorBehind = (list: CursorList, { pubkey, sortValue }: SortedPlace): string =>
  encodeCursor({ pubkey, sort_value: computeBase(list) + sortValue });
