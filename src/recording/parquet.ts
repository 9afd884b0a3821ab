/** Reads a Polymarket parquet file through DuckDB, which is only loaded when such a file is opened. */

import { access, constants } from 'node:fs/promises';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { TwinbookError } from '../base/errors.js';

const COLUMNS = ['price', 'size', 'best_bid', 'best_ask', 'side', 'event_type', 'asset_id'] as const;
/** The venue's time of a row; the set's files call it either way. */
const TIME_COLUMNS: Readonly<Record<string, string>> = {
  timestamp: 'epoch_ms("timestamp")::DOUBLE',
  ts_ms: 'ts_ms::DOUBLE',
};

/** Rows of the view `events` that have everything a reader needs. */
export const ROW_IS_SOUND = `(time_ms > 0 AND price_micros > 0 AND price_micros < 1000000
  AND price_micros % 1000 = 0 AND amount_micros >= 0 AND (is_level OR is_trade) AND (is_bid OR is_ask)
  AND regexp_full_match(asset_id, '[0-9A-Za-z]+')) IS TRUE`;

/**
 * A connection with the view `events` over the file: `file_row_number` (its order), `time_ms`, `price_micros`,
 * `amount_micros`, `best_bid_micros`, `best_ask_micros`, `is_level`, `is_trade`, `is_bid`, `is_ask`, `asset_id`; every number a double.
 * Throws TwinbookError `recording_invalid` when the file is not such a recording.
 */
export async function openParquet(path: string): Promise<DuckDBConnection> {
  await access(path, constants.R_OK).catch((error: Error) => {
    throw new TwinbookError('file_unreadable', `cannot read ${path}: ${error.message}`);
  });
  const { DuckDBInstance } = await import('@duckdb/node-api');
  // One thread: two cores are shared with the exchange. No extension is ever fetched.
  const options = { threads: '1', autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };
  const connection = await (await DuckDBInstance.create(':memory:', options)).connect();
  const file = `read_parquet('${path.replaceAll("'", "''")}', file_row_number = true)`;
  try {
    const names = textsOf(await rowsOf(connection, `SELECT column_name FROM (DESCRIBE SELECT * FROM ${file})`), 0);
    const missing = COLUMNS.filter((column) => !names.includes(column));
    const time = names.map((name) => TIME_COLUMNS[name]).find((column) => column !== undefined);
    if (time === undefined) missing.unshift('timestamp' as (typeof COLUMNS)[number]);
    if (missing.length > 0)
      throw new Error(`it has no column ${missing.join(', ')}; its columns are ${names.join(', ')}`);
    await connection.run(`CREATE TEMP VIEW events AS SELECT file_row_number, ${time} AS time_ms,
      round(price * 1e6) AS price_micros, round(size * 1e6) AS amount_micros,
      round(best_bid * 1e6) AS best_bid_micros, round(best_ask * 1e6) AS best_ask_micros,
      event_type = 'PRICE_CHANGE' AS is_level, event_type = 'LAST_TRADE' AS is_trade,
      side = 'BID' AS is_bid, side = 'ASK' AS is_ask, asset_id FROM ${file}`);
    return connection;
  } catch (error) {
    connection.closeSync();
    throw new TwinbookError(
      'recording_invalid',
      `${path} is not a Polymarket recording: ${(error as Error).message}`,
      'give a parquet file with price changes and trades of tokens',
      { cause: error },
    );
  }
}

/** The whole answer of a small query. */
export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly DuckDBDataChunk[]> {
  return (await connection.run(sql)).fetchAllChunks();
}

export async function countOf(connection: DuckDBConnection, from: string): Promise<number> {
  return numbersOf(await rowsOf(connection, `SELECT count(*)::DOUBLE ${from}`), 0)[0] ?? 0;
}

/** A column that the query made a number or a count. */
export function numbersOf(chunks: readonly DuckDBDataChunk[], column: number): number[] {
  return chunks.flatMap((chunk) => chunk.getColumnValues(column).map((value) => Number(value)));
}

export function textsOf(chunks: readonly DuckDBDataChunk[], column: number): string[] {
  return chunks.flatMap((chunk) => chunk.getColumnValues(column).map((value) => String(value)));
}
