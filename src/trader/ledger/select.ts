/** Runs one SELECT query on a ledger, with a read-only connection that cannot open another file. */

import type Sqlite from 'better-sqlite3';
import { TwinbookError } from '../../shared/base/errors.js';
import { SqliteDriver } from '../../shared/base/sqlite-driver.js';

/** Value of one cell in a query's result. */
type SelectedValue = string | number | null;

/** Result of a query. */
export interface Selected {
  readonly columns: readonly string[];
  /** Rows of the query's result. Integers beyond 2^53 are returned as text, and bytes as lower-case hex. */
  readonly rows: readonly (readonly SelectedValue[])[];
  /** True if the query's result has more rows than requested. */
  readonly isCut: boolean;
}

/** First words of the allowed queries. Other statements could write, and ATTACH could open any file. */
const READS = /^\s*(?:(?:--[^\n]*\n|\/\*[\s\S]*?\*\/)\s*)*(?:select|with|values|explain)\b/i;

/** Returns up to `most` rows of one SELECT. Throws `file_unreadable` if there is no ledger, `usage` for other SQL. */
export function selectFromLedger(path: string, sql: string, most: number): Selected {
  const db = openForReading(path);
  try {
    const statement = READS.test(sql) ? db.prepare(sql) : null;
    if (statement === null || !statement.reader || !statement.readonly) {
      const text = 'the query must be one SELECT, because this command only reads the ledger';
      throw new TwinbookError('usage', text, makeHint(db));
    }
    const columns = statement.columns().map(({ name }) => name);
    const rows: (readonly SelectedValue[])[] = [];
    for (const row of statement.safeIntegers(true).raw(true).iterate()) {
      if (rows.length === most) return { columns, rows, isCut: true };
      // In the driver's `raw` mode, each row is an array of SQLite values.
      rows.push((row as readonly unknown[]).map(plainValue));
    }
    return { columns, rows, isCut: false };
  } catch (error) {
    if (error instanceof TwinbookError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new TwinbookError('usage', `the query cannot be run: ${why}`, makeHint(db), { cause: error });
  } finally {
    db.close();
  }
}

function openForReading(path: string): Sqlite.Database {
  try {
    return new SqliteDriver(path, { readonly: true, fileMustExist: true });
  } catch (cause) {
    const hint = 'The first `twinbook start` creates it. After a start, check its path and the access to its folder.';
    throw new TwinbookError('file_unreadable', `there is no ledger at ${path}`, hint, { cause });
  }
}

function plainValue(value: unknown): SelectedValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Buffer.isBuffer(value)) return value.toString('hex');
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}

function makeHint(db: Sqlite.Database): string {
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).pluck().all();
  return `The tables are ${tables.join(', ')}. This query shows their columns: select sql from sqlite_schema`;
}
