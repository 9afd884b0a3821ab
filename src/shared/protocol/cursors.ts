/** Cursors of lists. A list's page cursor is unpadded base64url JSON, which clients must not interpret. */

/** Key of the number in a cursor. The number is the id of the last row, or an offset into a list. */
export type CursorKey = 'before_id' | 'o' | 'e_offset' | 'm_offset';

/** Encodes a position such as `{ before_id: 17 }` as a cursor. */
export function encodeCursor(position: Readonly<Record<string, number | string>>): string {
  return Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
}

/** Returns the non-negative integer under `key`; null for a cursor that `encodeCursor` did not make for this key. */
export const decodeCursor = (cursor: string, key: CursorKey): number | null => integer(decodeFields(cursor)?.get(key));

/** Position in a sorted list, right after the record with this pubkey. */
export interface SortedPlace {
  readonly pubkey: string;
  readonly sortValue: number;
}

/** Returns the position of a cursor `{pubkey, sort_value}`; null for any other cursor. */
export function decodePlace(cursor: string): SortedPlace | null {
  const fields = decodeFields(cursor);
  const pubkey = fields?.get('pubkey');
  const sortValue = integer(fields?.get('sort_value'));
  return typeof pubkey === 'string' && sortValue !== null ? { pubkey, sortValue } : null;
}

const integer = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** Returns the fields of a cursor; null for a text that `encodeCursor` did not make. */
function decodeFields(cursor: string): ReadonlyMap<string, unknown> | null {
  if (cursor.length === 0 || cursor.length > 256 || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return typeof position === 'object' && position !== null ? new Map(Object.entries(position)) : null;
  } catch {
    return null; // The text is not JSON.
  }
}
