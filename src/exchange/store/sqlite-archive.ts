/**
 * The archive on disk: one table for each kind of record, in the file of the journal.
 *
 * What was put last is still in memory and goes to disk in one transaction with what came after it: a few times a second,
 * and at the latest with the next snapshot. Nothing is lost by that. Until there is a new snapshot, the old one and the
 * journal say all that these rows say, and a recovery puts them again.
 */

import type Database from 'better-sqlite3';
import {
  type Archive,
  type Archived,
  type ArchiveQuery,
  MemoryArchive,
  RECORD_KINDS,
  type RecordKind,
} from '../core/records/archive.js';
import { ArchiveTable } from './archive-table.js';
import type { Transactions } from './transactions.js';

/** Maximum waiting rows: a few milliseconds of writing. */
const MOST_WAITING = 500;

/** An archive in the exchange's file, with the newest rows still in memory. */
export class SqliteArchive implements Archive {
  readonly #transactions: Transactions;
  readonly #tables: Readonly<Record<RecordKind, ArchiveTable>>;
  #waiting: (readonly [RecordKind, Archived])[] = [];
  /** The same rows, for reads. */
  #fresh = new MemoryArchive();

  constructor(db: Database.Database, transactions: Transactions) {
    this.#transactions = transactions;
    const tables = RECORD_KINDS.map((recordKind) => [recordKind, new ArchiveTable(db, recordKind)] as const);
    // One table per kind of record, by the list of kinds.
    this.#tables = Object.fromEntries(tables) as Record<RecordKind, ArchiveTable>;
  }

  put(recordKind: RecordKind, row: Archived): void {
    this.#fresh.put(recordKind, row);
    this.#waiting.push([recordKind, row]);
    if (this.#waiting.length >= MOST_WAITING) this.flush();
  }

  /** Writes waiting rows. The next commit stores them. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    this.#transactions.write(() => {
      for (const [recordKind, row] of this.#waiting) this.#tables[recordKind].put(row);
    });
    this.#waiting = [];
    this.#fresh = new MemoryArchive();
  }

  byId(recordKind: RecordKind, id: number): Archived | null {
    return this.#fresh.byId(recordKind, id) ?? this.#tables[recordKind].byId(id);
  }

  byPubkey(recordKind: RecordKind, pubkey: string): Archived | null {
    return this.#fresh.byPubkey(recordKind, pubkey) ?? this.#tables[recordKind].byPubkey(pubkey);
  }

  list(recordKind: RecordKind, query: ArchiveQuery): readonly Archived[] {
    const fresh = this.#fresh.list(recordKind, query);
    const stored = this.#tables[recordKind].list(query);
    if (fresh.length === 0) return stored;
    const direction = query.oldestFirst === true ? 1 : -1;
    return [...fresh, ...stored].sort((a, b) => direction * (a.id - b.id)).slice(0, query.limit);
  }

  rewind(recordKind: RecordKind, lastId: number, live: Iterable<number>): void {
    this.flush();
    this.#transactions.write(() => this.#tables[recordKind].rewind(lastId, live));
  }
}
