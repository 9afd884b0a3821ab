/**
 * Rows of a ledger of virtual time that are not in its tables yet. An intent changes four times within the seconds that it is
 * under way, its order twice, and who asks for them meanwhile is answered from memory: a row is written once something refers to
 * it, somebody reads the table, or many are over.
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

/** What is written of one table. */
interface LateTable<Row> {
  /** Whether it hardly changes any more. */
  isOver(row: Row): boolean;
  /** `place` is its place among all rows of the table. */
  insert(row: Row, place: number): unknown;
  update(row: Row): void;
}

/** So many rows wait until those of them that are over are written: a kilobyte each. */
const MOST_WAITING = 256;

/** The rows of one table, as they are now, where the table does not say that yet. */
class LateRows<Row> {
  readonly #db: Database;
  readonly #table: LateTable<Row>;
  readonly #unwritten = new Map<string, Row>();
  /** Places of those that have no row yet. */
  readonly #places = new Map<string, number>();
  #newestPlace = 0;
  #most = MOST_WAITING;

  constructor(db: Database, table: LateTable<Row>) {
    this.#db = db;
    this.#table = table;
  }

  /** Undefined where its row says it, or there is none. */
  get(key: string): Row | undefined {
    return this.#unwritten.get(key);
  }

  /** Within a transaction. */
  add(key: string, row: Row): void {
    if (this.#unwritten.size >= this.#most) this.#writeOver();
    this.#places.set(key, ++this.#newestPlace);
    this.change(key, row);
  }

  /** Within a transaction. */
  change(key: string, row: Row): void {
    this.#db.postpone();
    this.#unwritten.set(key, row);
  }

  /** Its row is as it is now. Within a transaction. */
  write(key: string): void {
    const row = this.#unwritten.get(key);
    if (row === undefined) return;
    this.#unwritten.delete(key);
    const place = this.#places.get(key);
    if (place === undefined) return this.#table.update(row);
    this.#places.delete(key);
    this.#table.insert(row, place);
  }

  /** For whoever reads the table. Within a transaction. */
  writeAll(): void {
    for (const key of [...this.#unwritten.keys()]) this.write(key);
  }

  get isEmpty(): boolean {
    return this.#unwritten.size === 0;
  }

  #writeOver(): void {
    for (const [key, row] of [...this.#unwritten]) if (this.#table.isOver(row)) this.write(key);
    // However many are under way, a look at all of them comes once for as many new ones.
    this.#most = Math.max(MOST_WAITING, 2 * this.#unwritten.size);
  }
}

/** Intents and orders of a ledger of virtual time. */
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
        // Its row refers to it.
        intents.write(order.intentId);
        ORDERS.insert(db, order, place);
      },
      update: (order) => updateOrder(db, order),
    });
  }

  /** For whoever reads the tables. */
  writeAll(): void {
    if (this.intents.isEmpty && this.orders.isEmpty) return;
    if (!this.#db.isWriting) return this.#db.transaction(() => this.writeAll());
    this.intents.writeAll();
    this.orders.writeAll();
  }
}
