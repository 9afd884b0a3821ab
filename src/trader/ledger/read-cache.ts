/**
 * What the one writer knows of its own rows without asking SQLite again. Every entry is what a read would answer: it is
 * put in by a read or by the write that made it so. All of it is dropped when a transaction is rolled back or the ledger
 * breaks, so that nothing is remembered that is not in the file.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { Booked } from './table.js';
import type { BookedConversion, BookedFill, IntentRow, MarketRecord, OrderRecord, PositionRow } from './tables.js';

/** What the single writer has read or written and need not read again; emptied when a transaction is taken back. */
export class ReadCache {
  /** Those that are not final: bounded by what is under way. */
  readonly intents = new Map<string, IntentRow>();
  /** By pubkey; null for one that has no row. */
  readonly orders = new Map<string, OrderRecord | null>();
  /** By account. Three for each outcome that was ever held. */
  readonly balances = new Map<string, Micros>();
  /** By condition id; null for one of which there is no row. */
  readonly markets = new Map<string, MarketRecord | null>();
  readonly notes = new Map<string, string | null>();
  /** Condition ids as the engine has them: a lookup by the very same text does not compare it. */
  readonly marketIds = new Map<string, string>();
  /** By the place after which they were asked for; a round of reconciliation asks several times for the same. */
  readonly fillsAfter = new Map<number, readonly Booked<BookedFill>[]>();
  readonly conversionsAfter = new Map<number, readonly Booked<BookedConversion>[]>();
  positions: readonly PositionRow[] | null = null;

  /** Orders that nobody asks for any more are most of all that there ever were. */
  keepOrder(pubkey: string, order: OrderRecord | null): void {
    if (this.orders.size >= MOST_ORDERS) this.orders.clear();
    this.orders.set(pubkey, order);
  }

  namePosition(row: PositionRow): PositionRow {
    const marketConditionId = this.marketIds.get(row.marketConditionId);
    return marketConditionId === undefined ? row : { ...row, marketConditionId };
  }

  /** It stands behind all that were read. */
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

/** Places from which rows are kept: there are some readers, each with a place of its own. */
const MOST_PLACES = 16;
/** More than rest and are asked about at a time. */
const MOST_ORDERS = 1_000;
/** A history is not kept. */
const MOST_ROWS = 1_000;

/** As `readThrough`, for rows after a place: readers move on, and what lies behind them is forgotten. */
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

/** Whoever has all rows after an earlier place has these. */
function behindEarlier<Row>(known: Map<number, readonly Booked<Row>[]>, seq: number): readonly Booked<Row>[] | null {
  for (const [place, rows] of known) if (place < seq) return rows.filter((row) => row.seq > seq);
  return null;
}

/** The value of this key, read once. */
export function readThrough<K, V>(known: Map<K, V>, key: K, read: () => V): V {
  const value = known.get(key);
  if (value !== undefined) return value;
  const fresh = read();
  known.set(key, fresh);
  return fresh;
}
