/** The archive on disk: one table for each shelf, in the file and the transactions of the journal. */

import type Database from 'better-sqlite3';
import { type Archive, type Archived, type ArchiveQuery, SHELVES, type Shelf } from '../core/archive.js';
import { ArchiveTable } from './archive-table.js';
import type { Transactions } from './transactions.js';

export class SqliteArchive implements Archive {
  readonly #transactions: Transactions;
  readonly #tables: Readonly<Record<Shelf, ArchiveTable>>;

  constructor(db: Database.Database, transactions: Transactions) {
    this.#transactions = transactions;
    const tables = SHELVES.map((shelf) => [shelf, new ArchiveTable(db, shelf)] as const);
    // A table for each shelf, by the very list of shelves.
    this.#tables = Object.fromEntries(tables) as Record<Shelf, ArchiveTable>;
  }

  put(shelf: Shelf, row: Archived): void {
    this.#transactions.write(() => this.#tables[shelf].put(row));
  }

  byId(shelf: Shelf, id: number): Archived | null {
    return this.#tables[shelf].byId(id);
  }

  byPubkey(shelf: Shelf, pubkey: string): Archived | null {
    return this.#tables[shelf].byPubkey(pubkey);
  }

  list(shelf: Shelf, query: ArchiveQuery): readonly Archived[] {
    return this.#tables[shelf].list(query);
  }

  rewind(shelf: Shelf, lastId: number, live: Iterable<number>): void {
    this.#transactions.write(() => this.#tables[shelf].rewind(lastId, live));
  }
}
