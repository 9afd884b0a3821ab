import { describe, expect, it } from 'vitest';
import type { OwnTradeRow } from '../../../../src/shared/protocol/records.js';
import type { RequestResult } from '../../../../src/shared/protocol/seam.js';
import { OwnLists } from '../../../../src/trader/engine/own/own-lists.js';
import type { MissingFills } from '../../../../src/trader/executor/executor.js';

const row = (pubkey: string) => ({ pubkey, state: 'done', timestamp: 1_700_000_000 }) as OwnTradeRow;

/** A poll of own trades with these rows. */
const report = (rows: readonly OwnTradeRow[], nextCursor: string | null = null) =>
  ({
    request: { call: { endpoint: 'trades.list', params: {}, query: { limit: 100 }, body: undefined }, latestMs: 0 },
    outcome: { kind: 'answered', data: rows, nextCursor },
    nowMs: 1000,
    sentMs: 900,
    venueTimeMs: null,
  }) as unknown as RequestResult;

/** Own lists over an executor that only counts received trades, and has booked those of `booked`. */
function newLists(booked: Set<string>, missing: readonly MissingFills[]) {
  const shown: number[] = [];
  const looks = { fills: 0 };
  const notes = new Map([['trades_baseline', '-']]);
  const ledger = { note: (key: string) => notes.get(key) ?? null };
  const executor = {
    onOwnTrades: (rows: readonly OwnTradeRow[]) => {
      shown.push(rows.length);
      return { requests: [], events: [] };
    },
    hasBooked: ({ pubkey }: OwnTradeRow) => booked.has(pubkey),
    missingFills: () => missing,
  };
  const reconciler = { advanceClock: () => undefined, onFillsRead: () => looks.fills++ };
  // The used parts of each.
  const lists = new OwnLists(ledger as never, executor as never, reconciler as never);
  return { lists, shown, looks };
}

describe('the list of own trades', () => {
  const rows = [row('b'), row('a')];

  it('looks no more into the very page whose every row is booked, and says all the same that it was read', () => {
    const { lists, shown, looks } = newLists(new Set(['a', 'b']), []);
    for (const page of [rows, rows, rows]) expect(lists.onReport('fills', report(page)).result).toBe('ok');
    expect([shown, looks.fills]).toEqual([[2], 3]);
    lists.onReport('fills', report([...rows]));
    lists.onReport('fills', report(rows, 'more'));
    expect(shown).toEqual([2, 2, 2]);
  });

  it('looks again while a row is not booked or fills are missing', () => {
    const unbooked = newLists(new Set(['a']), []);
    for (const page of [rows, rows]) unbooked.lists.onReport('fills', report(page));
    expect(unbooked.shown).toEqual([2, 2]);
    const missing = newLists(new Set(['a', 'b']), [{ createdMs: 0 } as MissingFills]);
    for (const page of [rows, rows]) missing.lists.onReport('fills', report(page));
    expect(missing.shown).toEqual([2, 2]);
  });
});
