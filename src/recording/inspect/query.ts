/** Read-only SQL over recordings in our format: one SELECT that sees no other file and no network. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DuckDBConnection, DuckDBResult, DuckDBValue } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import type { Recording } from '../contract.js';
import { openRecordings } from '../recording.js';
import { closedFiles, openSegments } from '../store/day-folder.js';
import { loadDuckDb } from '../store/duckdb.js';
import {
  COLUMNS,
  dayFolders,
  isStore,
  MANIFEST,
  marketFolders,
  quote,
  segmentName,
  segmentSource,
  TABLES,
  type Table,
} from '../store/layout.js';
import { readManifest } from '../store/manifest.js';

/** Bounds of a query besides its own conditions. Other rows are invisible. */
export interface QueryBounds {
  /** Condition ids, tickers, or unique prefixes; empty for all markets. */
  readonly markets: readonly string[];
  /** Unix ms, the first moment and the one after the last; null for no bound. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export const NO_BOUNDS: QueryBounds = { markets: [], fromMs: null, toMs: null };

export type SqlValue = string | number | boolean | null;

export interface QueryAnswer {
  readonly columns: readonly string[];
  /** In batches. A BIGINT beyond 2^53 is text, and so is any value that is not a number, text or boolean. */
  rows(): AsyncIterable<readonly (readonly SqlValue[])[]>;
  close(): void;
}

const OPTIONS = {
  memory_limit: '1GB',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // Overflow of the memory is an error, not a temporary file.
  max_temp_directory_size: '0B',
};

/**
 * Runs one SELECT over the views `events`, `polls`, `own`, `feeds` and `markets` of these folders, within `wish`.
 * Throws TwinbookError `usage` for other SQL and for unknown markets, `recording_invalid` for a path without a
 * recording in our format.
 */
export async function queryRecordings(sql: string, paths: readonly string[], wish: QueryBounds = NO_BOUNDS) {
  for (const path of paths) {
    if (!existsSync(path)) {
      const hint = '`twinbook record` writes recordings; `twinbook ledger query` asks the ledger of a trader.';
      throw new TwinbookError('file_unreadable', `there is no folder of recordings ${path}`, hint);
    }
    if (!isStore(path)) {
      const hint = 'SQL reads our own format: turn others into it with `twinbook data import`';
      throw new TwinbookError(
        'recording_invalid',
        `${path} is no folder of recordings with market=… or date=… in it`,
        hint,
      );
    }
  }
  const recordings = await openRecordings(paths);
  const bounds = { ...wish, markets: wish.markets.map((name) => findMarket(name, recordings)) };
  const { DuckDBInstance } = await loadDuckDb();
  const connection = await (await DuckDBInstance.create(':memory:', OPTIONS)).connect();
  const days = paths.flatMap(marketFolders).flatMap(dayFolders);
  try {
    await requireOne(connection, sql);
    for (const table of TABLES) {
      const rows = await makeRowsSql(connection, table, days);
      await connection.run(`CREATE VIEW ${table} AS SELECT * FROM (${rows})${makeBoundsSql(table, bounds)}`);
    }
    const isMeant = ({ market }: Recording) =>
      bounds.markets.length === 0 || bounds.markets.includes(market.conditionId);
    await makeMarkets(connection, recordings.filter(isMeant));
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

const QUERY_HINT = '`twinbook data query "SELECT …"`: one statement that reads; its views are in docs/recordings.md.';

async function requireOne(connection: DuckDBConnection, sql: string): Promise<void> {
  if (sql.trim() === '') throw new TwinbookError('usage', 'wanted one SELECT, got nothing', QUERY_HINT);
  const { count } = await connection.extractStatements(sql);
  if (count !== 1) throw new TwinbookError('usage', `wanted one SELECT, got ${count} statements`, QUERY_HINT);
}

async function select(connection: DuckDBConnection, sql: string): Promise<DuckDBResult> {
  const { StatementType } = await loadDuckDb();
  const statements = await connection.extractStatements(sql);
  const statement = await statements.prepare(0);
  if (statement.statementType !== StatementType.SELECT) {
    const what = StatementType[statement.statementType] ?? 'something else';
    throw new TwinbookError(
      'usage',
      `wanted one SELECT, got ${what}: recordings are read and never changed`,
      QUERY_HINT,
    );
  }
  return statement.stream();
}

/** Closed files and open segments, each row with its market and day from the folders' names. */
async function makeRowsSql(connection: DuckDBConnection, table: Table, days: readonly string[]): Promise<string> {
  const names = Object.keys(COLUMNS[table]).map((name) => `"${name}"`);
  const closed: string[] = [];
  const parts: string[] = [];
  for (const day of days) {
    const manifest = readManifest(join(day, MANIFEST));
    closed.push(...closedFiles(day, manifest, table).filter((file) => existsSync(file)));
    for (const number of openSegments(day, manifest)) {
      const [market, date] = parsePartitions(day);
      const source = segmentSource(join(day, segmentName(number)), table);
      parts.push(`SELECT ${quote(market)} AS market, DATE ${quote(date)} AS date, ${names.join(', ')} FROM ${source}`);
    }
  }
  if (closed.length > 0) {
    const files = closed.map((file) => quote(resolve(file))).join(', ');
    const source = `read_parquet([${files}], union_by_name = true, hive_partitioning = true,
      hive_types_autocast = false, hive_types = {'market': VARCHAR, 'date': DATE})`;
    parts.unshift(`SELECT market, date, ${await makeColumnsSql(connection, table, source)} FROM ${source}`);
  }
  const none = Object.entries({ market: 'VARCHAR', date: 'DATE', ...COLUMNS[table] })
    .map(([name, type]) => `NULL::${type} AS "${name}"`)
    .join(', ');
  return parts.length > 0 ? parts.join(' UNION ALL ') : `SELECT ${none} WHERE false`;
}

/** With the types of our format. Foreign files may lack optional columns such as `seen_ms`. */
async function makeColumnsSql(connection: DuckDBConnection, table: Table, source: string): Promise<string> {
  const described = await connection.runAndReadAll(`SELECT column_name FROM (DESCRIBE SELECT * FROM ${source})`);
  const there = new Set(described.getRows().map(([name]) => String(name)));
  return Object.entries(COLUMNS[table])
    .map(([name, type]) => `${there.has(name) ? `"${name}"` : 'NULL'}::${type} AS "${name}"`)
    .join(', ');
}

function parsePartitions(day: string): [market: string, date: string] {
  const [market = '', date = ''] = resolve(day).split('/').slice(-2);
  return [decodeURIComponent(market.replace('market=', '')), date.replace('date=', '')];
}

/** Columns of the table `markets`: type, and value of a recording. */
const MARKETS: Readonly<Record<string, readonly [type: string, read: (recording: Recording) => SqlValue | undefined]>> =
  {
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

/** From here on only the recordings' folders can be opened; anything else is refused, settings included. */
async function lockDown(connection: DuckDBConnection, paths: readonly string[]): Promise<void> {
  const folders = paths.map((path) => quote(`${resolve(path)}/`)).join(', ');
  await connection.run(`SET allowed_directories = [${folders}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}

function makeAnswer(result: DuckDBResult, connection: DuckDBConnection): QueryAnswer {
  return {
    columns: result.deduplicatedColumnNames(),
    async *rows() {
      try {
        for await (const batch of result.yieldRows()) yield batch.map((row) => row.map(simple));
      } catch (error) {
        throw cannotRun(error);
      }
    },
    close: () => connection.closeSync(),
  };
}

function simple(value: DuckDBValue): SqlValue {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value);
  return String(value);
}

/** Time of a row: when it happened, else when it was requested or seen. */
const MOMENTS: Readonly<Record<Table, string>> = {
  events: 'time_ms',
  polls: 'sent_ms',
  own: 'seen_ms',
  feeds: 'time_ms',
};

/** Empty, or a WHERE for a table's rows. Markets are ids. */
function makeBoundsSql(table: Table, { markets, fromMs, toMs }: QueryBounds): string {
  const conditions = [
    ...(markets.length === 0 ? [] : [`market IN (${markets.map(quote).join(', ')})`]),
    ...(fromMs === null ? [] : [`${MOMENTS[table]} >= ${fromMs}`]),
    ...(toMs === null ? [] : [`${MOMENTS[table]} < ${toMs}`]),
  ];
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

/** Id of the named market. Throws TwinbookError `usage` for an unknown or ambiguous name. */
function findMarket(name: string, recordings: readonly Recording[]): string {
  const names = recordings.map(({ market }) => ({ id: market.conditionId, ticker: market.source.ticker }));
  const exact = names.filter(({ id, ticker }) => id === name || ticker === name);
  const found =
    exact.length > 0 ? exact : names.filter(({ id, ticker }) => id.startsWith(name) || ticker.startsWith(name));
  const ids = new Set(found.map(({ id }) => id));
  const [id] = ids;
  if (ids.size === 1 && id !== undefined) return id;
  const what = ids.size === 0 ? 'no market' : `${ids.size} markets`;
  const hint =
    '`twinbook data list` shows the markets of recordings: name one by its id or ticker, or by a beginning that no other has.';
  throw new TwinbookError('usage', `${what} of these recordings is named "${name}"`, hint);
}
