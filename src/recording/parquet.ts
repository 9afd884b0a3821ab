/** Reads a Polymarket parquet file through DuckDB, which is only loaded when such a file is opened. */

import { access, constants } from 'node:fs/promises';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { TwinbookError } from '../shared/base/errors.js';
import { EARLIEST_MS, LATEST_MS } from './importers/clock-regression.js';
import { loadDuckDb } from './store/duckdb.js';

const COLUMNS = ['price', 'size', 'best_bid', 'best_ask', 'side', 'event_type', 'asset_id'] as const;
/** What a row must be, each with the words that tell how many are not. A comparison with nothing is not true. */
const SOUND: Readonly<Record<string, string>> = {
  [`no time between 2000 and 2100 (a moment, or a number of Unix ms)`]: `time_ms BETWEEN ${EARLIEST_MS} AND ${LATEST_MS}`,
  'a price that is no whole thousandth between 0 and 1':
    'price_micros > 0 AND price_micros < 1000000 AND price_micros % 1000 = 0',
  'no size of zero or more': `amount_micros BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} AND (is_level OR amount_micros > 0)`,
  'an event_type other than PRICE_CHANGE and LAST_TRADE': '(is_level OR is_trade)',
  'a side other than BID and ASK': '(is_bid OR is_ask)',
  'no asset_id of letters and digits': "regexp_full_match(asset_id, '[0-9A-Za-z_.:-]{1,200}')",
};

/** Rows of the view `events` that have everything a reader needs. */
export const ROW_IS_SOUND = `((${Object.values(SOUND).join(') AND (')})) IS TRUE`;

/** How many rows of the view `events` are not sound, and why; null when all are. A row may have several faults. */
export async function brokenRows(connection: DuckDBConnection): Promise<string | null> {
  const counts = Object.values(SOUND).map((sound) => `(count(*) FILTER (WHERE ((${sound}) IS NOT TRUE)))::DOUBLE`);
  const [count = 0, ...faults] = (
    await fetchChunks(
      connection,
      `SELECT count(*)::DOUBLE, ${counts.join(', ')} FROM events WHERE NOT (${ROW_IS_SOUND})`,
    )
  ).flatMap((chunk) => chunk.getRows().flat().map(Number));
  if (count === 0) return null;
  const reasons = Object.keys(SOUND).flatMap((name, at) => ((faults[at] ?? 0) > 0 ? `${faults[at]} with ${name}` : []));
  return `${count} broken rows were skipped: ${reasons.join(', ')}`;
}

/**
 * A connection with the view `events` over the file: `file_row_number` (its order), `time_ms`, `price_micros`,
 * `amount_micros`, `best_bid_micros`, `best_ask_micros`, `is_level`, `is_trade`, `is_bid`, `is_ask`, `asset_id`; every number a double.
 * Throws TwinbookError `recording_invalid` when the file is not such a recording.
 */
export async function openParquet(path: string): Promise<DuckDBConnection> {
  await access(path, constants.R_OK).catch((error: Error) => {
    throw new TwinbookError(
      'file_unreadable',
      `cannot read ${path}: ${error.message}`,
      '`twinbook data verify` says what is wrong with a recording.',
    );
  });
  const { DuckDBInstance } = await loadDuckDb();
  // One thread: two cores are shared with the exchange. No extension is ever fetched.
  const options = { threads: '1', autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };
  const connection = await (await DuckDBInstance.create(':memory:', options)).connect();
  const file = `read_parquet('${path.replaceAll("'", "''")}', file_row_number = true)`;
  try {
    const time = await timeColumn(connection, file);
    await connection.run(`CREATE TEMP VIEW events AS SELECT file_row_number, ${time} AS time_ms,
      ${['price', 'best_bid', 'best_ask'].map((name) => `${micros(name)} AS ${name}_micros`).join(', ')},
      ${micros('size')} AS amount_micros,
      event_type = 'PRICE_CHANGE' AS is_level, event_type = 'LAST_TRADE' AS is_trade,
      side = 'BID' AS is_bid, side = 'ASK' AS is_ask, asset_id::VARCHAR AS asset_id FROM ${file}`);
    return connection;
  } catch (error) {
    connection.closeSync();
    // The lines after the first are our SQL.
    const [reason = ''] = (error as Error).message.split('\n');
    throw new TwinbookError(
      'recording_invalid',
      `${path} is not a Polymarket recording: ${reason}`,
      'give a parquet file with price changes and trades of tokens',
      { cause: error },
    );
  }
}

/** The time of a row as SQL. Throws an Error that says which columns are missing or of another type. */
async function timeColumn(connection: DuckDBConnection, file: string): Promise<string> {
  const about = await fetchChunks(connection, `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${file})`);
  const [names, types] = [readTexts(about, 0), readTexts(about, 1)];
  const missing: string[] = COLUMNS.filter((column) => !names.includes(column));
  const at = names.findIndex((name) => name === 'timestamp' || name === 'ts_ms');
  if (at < 0) missing.unshift('timestamp');
  if (missing.length > 0) {
    const there = names.filter((name) => name !== 'file_row_number');
    throw new Error(`it has no column ${missing.join(', ')}; its columns are ${there.join(', ')}`);
  }
  const [name = '', type = ''] = [names[at], types[at]];
  if (type.startsWith('TIMESTAMP')) return `epoch_ms("${name}")::DOUBLE`;
  if (type === 'VARCHAR' || type === 'DATE' || type === 'BOOLEAN') {
    throw new Error(`its column ${name} is of the type ${type}; wanted a timestamp or a number of Unix ms`);
  }
  return `floor("${name}"::DOUBLE)`;
}

/** Whatever is no number becomes NULL, which is not sound. */
const micros = (column: string): string => `round(TRY_CAST(${column} AS DOUBLE) * 1e6)`;

/** The whole answer of a small query. Throws what DuckDB says. */
export async function fetchChunks(connection: DuckDBConnection, sql: string): Promise<readonly DuckDBDataChunk[]> {
  return (await connection.run(sql)).fetchAllChunks();
}

export async function countRows(connection: DuckDBConnection, from: string): Promise<number> {
  return readNumbers(await fetchChunks(connection, `SELECT count(*)::DOUBLE ${from}`), 0)[0] ?? 0;
}

/** A column that the query made a number or a count. */
export function readNumbers(chunks: readonly DuckDBDataChunk[], column: number): number[] {
  return chunks.flatMap((chunk) => chunk.getColumnValues(column).map((value) => Number(value)));
}

export function readTexts(chunks: readonly DuckDBDataChunk[], column: number): string[] {
  return chunks.flatMap((chunk) => chunk.getColumnValues(column).map((value) => String(value)));
}
