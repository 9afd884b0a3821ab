/** Caches of the single writer's rows. A rollback or failed operation clears them, so they equal the file. */

import type { Micros } from '../../shared/base/micros.js';
import type { Database } from './database.js';
import {
  INTENTS,
  type IntentRow,
  isFinalIntent,
  type MarketRecord,
  ORDERS,
  type OrderRecord,
  type PositionRow,
  updateIntent,
  updateOrder,
} from './tables.js';

interface LateTable<Row> {
  /** True if the row will rarely change again. */
  isOver(row: Row): boolean;
  /** Inserts a row at its place among all rows of the table. */
  insert(row: Row, place: number): unknown;
  update(row: Row): void;
}

/** Number of cached rows at which the ended ones are written. Each row takes about a kilobyte. */
const MOST_WAITING = 256;

/**
 * Rows of a backtest's ledger that are not in their table yet. An intent changes four times within seconds, so this
 * saves most writes. A row is written when another row references it, when its table is read, or when many have ended.
 */
class LateRows<Row> {
  readonly #db: Database;
  readonly #table: LateTable<Row>;
  /** Rows that differ from the table, by key. */
  readonly unwritten = new Map<string, Row>();
  /** Places of rows that are not inserted yet, by key. */
  readonly #places = new Map<string, number>();
  #newestPlace = 0;
  #most = MOST_WAITING;

  constructor(db: Database, table: LateTable<Row>) {
    this.#db = db;
    this.#table = table;
  }

  /** Adds a new row. Call it only inside a transaction. */
  add(key: string, row: Row): void {
    if (this.unwritten.size >= this.#most) {
      for (const [each, waiting] of [...this.unwritten]) if (this.#table.isOver(waiting)) this.write(each);
      // The limit doubles, so that scans of all rows stay rare.
      this.#most = Math.max(MOST_WAITING, 2 * this.unwritten.size);
    }
    this.#places.set(key, ++this.#newestPlace);
    this.change(key, row);
  }

  /** Replaces a row. Call it only inside a transaction. */
  change(key: string, row: Row): void {
    this.#db.postpone();
    this.unwritten.set(key, row);
  }

  /** Writes the cached row of a key into the table. Call it only inside a transaction. */
  write(key: string): void {
    const row = this.unwritten.get(key);
    if (row === undefined) return;
    this.unwritten.delete(key);
    const place = this.#places.get(key);
    if (place === undefined) return this.#table.update(row);
    this.#places.delete(key);
    this.#table.insert(row, place);
  }

  /** Writes all cached rows before a read of the table. Call it only inside a transaction. */
  writeAll(): void {
    for (const key of [...this.unwritten.keys()]) this.write(key);
  }
}

/** Cached intents and orders of a backtest's ledger. */
export class WriteCache {
  readonly intents: LateRows<IntentRow>;
  readonly orders: LateRows<OrderRecord>;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    const intents = new LateRows<IntentRow>(db, {
      isOver: ({ state }) => isFinalIntent(state),
      insert: (intent, place) => INTENTS.insert(db, intent, place),
      update: (intent) => updateIntent(db, intent),
    });
    this.intents = intents;
    this.orders = new LateRows<OrderRecord>(db, {
      isOver: ({ closedMs }) => closedMs !== null,
      insert: (order, place) => {
        // The order's row references its intent.
        intents.write(order.intentId);
        ORDERS.insert(db, order, place);
      },
      update: (order) => updateOrder(db, order),
    });
  }

  /** Writes all cached rows, before the tables are read. */
  writeAll(): void {
    if (this.intents.unwritten.size === 0 && this.orders.unwritten.size === 0) return;
    if (!this.#db.isWriting) return this.#db.transaction(() => this.writeAll());
    this.intents.writeAll();
    this.orders.writeAll();
  }
}

/** Rows that the single writer has read or written. A rollback clears them. */
export class ReadCache {
  /** Intents that are not final, by id. */
  readonly intents = new Map<string, IntentRow>();
  /** Orders by pubkey; null if the ledger has no such order. */
  readonly orders = new Map<string, OrderRecord | null>();
  /** Balances by account. Each outcome that was ever held has three accounts. */
  readonly balances = new Map<string, Micros>();
  /** Markets by condition id; null if the ledger has no such market. */
  readonly markets = new Map<string, MarketRecord | null>();
  readonly notes = new Map<string, string | null>();
  positions: readonly PositionRow[] | null = null;

  /** Caches an order. A full cache is cleared, because most orders are never read again. */
  keepOrder(pubkey: string, order: OrderRecord | null): void {
    if (this.orders.size >= MOST_ORDERS) this.orders.clear();
    this.orders.set(pubkey, order);
  }

  drop(): void {
    for (const rows of [this.intents, this.orders, this.balances, this.markets, this.notes]) rows.clear();
    this.positions = null;
  }
}

/** Maximum number of cached orders. It exceeds the number of orders that rest at a time. */
const MOST_ORDERS = 1_000;

/** Returns the cached value of a key, which is read on first use. */
export function readThrough<K, V>(known: Map<K, V>, key: K, read: () => V): V {
  const value = known.get(key);
  if (value !== undefined) return value;
  const fresh = read();
  known.set(key, fresh);
  return fresh;
}
