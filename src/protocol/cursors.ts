/** Cursors of lists: unpadded base64url JSON, opaque to the client. */

/** What numbers mean: a keyset, places in scans, and how many markets a sorted walk is about. */
export type CursorKey = 'before_id' | 'o' | 'e_offset' | 'm_offset' | 'until';

/** The cursor for this position, e.g. `{ before_id: 17 }`. */
export function encodeCursor(position: Readonly<Record<string, number | string>>): string {
  return Buffer.from(JSON.stringify(position), 'utf8').toString('base64url');
}

/** The non-negative integer under `key`, or null when the cursor is not one that `encodeCursor` made for this key. */
export function decodeCursor(cursor: string, key: CursorKey): number | null {
  if (cursor.length === 0 || cursor.length > 256 || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof position !== 'object' || position === null || !Object.hasOwn(position, key)) return null;
    const value: unknown = Object.entries(position).find(([name]) => name === key)?.[1];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
  } catch {
    return null; // not JSON: somebody else's cursor
  }
}
