/**
 * One month of what left a ledger: intents and orders as their rows were, in a SQLite file of its own. A row is written once and
 * never changed; writing it again changes nothing. On its disk first, out of the ledger then: whatever ends in between, every row is in one
 * of the two, and what is in both is the same.
 */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { TwinbookError } from '../../../shared/base/errors.js';
import { makeFolder, syncFolder } from '../../../shared/base/folder.js';
import { makePrivateFile } from '../../../shared/base/private.js';
import { SqliteDriver } from '../../../shared/base/sqlite-driver.js';
import type { SqlValue } from '../database.js';
import type { IntentColumns, OrderColumns } from '../rows.js';

/** 'TWBA'. */
const APPLICATION_ID = 0x54574241;
const VERSION = 1;
const BUSY_MS = 5_000;
const NAME = /^\d{4}-\d{2}\.sqlite$/;

const INTENT_COLUMNS =
  `seq, id, run_id, kind, market, is_yes, side, price, amount, redeem_yes, redeem_no, order_pubkey, fee_rate,
  strategy, reason, state, draft_pubkey, message, expires_at_s, signature, submit_count, created_ms, updated_ms, last_reason,
  config_hash`.split(/,\s*/);
const ORDER_COLUMNS =
  `seq, pubkey, intent_id, market, is_yes, side, price, amount, filled, booked, failed, status, created_ms,
  closed_ms`.split(/,\s*/);

/** What a row says is not looked at here: the ledger's own tables have. */
const columns = (names: readonly string[], key: string): string =>
  names.map((name) => (name === key ? `${name} TEXT PRIMARY KEY` : `${name} ANY`)).join(', ');

const SCHEMA = `
CREATE TABLE meta (ledger TEXT NOT NULL) STRICT;
CREATE TABLE intents (${columns(INTENT_COLUMNS, 'id')}) STRICT;
CREATE INDEX intents_market ON intents (market, seq);
CREATE TABLE orders (${columns(ORDER_COLUMNS, 'pubkey')}) STRICT;
CREATE INDEX orders_market ON orders (market, seq);
CREATE INDEX orders_intent ON orders (intent_id);
`;

/** A row of an intent, with its place in the ledger. */
export type ArchivedIntent = IntentColumns & { readonly seq: number };
/** A row of an order, with its place in the ledger. */
export type ArchivedOrder = OrderColumns & { readonly seq: number };

/** What leaves together. */
export interface ArchivedRows {
  readonly intents: readonly ArchivedIntent[];
  readonly orders: readonly ArchivedOrder[];
}

/** Where the archives of a ledger lie. */
export const locateArchiveFolder = (ledgerPath: string): string => `${ledgerPath}.archive`;

/** One archive that is there. */
export interface ArchiveListing {
  readonly path: string;
  /** `2026-11`, UTC. */
  readonly month: string;
  readonly bytes: number;
}

/** The archives of a ledger, oldest first; none where there is no folder. */
export function listArchives(ledgerPath: string): readonly ArchiveListing[] {
  const folder = locateArchiveFolder(ledgerPath);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => NAME.test(name)) : [];
  return names.sort().map((name) => {
    const path = join(folder, name);
    return { path, month: name.slice(0, 7), bytes: statSync(path).size };
  });
}

/** The month of a moment, as archives are named. */
export const formatMonth = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 7);

/**
 * Puts rows into the archive of their month, which is made where there is none; returns when they are on the disk. `ledger` is what tells
 * this ledger from every other. Throws TwinbookError `file_unreadable` for an archive of another ledger or program.
 */
export function writeArchive(
  ledgerPath: string,
  month: string,
  ledger: string,
  { intents, orders }: ArchivedRows,
): void {
  const folder = locateArchiveFolder(ledgerPath);
  const path = join(folder, `${month}.sqlite`);
  const isNew = !existsSync(path);
  makeFolder(folder);
  makePrivateFile(path);
  const sqlite = openArchive(path);
  try {
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('fullfsync = ON');
    const write = sqlite.transaction(() => {
      prepareFile(sqlite, path, ledger);
      put(sqlite, 'intents', INTENT_COLUMNS, intents);
      put(sqlite, 'orders', ORDER_COLUMNS, orders);
    });
    write.immediate();
    checkThere(sqlite, path, { intents, orders });
  } finally {
    sqlite.close();
  }
  if (!isNew) return;
  syncFolder(folder);
  syncFolder(dirname(folder));
}

function prepareFile(sqlite: Sqlite.Database, path: string, ledger: string): void {
  if (readVersion(sqlite, 'user_version') === 0) {
    sqlite.exec(SCHEMA);
    sqlite.prepare('INSERT INTO meta VALUES (?)').run(ledger);
    sqlite.pragma(`application_id = ${APPLICATION_ID}`);
    sqlite.pragma(`user_version = ${VERSION}`);
  }
  const owner = sqlite.prepare<[], string>('SELECT ledger FROM meta').pluck().get();
  if (owner !== ledger) throw unusable(path, 'it is of another ledger', 'Move the archive folder of that ledger away.');
}

function put(sqlite: Sqlite.Database, table: string, names: readonly string[], found: readonly object[]): void {
  const values = names.map((name) => `@${name}`).join(', ');
  const insert = sqlite.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values}) ON CONFLICT DO NOTHING`);
  for (const row of found) insert.run(row);
}

/** What was written is read again before anybody removes it elsewhere. */
function checkThere(sqlite: Sqlite.Database, path: string, { intents, orders }: ArchivedRows): void {
  const intent = sqlite.prepare('SELECT 1 FROM intents WHERE id = ? AND market = ?');
  const order = sqlite.prepare('SELECT 1 FROM orders WHERE pubkey = ? AND intent_id = ? AND amount = ?');
  const missing =
    intents.find((row) => intent.get(row.id, row.market) === undefined) ??
    orders.find((row) => order.get(row.pubkey, row.intent_id, row.amount) === undefined);
  if (missing !== undefined) throw unusable(path, 'a row that was written is not in it', 'Look at the disk.');
}

/** Also to be read it is opened for writing: what a kill has left half written is taken back then. Throws TwinbookError `file_unreadable`. */
export function openArchive(path: string): Sqlite.Database {
  try {
    const sqlite = new SqliteDriver(path, { fileMustExist: true, timeout: BUSY_MS });
    const [version, application] = ['user_version', 'application_id'].map((name) => readVersion(sqlite, name));
    if (version === 0 || (version === VERSION && application === APPLICATION_ID)) return sqlite;
    sqlite.close();
    const hint = 'Use the Twinbook that wrote it, or move it away.';
    throw unusable(path, `it is no archive of this version (${version})`, hint);
  } catch (cause) {
    if (cause instanceof TwinbookError) throw cause;
    throw unusable(path, String(cause), 'Move it away if it is damaged: nothing that moved money is in it.');
  }
}

/** The version is 0 before the first rows were whole on the disk. */
const readVersion = (sqlite: Sqlite.Database, name: string): number => Number(sqlite.pragma(name, { simple: true }));

const unusable = (path: string, why: string, hint: string): TwinbookError =>
  new TwinbookError('file_unreadable', `the archive ${path} cannot be used: ${why}`, hint);

const isBegun = (sqlite: Sqlite.Database): boolean => readVersion(sqlite, 'user_version') !== 0;

/** Rows of an open archive; a kill may have come before the first. */
export const countRows = (sqlite: Sqlite.Database, table: 'intents' | 'orders'): number =>
  isBegun(sqlite) ? (sqlite.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0) : 0;

/** The ledger that an open archive is of; null before its first row. */
export const findOwner = (sqlite: Sqlite.Database): string | null =>
  isBegun(sqlite) ? (sqlite.prepare<[], string>('SELECT ledger FROM meta').pluck().get() ?? null) : null;

/**
 * Adds to an open archive what another one of the same ledger and month has beside it; returns whether that was anything. Throws
 * TwinbookError `file_unreadable` for one of another ledger.
 */
export function addRows(sqlite: Sqlite.Database, other: string): boolean {
  sqlite.prepare('ATTACH ? AS other').run(other);
  const owner = sqlite.prepare<[], string>('SELECT ledger FROM other.meta').pluck().get() ?? null;
  if (owner !== findOwner(sqlite)) throw unusable(other, 'it is of another ledger', 'Move it away.');
  const add = (table: string, names: readonly string[]): number =>
    sqlite
      .prepare(
        `INSERT INTO main.${table} (${names.join(', ')}) SELECT ${names.join(', ')} FROM other.${table} WHERE 1 ON CONFLICT DO NOTHING`,
      )
      .run().changes;
  const added = sqlite.transaction(() => add('intents', INTENT_COLUMNS) + add('orders', ORDER_COLUMNS));
  return added.immediate() > 0;
}

/** What a list of an archive is asked for: a WHERE clause with its values, the last of which is the limit. */
export interface ArchiveQuery {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** One archive, to be read. */
export class ArchiveReader {
  readonly #sqlite: Sqlite.Database;
  /** Whether there are any rows; a kill may have come before the first. */
  readonly #isBegun: boolean;

  /** Throws TwinbookError `file_unreadable`. */
  constructor(path: string) {
    this.#sqlite = openArchive(path);
    this.#sqlite.pragma('query_only = ON');
    this.#isBegun = isBegun(this.#sqlite);
  }

  // What was put in had the columns of the ledger's own tables.
  intents({ sql, values }: ArchiveQuery): ArchivedIntent[] {
    return this.#all('intents', sql, values) as ArchivedIntent[];
  }

  orders({ sql, values }: ArchiveQuery): ArchivedOrder[] {
    return this.#all('orders', sql, values) as ArchivedOrder[];
  }

  count(table: 'intents' | 'orders'): number {
    return countRows(this.#sqlite, table);
  }

  close(): void {
    this.#sqlite.close();
  }

  #all(table: string, sql: string, values: readonly SqlValue[]): unknown[] {
    if (!this.#isBegun) return [];
    return this.#sqlite.prepare(`SELECT * FROM ${table}${sql} ORDER BY seq DESC LIMIT ?`).all(...values);
  }
}
