/**
 * The archive on disk: one table for each kind of record, in the file of the journal. New rows are written in the
 * transaction of the call that archives them.
 */

import type Database from 'better-sqlite3';
import { must } from '../../shared/base/errors.js';
import {
  type Archive,
  type Archived,
  type ArchiveQuery,
  accepts,
  type Facets,
  RECORD_KINDS,
  type RecordKind,
} from '../core/records/archive.js';
import type { Transactions } from './database.js';

interface ArchiveRow {
  readonly id: number;
  readonly account: number;
  readonly market: number;
  readonly kind: number;
  readonly pubkey: string;
  readonly record: string;
}

interface IdQueries {
  readonly overall: Database.Statement<[account: number, kind: number, from: number, limit: number], number>;
  readonly onMarket: Database.Statement<
    [account: number, market: number, kind: number, from: number, limit: number],
    number
  >;
}

/**
 * Final records of one kind on disk. A number, the column `kind`, stands for a row's state, outcome and side. With
 * indexes by account, market and kind, every filter reads only a few index ranges.
 */
class ArchiveTable {
  readonly #kinds: Kinds;
  readonly #put: Database.Statement<[number, number, number, number, string, string]>;
  readonly #byId: Database.Statement<[number], ArchiveRow>;
  readonly #byPubkey: Database.Statement<[string], ArchiveRow>;
  readonly #dropAbove: Database.Statement<[number]>;
  readonly #drop: Database.Statement<[number]>;
  readonly #newest: IdQueries;
  readonly #oldest: IdQueries;

  constructor(db: Database.Database, recordKind: RecordKind) {
    const table = createTable(db, recordKind);
    this.#kinds = new Kinds(db, recordKind);
    this.#put = db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?)`);
    this.#byId = db.prepare(`SELECT * FROM ${table} WHERE id = ?`);
    // The index on `pubkey` omits rows with an empty `pubkey`. SQLite uses the index only with the second condition.
    this.#byPubkey = db.prepare(`SELECT * FROM ${table} WHERE pubkey = ? AND pubkey <> ''`);
    this.#dropAbove = db.prepare(`DELETE FROM ${table} WHERE id > ?`);
    this.#drop = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
    this.#newest = prepareIdQueries(db, table, 'id < ?', 'id DESC');
    this.#oldest = prepareIdQueries(db, table, 'id > ?', 'id');
  }

  put(row: Archived): void {
    const { id, account, market, pubkey, record } = row;
    this.#put.run(id, account, market, this.#kinds.assignNumber(row), pubkey, JSON.stringify(record));
  }

  byId(id: number): Archived | null {
    return this.#read(this.#byId.get(id));
  }

  byPubkey(pubkey: string): Archived | null {
    return this.#read(this.#byPubkey.get(pubkey));
  }

  list(query: ArchiveQuery): readonly Archived[] {
    return this.#ids(query).map((id) => must(this.byId(id), `row ${id} of the archive`));
  }

  #ids(query: ArchiveQuery): readonly number[] {
    const { account, market, limit, oldestFirst = false } = query;
    const { overall, onMarket } = oldestFirst ? this.#oldest : this.#newest;
    const from = query.from ?? (oldestFirst ? 0 : Number.MAX_SAFE_INTEGER);
    const wanted = { ...query, market: undefined };
    const kinds = this.#kinds.all.filter((kind) => accepts(wanted, { market: 0, ...kind }));
    const ids = kinds.flatMap(({ number }) =>
      market === undefined
        ? overall.all(account, number, from, limit)
        : onMarket.all(account, market, number, from, limit),
    );
    return ids.sort(oldestFirst ? (a, b) => a - b : (a, b) => b - a).slice(0, limit);
  }

  rewind(lastId: number, live: Iterable<number>): void {
    this.#dropAbove.run(lastId);
    for (const id of live) this.#drop.run(id);
  }

  #read(row: ArchiveRow | undefined): Archived | null {
    if (row === undefined) return null;
    const { id, account, market, kind, pubkey, record } = row;
    const { state, isYes, side } = must(this.#kinds.all[kind], `kind ${kind} of an archived record`);
    return { id, account, market, state, isYes, side, pubkey, record: JSON.parse(record) };
  }
}

function createTable(db: Database.Database, recordKind: RecordKind): string {
  const table = `archived_${recordKind}`;
  db.exec(`
    CREATE TABLE IF NOT EXISTS ${table} (
      id INTEGER PRIMARY KEY, account INTEGER NOT NULL, market INTEGER NOT NULL, kind INTEGER NOT NULL,
      pubkey TEXT NOT NULL, record TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS ${table}_by_kind ON ${table} (account, kind, id);
    CREATE INDEX IF NOT EXISTS ${table}_by_market ON ${table} (account, market, kind, id);
    CREATE UNIQUE INDEX IF NOT EXISTS ${table}_by_pubkey ON ${table} (pubkey) WHERE pubkey <> '';
  `);
  return table;
}

function prepareIdQueries(db: Database.Database, table: string, from: string, order: string): IdQueries {
  const ids = (where: string) =>
    db.prepare(`SELECT id FROM ${table} WHERE ${where} AND ${from} ORDER BY ${order} LIMIT ?`).pluck();
  return {
    // With `pluck`, a statement returns plain ids instead of rows; the statement's type does not express this.
    overall: ids('account = ? AND kind = ?') as IdQueries['overall'],
    onMarket: ids('account = ? AND market = ? AND kind = ?') as IdQueries['onMarket'],
  };
}

/** A combination of state, outcome and side that occurs in a table, with its number. */
interface ArchiveKind extends Omit<Facets, 'market'> {
  readonly number: number;
}

interface KindRow extends Omit<ArchiveKind, 'isYes'> {
  readonly is_yes: number | null;
}

class Kinds {
  readonly #recordKind: RecordKind;
  readonly #insert: Database.Statement<[string, number, string, number | null, string | null]>;
  /** All combinations of state, outcome and side, in the order of their numbers. */
  readonly all: ArchiveKind[];

  /** Reads the stored combinations of state, outcome and side. The table `kind` must already exist. */
  constructor(db: Database.Database, recordKind: RecordKind) {
    this.#recordKind = recordKind;
    this.#insert = db.prepare('INSERT INTO kind (shelf, number, state, is_yes, side) VALUES (?, ?, ?, ?, ?)');
    const rows = db
      .prepare<[string], KindRow>('SELECT number, state, is_yes, side FROM kind WHERE shelf = ? ORDER BY number')
      .all(recordKind);
    this.all = rows.map(({ is_yes, ...row }) => ({ ...row, isYes: is_yes === null ? null : is_yes === 1 }));
  }

  /** Returns the number of a row's combination of state, outcome and side; a new combination is stored. */
  assignNumber({ state, isYes, side }: Omit<Facets, 'market'>): number {
    const known = this.all.find((kind) => kind.state === state && kind.isYes === isYes && kind.side === side);
    if (known !== undefined) return known.number;
    const number = this.all.length;
    this.#insert.run(this.#recordKind, number, state, isYes === null ? null : Number(isYes), side);
    this.all.push({ number, state, isYes, side });
    return number;
  }
}

/** An archive of final records in the exchange's file. */
export class SqliteArchive implements Archive {
  readonly #transactions: Transactions;
  readonly #tables: Readonly<Record<RecordKind, ArchiveTable>>;

  constructor(db: Database.Database, transactions: Transactions) {
    this.#transactions = transactions;
    const tables = RECORD_KINDS.map((recordKind) => [recordKind, new ArchiveTable(db, recordKind)] as const);
    // There is one table for each kind of record.
    this.#tables = Object.fromEntries(tables) as Record<RecordKind, ArchiveTable>;
  }

  put(recordKind: RecordKind, row: Archived): void {
    this.#transactions.write(() => this.#tables[recordKind].put(row));
  }

  byId(recordKind: RecordKind, id: number): Archived | null {
    return this.#tables[recordKind].byId(id);
  }

  byPubkey(recordKind: RecordKind, pubkey: string): Archived | null {
    return this.#tables[recordKind].byPubkey(pubkey);
  }

  list(recordKind: RecordKind, query: ArchiveQuery): readonly Archived[] {
    return this.#tables[recordKind].list(query);
  }

  rewind(recordKind: RecordKind, lastId: number, live: Iterable<number>): void {
    this.#transactions.write(() => this.#tables[recordKind].rewind(lastId, live));
  }
}
