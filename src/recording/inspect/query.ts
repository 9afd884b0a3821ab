/** Runs read-only SQL over recordings in Twinbook's format: one SELECT, without access to other files or a network. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DuckDBConnection, DuckDBResult, DuckDBValue } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { invalidRecording, type Recording } from '../contract.js';
import { openRecordings } from '../recording.js';
import { closedFiles, conditionIdIn, openSegments, parseDay } from '../store/day-folder.js';
import { loadDuckDb } from '../store/duckdb.js';
import {
  COLUMNS,
  columnList,
  dayFolders,
  isStore,
  MANIFEST,
  marketFolders,
  quote,
  quotePath,
  type RecordedTable,
  segmentName,
  segmentSource,
  TABLES,
} from '../store/layout.js';
import { readManifest } from '../store/manifest.js';

export type QueryValue = string | number | boolean | null;
export type QueryAnswer = ReturnType<typeof makeAnswer>;

const OPTIONS = {
  memory_limit: '1GB',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // A query that needs too much memory fails; it does not write temporary files.
  max_temp_directory_size: '0B',
};

/**
 * Runs one SELECT over the views `events`, `polls`, `own`, `feeds` and `markets`. Throws TwinbookError `usage` for
 * other SQL, `recording_invalid` for a path without a recording in Twinbook's format.
 */
export async function queryRecordings(sql: string, paths: readonly string[]) {
  for (const path of paths) {
    if (!existsSync(path)) {
      const hint = '`twinbook record` writes recordings; `twinbook ledger query` queries the ledger of a trader.';
      throw new TwinbookError('file_unreadable', `there is no folder of recordings at ${path}`, hint);
    }
    if (!isStore(path)) {
      const hint = 'SQL reads only Twinbook’s own format: convert other recordings with `twinbook data import`';
      throw invalidRecording(`${path} is not a folder of recordings with market=… or date=… in it`, hint);
    }
  }
  const recordings = await openRecordings(paths);
  const { DuckDBInstance } = await loadDuckDb();
  const connection = await (await DuckDBInstance.create(':memory:', OPTIONS)).connect();
  const days = paths.flatMap(marketFolders).flatMap(dayFolders);
  try {
    for (const table of TABLES) await connection.run(`CREATE VIEW ${table} AS ${makeRowsSql(table, days)}`);
    await makeMarkets(connection, recordings);
    await lockDown(connection, paths);
    return makeAnswer(await select(connection, sql), connection);
  } catch (error) {
    connection.closeSync();
    throw cannotRun(error);
  }
}

function cannotRun(error: unknown): TwinbookError {
  if (error instanceof TwinbookError) return error;
  const hint = `views: ${[...TABLES, 'markets'].join(', ')}; their columns are in docs/recordings.md`;
  return new TwinbookError('usage', `the query cannot be run: ${(error as Error).message}`, hint, { cause: error });
}

const QUERY_HINT = 'Run `twinbook data query "SELECT …"`; docs/recordings.md describes the views.';

async function select(connection: DuckDBConnection, sql: string): Promise<DuckDBResult> {
  const { StatementType } = await loadDuckDb();
  const statements = await connection.extractStatements(sql);
  const statement = statements.count === 1 ? await statements.prepare(0) : null;
  if (statement?.statementType === StatementType.SELECT) return statement.stream();
  const what = statement === null ? `${statements.count} statements` : StatementType[statement.statementType];
  throw new TwinbookError('usage', `wanted one SELECT, got ${what}: recordings are read and never changed`, QUERY_HINT);
}

/** Returns SQL for the rows of closed files and open segments, with market and day from the folders' names. */
function makeRowsSql(table: RecordedTable, days: readonly string[]): string {
  const closed: string[] = [];
  const parts: string[] = [];
  for (const day of days) {
    const manifest = readManifest(join(day, MANIFEST));
    closed.push(...closedFiles(day, manifest, table).filter((file) => existsSync(file)));
    for (const number of openSegments(day, manifest)) {
      const source = segmentSource(join(day, segmentName(number)), table);
      const partitions = `${quote(conditionIdIn(day))} AS market, DATE ${quote(parseDay(day))} AS date`;
      parts.push(`SELECT ${partitions}, ${columnList(table)} FROM ${source}`);
    }
  }
  if (closed.length > 0) {
    const files = closed.map((file) => quotePath(resolve(file))).join(', ');
    const source = `read_parquet([${files}], hive_partitioning = true,
      hive_types_autocast = false, hive_types = {'market': VARCHAR, 'date': DATE})`;
    parts.unshift(`SELECT market, date, ${columnList(table)} FROM ${source}`);
  }
  const none = Object.entries({ market: 'VARCHAR', date: 'DATE', ...COLUMNS[table] })
    .map(([name, type]) => `NULL::${type} AS "${name}"`)
    .join(', ');
  return parts.length > 0 ? parts.join(' UNION ALL ') : `SELECT ${none} WHERE false`;
}

/** Columns of the table `markets`: SQL type, and a function that returns a recording's value. */
const MARKETS: Readonly<
  Record<string, readonly [type: string, read: (recording: Recording) => QueryValue | undefined]>
> = {
  market: ['VARCHAR', ({ market }) => market.conditionId],
  ticker: ['VARCHAR', ({ market }) => market.source.ticker],
  origin: ['VARCHAR', ({ market }) => market.source.origin],
  title: ['VARCHAR', ({ market }) => market.title],
  event_title: ['VARCHAR', ({ market }) => market.eventTitle],
  category: ['VARCHAR', ({ market }) => market.category],
  tick_precision: ['INTEGER', ({ market }) => market.tickPrecision],
  amount_precision: ['INTEGER', ({ market }) => market.amountPrecision],
  open_time_ms: ['BIGINT', ({ market }) => market.openTimeMs],
  close_time_ms: ['BIGINT', ({ market }) => market.closeTimeMs],
  outcome: ['DOUBLE', ({ market: { outcome } }) => (outcome === null ? null : Number(outcome))],
  maker_rate_micros: ['INTEGER', ({ market }) => market.fees?.makerRateMicros],
  taker_rate_micros: ['INTEGER', ({ market }) => market.fees?.takerRateMicros],
  first_ms: ['BIGINT', ({ summary }) => summary?.firstMs],
  last_ms: ['BIGINT', ({ summary }) => summary?.lastMs],
  levels: ['BIGINT', ({ summary }) => summary?.events.level],
  trades: ['BIGINT', ({ summary }) => summary?.events.trade],
  gaps: ['BIGINT', ({ summary }) => summary?.gaps.length],
};

async function makeMarkets(connection: DuckDBConnection, recordings: readonly Recording[]): Promise<void> {
  const columns = Object.entries(MARKETS).map(([name, [type]]) => `${name} ${type}`);
  await connection.run(`CREATE TABLE markets (${columns.join(', ')})`);
  for (const recording of recordings) {
    const values = Object.values(MARKETS)
      .map(([, read]) => read(recording) ?? null)
      .map((value) => (typeof value === 'string' ? quote(value) : String(value)));
    await connection.run(`INSERT INTO markets VALUES (${values.join(', ')})`);
  }
}

/** Restricts the connection to the folders of the recordings; refuses other files, the network and new settings. */
async function lockDown(connection: DuckDBConnection, paths: readonly string[]): Promise<void> {
  // DuckDB checks a path before and after expanding it as a pattern, so each folder is listed in both forms.
  const folders = [quote, quotePath].flatMap((inSql) => paths.map((path) => inSql(`${resolve(path)}/`)));
  await connection.run(`SET allowed_directories = [${folders.join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}

function makeAnswer(result: DuckDBResult, connection: DuckDBConnection) {
  const columns: readonly string[] = result.deduplicatedColumnNames();
  /** Yields rows in batches. A BIGINT beyond 2^53, or a value of an unsupported type, is converted to text. */
  async function* rows(): AsyncGenerator<readonly (readonly QueryValue[])[]> {
    try {
      for await (const batch of result.yieldRows()) yield batch.map((row) => row.map(simple));
    } catch (error) {
      throw cannotRun(error);
    }
  }
  return { columns, rows, close: () => connection.closeSync() };
}

function simple(value: DuckDBValue): QueryValue {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
