import type Database from 'better-sqlite3';
import { must } from '../../shared/base/errors.js';
import {
  type Archive,
  type Archived,
  type ArchiveQuery,
  accepts,
  type Facets,
  makeArchive,
  type RecordKind,
  type Shelf,
} from '../core/records/archive.js';
import type { Transactions } from './database.js';

interface ArchiveRow extends Pick<Archived, 'id' | 'account' | 'market' | 'pubkey'> {
  readonly kind: number;
  readonly record: string;
}

/**
 * Final records of one kind on disk. A row is written in the transaction of the call that archives it. The column
 * `kind` is a number for a row's combination of state, outcome and side. With indexes by account, market and kind,
 * every filter reads only a few index ranges.
 */
class ArchiveTable implements Shelf {
  readonly #transactions: Transactions;
  /** All combinations of state, outcome and side that occur in the table, in the order of their numbers. */
  readonly #kinds: ArchiveKind[];
  readonly #putKind: Database.Statement<[number, string, number | null, string | null]>;
  readonly #put: Database.Statement<[number, number, number, number, string, string]>;
  readonly #byId: Database.Statement<[number], ArchiveRow>;
  readonly #byPubkey: Database.Statement<[string], ArchiveRow>;
  readonly #dropAbove: Database.Statement<[number]>;
  readonly #drop: Database.Statement<[number]>;
  readonly #newest: ReturnType<typeof prepareIdQueries>;
  readonly #oldest: ReturnType<typeof prepareIdQueries>;

  constructor(db: Database.Database, transactions: Transactions, recordKind: RecordKind) {
    this.#transactions = transactions;
    const table = createTable(db, recordKind);
    const kinds = db.prepare<[], KindRow>(
      `SELECT number, state, is_yes, side FROM kind WHERE shelf = '${recordKind}' ORDER BY number`,
    );
    this.#kinds = kinds.all().map(({ is_yes, ...row }) => ({ ...row, isYes: is_yes === null ? null : is_yes === 1 }));
    this.#putKind = db.prepare(
      `INSERT INTO kind (shelf, number, state, is_yes, side) VALUES ('${recordKind}', ?, ?, ?, ?)`,
    );
    this.#put = db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?)`);
    this.#byId = db.prepare(`SELECT * FROM ${table} WHERE id = ?`);
    // The index on `pubkey` omits empty texts. SQLite uses it only if the query has the condition `pubkey <> ''`.
    this.#byPubkey = db.prepare(`SELECT * FROM ${table} WHERE pubkey = ? AND pubkey <> ''`);
    this.#dropAbove = db.prepare(`DELETE FROM ${table} WHERE id > ?`);
    this.#drop = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
    this.#newest = prepareIdQueries(db, table, 'id < ?', 'id DESC');
    this.#oldest = prepareIdQueries(db, table, 'id > ?', 'id');
  }

  put(row: Archived): void {
    const { id, account, market, pubkey, record } = row;
    this.#transactions.write(() => {
      this.#put.run(id, account, market, this.#assignKind(row), pubkey, JSON.stringify(record));
    });
  }

  /** Returns the number of a row's combination of state, outcome and side; a new combination is stored. */
  #assignKind({ state, isYes, side }: Archived): number {
    const known = this.#kinds.find((kind) => kind.state === state && kind.isYes === isYes && kind.side === side);
    if (known !== undefined) return known.number;
    const number = this.#kinds.length;
    this.#putKind.run(number, state, isYes === null ? null : Number(isYes), side);
    this.#kinds.push({ number, state, isYes, side });
    return number;
  }

  byId(id: number): Archived | null {
    return this.#read(this.#byId.get(id));
  }

  byPubkey(pubkey: string): Archived | null {
    return this.#read(this.#byPubkey.get(pubkey));
  }

  list(query: ArchiveQuery): readonly Archived[] {
    const { account, market, limit, oldestFirst = false } = query;
    const { overall, onMarket } = oldestFirst ? this.#oldest : this.#newest;
    const from = query.from ?? (oldestFirst ? 0 : Number.MAX_SAFE_INTEGER);
    const wanted = { ...query, market: undefined };
    const kinds = this.#kinds.filter((kind) => accepts(wanted, { market: 0, ...kind }));
    const ids = kinds.flatMap(({ number }) =>
      market === undefined
        ? overall.all(account, number, from, limit)
        : onMarket.all(account, market, number, from, limit),
    );
    const first = ids.sort(oldestFirst ? (a, b) => a - b : (a, b) => b - a).slice(0, limit);
    return first.map((id) => must(this.byId(id), `row ${id} of the archive`));
  }

  rewind(lastId: number, live: Iterable<number>): void {
    this.#transactions.write(() => {
      this.#dropAbove.run(lastId);
      for (const id of live) this.#drop.run(id);
    });
  }

  #read(row: ArchiveRow | undefined): Archived | null {
    if (row === undefined) return null;
    const { id, account, market, kind, pubkey, record } = row;
    const { state, isYes, side } = must(this.#kinds[kind], `kind ${kind} of an archived record`);
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

/** Prepares statements that read ids by account and kind, in one market or in all markets, up to a limit. */
function prepareIdQueries(db: Database.Database, table: string, from: string, order: string) {
  const ids = (where: string) =>
    db.prepare(`SELECT id FROM ${table} WHERE ${where} AND ${from} ORDER BY ${order} LIMIT ?`).pluck();
  // With `pluck`, a statement returns plain ids instead of rows; the statement's type does not express this.
  return {
    overall: ids('account = ? AND kind = ?') as Database.Statement<number[], number>,
    onMarket: ids('account = ? AND market = ? AND kind = ?') as Database.Statement<number[], number>,
  };
}

/** A combination of state, outcome and side that occurs in a table, with its number. */
type ArchiveKind = Omit<Facets, 'market'> & { readonly number: number };

type KindRow = Omit<ArchiveKind, 'isYes'> & { readonly is_yes: number | null };

/** Opens the archive of final records in the exchange's file. */
export const openArchive = (db: Database.Database, transactions: Transactions): Archive =>
  makeArchive((recordKind) => new ArchiveTable(db, transactions, recordKind));
