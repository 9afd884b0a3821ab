/** The complete content of a file: its raw bytes, and unpacked content. */

import { readFileSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { withConnection } from '../../src/recording/store/duckdb.js';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';

const MOST_UNPACKED_BYTES = 2 ** 28;

export interface Reading {
  readonly as: string;
  readonly bytes: Buffer;
}

/** The raw bytes, unpacked too if that is cheap. */
export function plainReadings(path: string): Reading[] {
  const bytes = readFileSync(path);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const inner = isPacked ? unpacked(bytes) : null;
  return [{ as: 'bytes', bytes }, ...(inner === null ? [] : [{ as: 'unpacked', bytes: inner }])];
}

/** Unpacks a file that a kill cut off, as far as possible; null for one that only looks packed. */
function unpacked(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_UNPACKED_BYTES });
  } catch {
    return null;
  }
}

/** Includes rows of databases and Parquet files, which may be packed or split over pages. */
export async function allReadings(path: string): Promise<Reading[]> {
  const plain = plainReadings(path);
  const start = plain[0]?.bytes.toString('latin1', 0, 16) ?? '';
  if (start.startsWith('SQLite format 3')) return [...plain, { as: 'rows', bytes: rowsOfDatabase(path) }];
  if (start.startsWith('PAR1')) return [...plain, { as: 'rows', bytes: await rowsOfParquet(path) }];
  return plain;
}

function rowsOfDatabase(path: string): Buffer {
  const database = new SqliteDriver(path, { readonly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    const rows = tables.map((name) =>
      database
        .prepare(`SELECT * FROM "${String(name)}"`)
        .raw()
        .all(),
    );
    return Buffer.from(rows.map((all) => all.map(rowText).join('\n')).join('\n'));
  } finally {
    database.close();
  }
}

const rowText = (row: unknown): string =>
  (row as readonly unknown[]) // `raw()` returns each row as an array.
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    .join('\t');

async function rowsOfParquet(path: string): Promise<Buffer> {
  const sql = `SELECT * FROM read_parquet('${path.replaceAll("'", "''")}')`;
  const rows = await withConnection(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson());
  return Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
}
