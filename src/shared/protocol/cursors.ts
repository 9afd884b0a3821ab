/** Cursors of lists: unpadded base64url JSON, opaque to the client. */

/** Meaning of the number: a keyset, or a position in a scan. */
export type CursorKey = 'before_id' | 'o' | 'e_offset' | 'm_offset';

/** Encodes a position as a cursor, e.g. `{ before_id: 17 }`. */
export function encodeCursor(position: Readonly<Record<string, number | string>>): string {
  return Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
}

/** The non-negative integer under `key`, or null when the cursor is not one that `encodeCursor` made for this key. */
export const decodeCursor = (cursor: string, key: CursorKey): number | null => integer(decodeFields(cursor)?.get(key));

/** Position in a list with either order: after the record of this pubkey. */
export interface SortedPlace {
  readonly pubkey: string;
  readonly sortValue: number;
}

/** Position in a cursor `{pubkey, sort_value}`; null for another cursor. */
export function decodePlace(cursor: string): SortedPlace | null {
  const fields = decodeFields(cursor);
  const pubkey = fields?.get('pubkey');
  const sortValue = integer(fields?.get('sort_value'));
  return typeof pubkey === 'string' && sortValue !== null ? { pubkey, sortValue } : null;
}

const integer = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** Content of a cursor; null for a foreign one. */
function decodeFields(cursor: string): ReadonlyMap<string, unknown> | null {
  if (cursor.length === 0 || cursor.length > 256 || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return typeof position === 'object' && position !== null ? new Map(Object.entries(position)) : null;
  } catch {
    return null; // Not JSON: a foreign cursor.
  }
}
