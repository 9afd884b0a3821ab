/**
 * Rows known to the single writer without a SQLite read. Every entry equals a read's answer: a read or the write itself
 * adds it. A rollback or a broken ledger clears everything, so no entry differs from the file.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { Booked } from './table.js';
import type { BookedConversion, BookedFill, IntentRow, MarketRecord, OrderRecord, PositionRow } from './tables.js';

/** Rows that the single writer has read or written; cleared by a rollback. */
export class ReadCache {
  /** Intents that are not final: bounded by the number in flight. */
  readonly intents = new Map<string, IntentRow>();
  /** By pubkey; null without a row. */
  readonly orders = new Map<string, OrderRecord | null>();
  /** By account. Three for each outcome that was ever held. */
  readonly balances = new Map<string, Micros>();
  /** By condition id; null without a row. */
  readonly markets = new Map<string, MarketRecord | null>();
  readonly notes = new Map<string, string | null>();
  /** Condition ids as the engine holds them: a lookup by the same string object compares no characters. */
  readonly marketIds = new Map<string, string>();
  /** By the start place of the query; a reconciliation round repeats the same queries. */
  readonly fillsAfter = new Map<number, readonly Booked<BookedFill>[]>();
  readonly conversionsAfter = new Map<number, readonly Booked<BookedConversion>[]>();
  positions: readonly PositionRow[] | null = null;

  /** Most orders are old and never read again. */
  keepOrder(pubkey: string, order: OrderRecord | null): void {
    if (this.orders.size >= MOST_ORDERS) this.orders.clear();
    this.orders.set(pubkey, order);
  }

  namePosition(row: PositionRow): PositionRow {
    const marketConditionId = this.marketIds.get(row.marketConditionId);
    return marketConditionId === undefined ? row : { ...row, marketConditionId };
  }

  /** It comes after all rows that were read. */
  addFill(fill: Booked<BookedFill>): void {
    for (const [seq, rows] of this.fillsAfter) {
      if (rows.length >= MOST_ROWS) this.fillsAfter.delete(seq);
      else if (fill.seq > seq) this.fillsAfter.set(seq, [...rows, fill]);
    }
  }

  drop(): void {
    for (const rows of [this.intents, this.orders, this.balances, this.markets, this.notes]) rows.clear();
    this.fillsAfter.clear();
    this.conversionsAfter.clear();
    this.positions = null;
  }
}

/** Maximum number of start places: each reader has its own. */
const MOST_PLACES = 16;
/** More than rest and are read at a time. */
const MOST_ORDERS = 1_000;
/** Long histories are not cached. */
const MOST_ROWS = 1_000;

/** As `readThrough`, for rows after a place: readers advance, and earlier rows are dropped. */
export function readAfter<Row>(
  known: Map<number, readonly Booked<Row>[]>,
  seq: number,
  read: () => readonly Booked<Row>[],
): readonly Booked<Row>[] {
  const rows = known.get(seq) ?? behindEarlier(known, seq) ?? read();
  if (known.size >= MOST_PLACES && !known.has(seq)) known.clear();
  if (rows.length <= MOST_ROWS) known.set(seq, rows);
  return rows;
}

/** Rows after an earlier cached place include these. */
function behindEarlier<Row>(known: Map<number, readonly Booked<Row>[]>, seq: number): readonly Booked<Row>[] | null {
  for (const [place, rows] of known) if (place < seq) return rows.filter((row) => row.seq > seq);
  return null;
}

/** Value of this key, read once. */
export function readThrough<K, V>(known: Map<K, V>, key: K, read: () => V): V {
  const value = known.get(key);
  if (value !== undefined) return value;
  const fresh = read();
  known.set(key, fresh);
  return fresh;
}
