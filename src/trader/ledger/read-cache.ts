/**
 * Caches rows that the single writer has read or written. A rollback or a broken ledger clears the cache, so no entry
 * differs from the file.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { Booked } from './table.js';
import type { BookedConversion, BookedFill, IntentRow, MarketRecord, OrderRecord, PositionRow } from './tables.js';

/** Rows that the single writer has read or written; a rollback clears them. */
export class ReadCache {
  /** Intents that are not final: bounded by the number in flight. */
  readonly intents = new Map<string, IntentRow>();
  /** Orders by pubkey; null when there is no row. */
  readonly orders = new Map<string, OrderRecord | null>();
  /** Balances by account; three accounts per outcome ever held. */
  readonly balances = new Map<string, Micros>();
  /** Markets by condition id; null when there is no row. */
  readonly markets = new Map<string, MarketRecord | null>();
  readonly notes = new Map<string, string | null>();
  /** Condition ids as the engine's string objects: comparing identical objects reads no characters. */
  readonly marketIds = new Map<string, string>();
  /** Fills after a place, by that place; a reconciliation round repeats the same queries. */
  readonly fillsAfter = new Map<number, readonly Booked<BookedFill>[]>();
  readonly conversionsAfter = new Map<number, readonly Booked<BookedConversion>[]>();
  positions: readonly PositionRow[] | null = null;

  /** Caches an order; the cache is cleared when full, because most orders are never read again. */
  keepOrder(pubkey: string, order: OrderRecord | null): void {
    if (this.orders.size >= MOST_ORDERS) this.orders.clear();
    this.orders.set(pubkey, order);
  }

  namePosition(row: PositionRow): PositionRow {
    const marketConditionId = this.marketIds.get(row.marketConditionId);
    return marketConditionId === undefined ? row : { ...row, marketConditionId };
  }

  /** Appends a new fill, which follows all cached rows. */
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

/** Maximum number of cached places: each reader has its own. */
const MOST_PLACES = 16;
/** Maximum number of cached orders, more than rest at a time. */
const MOST_ORDERS = 1_000;
/** Maximum number of rows cached after one place. */
const MOST_ROWS = 1_000;

/** Cached rows after a place. Readers advance, so earlier rows are dropped. */
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

/** Takes the rows from an earlier cached place, which includes them; null without one. */
function behindEarlier<Row>(known: Map<number, readonly Booked<Row>[]>, seq: number): readonly Booked<Row>[] | null {
  for (const [place, rows] of known) if (place < seq) return rows.filter((row) => row.seq > seq);
  return null;
}

/** Cached value of a key, read at the first use. */
export function readThrough<K, V>(known: Map<K, V>, key: K, read: () => V): V {
  const value = known.get(key);
  if (value !== undefined) return value;
  const fresh = read();
  known.set(key, fresh);
  return fresh;
}
