/**
 * Intents of a ledger of virtual time that are not in its tables yet. An intent changes four times within the seconds that it is
 * under way, and who asks for it meanwhile is answered from memory: its row is written once something refers to it, it is
 * over, or somebody reads the table.
 */

import { type IntentRow, isFinalIntent } from './contract.js';
import type { Database } from './database.js';
import { insertIntent, updateIntent } from './inserts.js';

/** The intents of a ledger of virtual time, as they are now, and which of them have a row that says so. */
export class IntentCache {
  readonly #db: Database;
  /** As they are now, where their row is not that. */
  readonly #unwritten = new Map<string, IntentRow>();
  /** Places of those that have no row yet. */
  readonly #places = new Map<string, number>();
  #newestPlace = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Within a transaction. */
  add(intent: IntentRow): void {
    this.#db.postpone();
    this.#places.set(intent.id, ++this.#newestPlace);
    this.#unwritten.set(intent.id, intent);
  }

  /** Within a transaction. */
  change(intent: IntentRow): void {
    this.#db.postpone();
    this.#unwritten.set(intent.id, intent);
    if (isFinalIntent(intent.state)) this.write(intent.id);
  }

  /** Its row is as the intent is now. Within a transaction. */
  write(id: string): void {
    const intent = this.#unwritten.get(id);
    if (intent === undefined) return;
    this.#unwritten.delete(id);
    const place = this.#places.get(id);
    if (place === undefined) return updateIntent(this.#db, intent);
    this.#places.delete(id);
    insertIntent(this.#db, intent, place);
  }

  /** For whoever reads the table. */
  writeAll(): void {
    if (this.#unwritten.size === 0) return;
    if (!this.#db.isWriting) return this.#db.transaction(() => this.writeAll());
    for (const id of [...this.#unwritten.keys()]) this.write(id);
  }
}
