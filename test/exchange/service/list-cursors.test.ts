import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CursorList,
  cursorAt,
  cursorBehind,
  cursorPlace,
  cursorPosition,
} from '../../../src/exchange/service/answers.js';
import { encodeCursor } from '../../../src/shared/protocol/cursors.js';

const BY_NUMBER: readonly CursorList[] = [
  ...(['events.list', 'markets.list', 'search.list', 'markets.trades', 'markets.marginActivity'] as const),
  ...(['orders.list', 'trades.list', 'merges.list', 'splits.list', 'redeems.list'] as const),
];
const BY_RECORD: readonly CursorList[] = ['positions.list', 'settlements.list', 'requests.list'];
const KEYS = fc.constantFrom('before_id' as const, 'e_offset' as const, 'm_offset' as const);
/** Safe integers divided by sixteen lists. */
const positions = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe('a cursor', () => {
  it('goes on in its own list, and in no other', () =>
    fc.assert(
      fc.property(fc.constantFrom(...BY_NUMBER), KEYS, positions, (list, key, position) => {
        const cursor = cursorAt(list, key, position);
        expect(Object.keys(JSON.parse(Buffer.from(cursor, 'base64url').toString()))).toEqual([key]);
        for (const other of BY_NUMBER)
          expect(cursorPosition(other, cursor, key)).toBe(other === list ? position : null);
      }),
    ));

  it('behind a record does so too', () =>
    fc.assert(
      fc.property(fc.constantFrom(...BY_RECORD), positions, (list, sortValue) => {
        const place = { pubkey: 'p', sortValue };
        const cursor = cursorBehind(list, place);
        for (const other of BY_RECORD) expect(cursorPlace(other, cursor)).toEqual(other === list ? place : null);
      }),
    ));

  it('that holds a plain position goes on in any list of its key', () => {
    for (const list of BY_NUMBER) {
      expect(cursorPosition(list, encodeCursor({ before_id: 17 }), 'before_id')).toBe(17);
      expect(cursorPosition(list, encodeCursor({ before_id: 17 }), 'e_offset')).toBeNull();
    }
    expect(cursorPlace('positions.list', encodeCursor({ pubkey: 'p', sort_value: 3 }))).toMatchObject({ sortValue: 3 });
  });

  it('that is none is the beginning', () => {
    expect(cursorPosition('orders.list', undefined, 'before_id')).toBeUndefined();
    expect(cursorPlace('positions.list', undefined)).toBeUndefined();
  });
});
