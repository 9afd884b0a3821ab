/** Reads Polymarket's books and trades from files of all formats into one DuckDB view. */

import { randomUUID } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { unreadable } from '../../shared/base/errors.js';
import { connect, fetchRows, fileError, withScratch } from '../store/duckdb.js';
import { parquetSource, quote } from '../store/layout.js';
import { describeColumns, lineSource, numberTimeSql, refuseBroken, timeSql, validTimeSql } from './message-files.js';

/** `archive`: PMXT's hourly Parquet files. `table`: other Parquet files with one column per field. `messages`: JSON. */
type PolymarketForm = 'archive' | 'table' | 'messages';

const PRICE_STEP_MICROS = 100;

const ARCHIVE = ['market_id', 'update_type', 'data'] as const;
const TABLE = ['price', 'size', 'best_bid', 'best_ask', 'side', 'event_type', 'asset_id'] as const;
const TIMES = ['timestamp', 'ts_ms'] as const;
/** Columns that identify a file of PMXT's archive since April 2026. The rows of such a file are sorted by token. */
const HOURLY = ['timestamp_received', 'market', 'bids', 'asks'] as const;

const OTHER = ['update_type', 'token_id', 'market', 'market_id', 'change_price', 'change_size', 'change_side'] as const;
const BOOK = ['bids', 'asks', 'buys', 'sells'] as const;
const FIELDS = [...TIMES, ...TABLE, ...OTHER, ...BOOK] as const;
const CHANGE = ['asset_id', 'price', 'size', 'side', 'best_bid', 'best_ask'] as const;
const texts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'VARCHAR']));
const CHANGES = [texts(CHANGE)];
const SHAPE = JSON.stringify({ ...texts(FIELDS), price_changes: CHANGES, changes: CHANGES });

/** Returns the format of a Parquet file by its columns; null for another kind of file. */
export function formOf(columns: ReadonlyMap<string, string>): PolymarketForm | null {
  if (ARCHIVE.every((name) => columns.has(name))) return 'archive';
  if (!TABLE.every((name) => columns.has(name)) || !TIMES.some((name) => columns.has(name))) return null;
  return HOURLY.every((name) => columns.has(name)) ? 'archive' : 'table';
}

export const isPolymarketMessage = (line: string): boolean =>
  /"(event_type|update_type)"/.test(line) && /"(asset_id|token_id|price_changes)"/.test(line);

export type OpenEvents = Awaited<ReturnType<typeof openEvents>>;

/**
 * Opens a connection with the view `events`, which has the rows of a file in the file's order. Its columns are
 * `time_ms`, `price_micros`, `amount_micros`, `best_bid_micros`, `best_ask_micros` (doubles), `is_level`, `is_trade`,
 * `is_book`, `is_bid`, `is_ask`, `asset_id`, `market_id`, `is_yes` (null unless a message has it), `sides` (a book's
 * bids and asks as JSON), `received_ms` (null unless rows are sorted by token) and `message`. `markets`: prefixes of
 * the wanted markets or tokens. Throws TwinbookError `recording_invalid`.
 */
export async function openEvents(path: string, markets: readonly string[] = []) {
  const connection = await connect();
  try {
    return { connection, form: await makeView(connection, path, markets) };
  } catch (error) {
    connection.closeSync();
    throw error;
  }
}

/** Number of rows in a row group of a sorted file; a reader of one market then decompresses only one or two groups. */
const SORTED_GROUP_ROWS = 20_480;

/** Writes valid rows, sorted by market, to a Parquet file with the columns of `events`. Returns the file's path. */
export async function sortByMarket(path: string, markets: readonly string[], folder: string): Promise<string> {
  const sorted = join(folder, `${randomUUID()}.parquet`);
  await withScratch(folder, async (connection) => {
    await makeView(connection, path, markets);
    const rows = `SELECT * EXCLUDE (message), row_number() OVER () AS place FROM events WHERE ${ROW_IS_SOUND}`;
    const copy = `COPY (SELECT * EXCLUDE (place) FROM (${rows}) ORDER BY market_id, received_ms, place)
      TO ${quote(sorted)} (FORMAT parquet, ROW_GROUP_SIZE ${SORTED_GROUP_ROWS})`;
    await connection.run(copy).catch((error: unknown) => {
      throw fileError('file_unreadable', `cannot sort ${path} with temporary files in ${folder}`, error);
    });
  });
  return sorted;
}

async function makeView(connection: DuckDBConnection, path: string, markets: readonly string[]) {
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw unreadable(`cannot read ${path}`, error, 'Check the path and the permissions of the file.');
  });
  try {
    const { form, source } = await openSource(connection, path, markets);
    await connection.run(`CREATE TEMP VIEW events AS ${eventsSql(source, markets)}`);
    return form;
  } catch (error) {
    throw fileError('recording_invalid', `${path} is not a Polymarket recording`, error, WANTED);
  }
}

const WANTED = `Wanted: the archive's columns ${ARCHIVE.join(', ')}, or columns timestamp (or ts_ms), ${TABLE.join(', ')}, or messages of the venue's market channel as JSON.`;

async function openSource(connection: DuckDBConnection, path: string, markets: readonly string[]) {
  if (!path.endsWith('.parquet'))
    return { form: 'messages', source: messageFields(await lineSource(connection, path)) } as const;
  const file = parquetSource(path);
  const columns = await describeColumns(connection, file);
  const form = formOf(columns);
  if (form === 'archive' && columns.has('data')) {
    const wanted = markets.length === 0 ? '' : ` WHERE ${markets.map((id) => begins('market_id', id)).join(' OR ')}`;
    return { form, source: messageFields(`(SELECT data AS line FROM ${file}${wanted})`) } as const;
  }
  if (form !== null) return { form, source: tableFields(file, columns) } as const;
  const missing: string[] = TABLE.filter((name) => !columns.has(name));
  if (!TIMES.some((name) => columns.has(name))) missing.unshift('timestamp');
  throw new Error(`it has no column ${missing.join(', ')}; its columns are ${[...columns.keys()].join(', ')}`);
}

/** Maximum delay from a row's time to its receipt, ms. A later row, such as an old snapshot, gets its receipt time. */
const MOST_DELAY_MS = 60_000;

function tableFields(file: string, columns: ReadonlyMap<string, string>): string {
  const time = columnTime(TIMES.find((name) => columns.has(name)) ?? TIMES[0], columns);
  const received = formOf(columns) === 'archive' ? columnTime(HOURLY[0], columns) : 'NULL::DOUBLE';
  const market = ['market_id', 'market'].find((column) => columns.has(column)) ?? 'NULL';
  const text = (name: string) => (columns.get(name) === 'VARCHAR' ? name : `to_json(${name})::VARCHAR`);
  const [bids, asks] = [text('bids'), text('asks')];
  const hasBooks = columns.has('bids') && columns.has('asks');
  const sides = `CASE WHEN coalesce(${bids}, ${asks}) IS NOT NULL
    THEN '[' || coalesce(${bids}, '[]') || ',' || coalesce(${asks}, '[]') || ']' END`;
  return `(SELECT CASE WHEN ${received} - ${time} > ${MOST_DELAY_MS} THEN ${received} ELSE ${time} END AS time_ms,
    ${received} AS received_ms, price, size, best_bid, best_ask, upper(event_type) AS type, upper(side) AS side,
    asset_id::VARCHAR AS asset_id, ${market}::VARCHAR AS market_id, NULL::BOOLEAN AS is_yes,
    ${hasBooks ? sides : 'NULL::VARCHAR'} AS sides, to_json(file)::VARCHAR AS message FROM ${file} file)`;
}

function columnTime(name: string, columns: ReadonlyMap<string, string>): string {
  const type = columns.get(name) ?? '';
  if (type.startsWith('TIMESTAMP')) return `epoch_ms(${name})::DOUBLE`;
  return type === 'VARCHAR' ? timeSql(name, `try_cast(${name} AS DOUBLE)`) : numberTimeSql(`${name}::DOUBLE`);
}

const messageFields = (lines: string): string => `(SELECT ${timeSql('time', 'number')} AS time_ms,
    coalesce(c.price, j.price, j.change_price) AS price, coalesce(c.size, j.size, j.change_size) AS size,
    coalesce(c.best_bid, j.best_bid) AS best_bid, coalesce(c.best_ask, j.best_ask) AS best_ask,
    upper(coalesce(j.event_type, j.update_type)) AS type, upper(coalesce(c.side, j.change_side, j.side)) AS side,
    coalesce(c.asset_id, j.asset_id, j.token_id) AS asset_id, coalesce(j.market_id, j.market) AS market_id,
    CASE j.side WHEN 'YES' THEN true WHEN 'NO' THEN false END AS is_yes,
    '[' || coalesce(j.bids, j.buys, '[]') || ',' || coalesce(j.asks, j.sells, '[]') || ']' AS sides,
    NULL::DOUBLE AS received_ms, message
  FROM (SELECT *, try_cast(time AS DOUBLE) AS number FROM (SELECT j, c, message, coalesce(j.timestamp, j.ts_ms) AS time
    FROM (SELECT j, message, unnest(coalesce(j.price_changes, j.changes, [NULL])) AS c
      FROM (SELECT line AS message, TRY(json_transform(line, ${quote(SHAPE)})) AS j FROM ${lines})))))`;

const begins = (column: string, name: string): string => `starts_with(${column}, ${quote(name)})`;
const micros = (value: string): string => `round(try_cast(${value} AS DOUBLE) * 1e6)`;

function eventsSql(source: string, markets: readonly string[]): string {
  const wanted = markets.flatMap((name) => [begins('market_id', name), begins('asset_id', name)]);
  return `SELECT time_ms, received_ms, ${micros('price')} AS price_micros, ${micros('size')} AS amount_micros,
      ${micros('best_bid')} AS best_bid_micros, ${micros('best_ask')} AS best_ask_micros,
      type = 'PRICE_CHANGE' AS is_level, type IN ('LAST_TRADE', 'LAST_TRADE_PRICE', 'TRADE') AS is_trade,
      type IN ('BOOK', 'BOOK_SNAPSHOT') AS is_book, side IN ('BID', 'BUY') AS is_bid, side IN ('ASK', 'SELL') AS is_ask,
      asset_id, market_id, is_yes, CASE WHEN type IN ('BOOK', 'BOOK_SNAPSHOT') THEN sides END AS sides,
      type IS NULL AS is_nothing, message
    FROM ${source} ${wanted.length === 0 ? '' : `WHERE ${wanted.join(' OR ')}`}`;
}

/** Conditions of valid rows; each key describes the violation. A comparison with null counts as a violation. */
const SOUND: Readonly<Record<string, string>> = {
  'no time between the years 2000 and 2100': validTimeSql('time_ms'),
  'a price that is not a multiple of 0.0001 between 0 and 1': `is_book OR
    (price_micros > 0 AND price_micros < 1000000 AND price_micros % ${PRICE_STEP_MICROS} = 0)`,
  'a size that is missing or out of range': `is_book OR
    (amount_micros BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} AND (is_level OR amount_micros > 0))`,
  'a side other than BID, BUY, ASK and SELL': '(is_book OR is_bid OR is_ask)',
  'bids or asks that are not JSON': '(sides IS NULL OR json_valid(sides))',
  'no asset_id of letters and digits': "regexp_full_match(asset_id, '[0-9A-Za-z_.:-]{1,200}')",
};

/** SQL for rows about a book or a trade, or without a message type. Other messages are skipped, not refused. */
const IS_EVENT = '(is_level OR is_trade OR is_book OR is_nothing)';

export const ROW_IS_SOUND = `((is_level OR is_trade OR is_book) AND (${Object.values(SOUND).join(') AND (')})) IS TRUE`;

/** Describes invalid rows; null if none. Throws TwinbookError `recording_invalid` for too many invalid rows. */
export async function brokenRows({ connection, form }: OpenEvents, path: string): Promise<string | null> {
  const isBroken = `(${form === 'table' ? 'true' : IS_EVENT} AND NOT (${ROW_IS_SOUND}))`;
  const faults = Object.values({ [STRANGE]: '(is_level OR is_trade OR is_book)', ...SOUND }).map(
    (sound, at) => `count(*) FILTER (WHERE ${isBroken} AND ((${sound}) IS NOT TRUE)) AS fault_${at}`,
  );
  const counted = `count(*) AS total, count(*) FILTER (WHERE ${isBroken}) AS broken, ${faults.join(', ')}`;
  const [row] = await fetchRows(connection, `SELECT ${counted} FROM events`);
  const count = (name: string): number => Number(row?.[name] ?? 0);
  const broken = count('broken');
  if (broken === 0) return null;
  const reasons = [STRANGE, ...Object.keys(SOUND)].flatMap((name, at) =>
    count(`fault_${at}`) > 0 ? `${count(`fault_${at}`)} with ${name}` : [],
  );
  const [first] = await fetchRows(connection, `SELECT message FROM events WHERE ${isBroken} LIMIT 1`);
  refuseBroken(path, count('total'), broken, [String(first?.['message'] ?? ''), GOOD], reasons);
  return `${broken} broken rows were skipped: ${reasons.join(', ')}`;
}

const STRANGE = 'an event_type other than PRICE_CHANGE, LAST_TRADE and BOOK';

const GOOD =
  '{"timestamp":1785000000762,"event_type":"PRICE_CHANGE","asset_id":"4100…","side":"BID","price":"0.50","size":"126.00","best_bid":"0.44","best_ask":"0.46"}';
