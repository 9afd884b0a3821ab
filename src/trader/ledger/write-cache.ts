/**
 * Caches rows of a virtual-time ledger that are not in its tables yet. An intent changes four times within seconds, so
 * most writes are saved. A row is written when another row references it, when its table is read, or when many rows
 * have ended.
 */

import type { Database } from './database.js';
import {
  INTENTS,
  type IntentRow,
  isFinalIntent,
  ORDERS,
  type OrderRecord,
  updateIntent,
  updateOrder,
} from './tables.js';

/** Write operations of one table. */
interface LateTable<Row> {
  /** True when the row will rarely change again. */
  isOver(row: Row): boolean;
  /** Inserts a row at its place among all rows of the table. */
  insert(row: Row, place: number): unknown;
  update(row: Row): void;
}

/** Number of cached rows at which the ended ones are written; each takes about a kilobyte. */
const MOST_WAITING = 256;

/** Current rows of one table that are not in it yet. */
class LateRows<Row> {
  readonly #db: Database;
  readonly #table: LateTable<Row>;
  readonly #unwritten = new Map<string, Row>();
  /** Places of rows that are not inserted yet. */
  readonly #places = new Map<string, number>();
  #newestPlace = 0;
  #most = MOST_WAITING;

  constructor(db: Database, table: LateTable<Row>) {
    this.#db = db;
    this.#table = table;
  }

  /** The cached row; undefined when the table is current or has no such row. */
  get(key: string): Row | undefined {
    return this.#unwritten.get(key);
  }

  /** Within a transaction. */
  add(key: string, row: Row): void {
    if (this.#unwritten.size >= this.#most) {
      for (const [each, waiting] of [...this.#unwritten]) if (this.#table.isOver(waiting)) this.write(each);
      // The limit doubles, so that full scans stay rare.
      this.#most = Math.max(MOST_WAITING, 2 * this.#unwritten.size);
    }
    this.#places.set(key, ++this.#newestPlace);
    this.change(key, row);
  }

  /** Within a transaction. */
  change(key: string, row: Row): void {
    this.#db.postpone();
    this.#unwritten.set(key, row);
  }

  /** Writes the cached row of a key into the table. Only inside a transaction. */
  write(key: string): void {
    const row = this.#unwritten.get(key);
    if (row === undefined) return;
    this.#unwritten.delete(key);
    const place = this.#places.get(key);
    if (place === undefined) return this.#table.update(row);
    this.#places.delete(key);
    this.#table.insert(row, place);
  }

  /** Writes all cached rows, before the table is read. Only inside a transaction. */
  writeAll(): void {
    for (const key of [...this.#unwritten.keys()]) this.write(key);
  }

  get isEmpty(): boolean {
    return this.#unwritten.size === 0;
  }
}

/** Cached intents and orders of a virtual-time ledger. */
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
    if (this.intents.isEmpty && this.orders.isEmpty) return;
    if (!this.#db.isWriting) return this.#db.transaction(() => this.writeAll());
    this.intents.writeAll();
    this.orders.writeAll();
  }
}
