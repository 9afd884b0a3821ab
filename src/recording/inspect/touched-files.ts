/**
 * Which files of a bucket a query can touch, by the manifests alone. DuckDB plans the query over empty tables of our columns;
 * what it would filter each scan by, it then asks of the list of files. A filter that cannot be judged by market, day or time
 * leaves files in; nothing but a filter of the plan leaves one out.
 */

import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { PackedDay } from '../packed/read-day.js';
import { conditionIdIn, parseDay } from '../store/day-folder.js';
import { loadDuckDb } from '../store/duckdb.js';
import { dayFolder, TABLES, type Table } from '../store/layout.js';
import type { Manifest } from '../store/manifest.js';
import { COLUMNS, quote } from '../store/tables.js';
import { makeBoundsSql, type QueryBounds } from './query-bounds.js';

/** A file, or the rows of one market in a file of many: then several have the same path. */
export interface ListedFile {
  readonly path: string;
  /** In a folder of recordings, with the names that tell the day, and of a file of one market the market. */
  readonly inner: string;
  readonly table: Table;
  readonly market: string;
  readonly date: string;
  /** Unix ms; null where nobody knows. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Of a file of many markets: the row groups that hold these rows, counted from 0. */
  readonly groups: { readonly first: number; readonly last: number } | null;
  /** As the manifest says. */
  readonly file: { readonly sha256: string; readonly bytes: number };
}

/** What a query may need. */
export interface Touched {
  readonly files: readonly ListedFile[];
  /** The columns that it reads, by table. */
  readonly columns: ReadonlyMap<Table, ReadonlySet<string>>;
}

/** Columns of the table `markets`, with their types. */
type Columns = Readonly<Record<string, string>>;

/**
 * The optimizer may use a filter, but not what it believes of the rows: the tables are empty. What scans a table twice, or
 * moves filters to where the rows are known, would hide them.
 */
const UNWANTED = [
  'statistics_propagation',
  'join_filter_pushdown',
  'late_materialization',
  'compressed_materialization',
];
const OPTIONS = {
  memory_limit: '256MB',
  threads: '1',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  enable_external_access: 'false',
};

/** What the query, within these bounds, may need of `files`. Throws what DuckDB says of a query that it does not understand. */
export async function findTouched(
  sql: string,
  files: readonly ListedFile[],
  markets: Columns,
  bounds: QueryBounds,
): Promise<Touched> {
  const { DuckDBInstance } = await loadDuckDb();
  const connection = await (await DuckDBInstance.create(':memory:', OPTIONS)).connect();
  try {
    await makeEmptyTables(connection, markets, bounds);
    const scans = await listScans(connection, sql);
    await connection.run(
      'CREATE TABLE listed_files (listed_number INTEGER, market VARCHAR, date DATE, first_ms BIGINT, last_ms BIGINT)',
    );
    for (let from = 0; from < files.length; from += 1000) {
      const rows = files.slice(from, from + 1000).map((file, at) => describeFile(file, from + at));
      await connection.run(`INSERT INTO listed_files VALUES ${rows.join(', ')}`);
    }
    const touched = new Set<ListedFile>();
    for (const { table, filters } of scans) {
      const numbers = await select(connection, table, filters);
      for (const number of numbers) {
        const file = files[number];
        if (file?.table === table) touched.add(file);
      }
    }
    return { files: [...touched], columns: columnsOf(scans) };
  } finally {
    connection.closeSync();
  }
}

/** What bounds the query stands in the views, as where it is run. */
async function makeEmptyTables(connection: DuckDBConnection, markets: Columns, bounds: QueryBounds): Promise<void> {
  const define = (columns: Columns) =>
    Object.entries(columns)
      .map(([name, type]) => `"${name}" ${type}`)
      .join(', ');
  await connection.run('CREATE SCHEMA whole');
  for (const table of TABLES) {
    await connection.run(
      `CREATE TABLE whole.${table} (${define({ market: 'VARCHAR', date: 'DATE', ...COLUMNS[table] })})`,
    );
    await connection.run(`CREATE VIEW ${table} AS SELECT * FROM whole.${table}${makeBoundsSql(table, bounds)}`);
  }
  await connection.run(`CREATE TABLE markets (${define(markets)})`);
  await connection.run(`SET disabled_optimizers = ${quote(UNWANTED.join(','))}`);
  await connection.run('SET lock_configuration = true');
}

interface Scan {
  readonly table: Table;
  readonly filters: readonly string[];
  readonly columns: readonly string[];
}

interface PlanNode {
  readonly name: string;
  readonly children?: readonly PlanNode[];
  readonly extra_info?: {
    readonly Table?: string;
    readonly Filters?: string | readonly string[];
    readonly Projections?: string | readonly string[];
  };
}

async function listScans(connection: DuckDBConnection, sql: string): Promise<Scan[]> {
  const [row] = (await connection.runAndReadAll(`EXPLAIN (FORMAT json) ${sql}`)).getRows();
  const scans: Scan[] = [];
  const walk = ({ extra_info: about = {}, children = [] }: PlanNode): void => {
    const table = TABLES.find((name) => about.Table?.endsWith(`.${name}`));
    if (table !== undefined) {
      const filters = listOf(about.Filters);
      scans.push({ table, filters, columns: namedIn(table, [...filters, ...listOf(about.Projections)]) });
    }
    for (const child of children) walk(child);
  };
  for (const node of JSON.parse(String(row?.[1])) as PlanNode[]) walk(node);
  return scans;
}

const listOf = (texts: string | readonly string[] = []): readonly string[] =>
  typeof texts === 'string' ? [texts] : texts;

/** A name that is only part of a value is one column too many, and no harm. */
const namedIn = (table: Table, texts: readonly string[]): readonly string[] =>
  Object.keys(COLUMNS[table]).filter((name) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)));

/** The market is always one: rows of a market that count elsewhere are left out by it. */
function columnsOf(scans: readonly Scan[]): ReadonlyMap<Table, ReadonlySet<string>> {
  const columns = new Map<Table, Set<string>>();
  for (const { table, columns: names } of scans) {
    const known = columns.get(table) ?? new Set(['market']);
    columns.set(table, known);
    for (const name of names) known.add(name);
  }
  return columns;
}

/** Numbers of the files that all of these filters let pass. */
async function select(connection: DuckDBConnection, table: Table, filters: readonly string[]): Promise<number[]> {
  const conditions: string[] = [];
  for (const filter of filters) {
    const text = filter.replace(/^optional: /, '');
    const condition = readTimeFilter(text) ?? text;
    if (await isUnderstood(connection, table, text, condition)) conditions.push(`(${condition}) IS NOT FALSE`);
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const rows = (await connection.runAndReadAll(`SELECT listed_number FROM listed_files${where}`)).getRows();
  return rows.map(([number]) => Number(number));
}

const TIME = /^time_ms(>=|<=|=|>|<)(-?\d+)$/;

/** `time_ms>=1 AND time_ms<=9` as a condition on the span of a file; null for another filter. */
function readTimeFilter(text: string): string | null {
  const conditions: string[] = [];
  for (const part of text.split(' AND ')) {
    const [, operator, bound] = TIME.exec(part) ?? [];
    if (operator === undefined || bound === undefined) return null;
    if (operator !== '<' && operator !== '<=')
      conditions.push(`last_ms ${operator === '=' ? '>=' : operator} ${bound}`);
    if (operator !== '>' && operator !== '>=')
      conditions.push(`first_ms ${operator === '=' ? '<=' : operator} ${bound}`);
  }
  return conditions.join(' AND ');
}

/**
 * A filter is printed for people. It counts where, read as SQL again, the same plan comes of it, and where it can be asked of
 * files, which have a market, a day and a span of time alone.
 */
async function isUnderstood(
  connection: DuckDBConnection,
  table: Table,
  text: string,
  condition: string,
): Promise<boolean> {
  try {
    const scans = await listScans(connection, `SELECT * FROM ${table} WHERE ${text}`);
    const isSame =
      scans.length === 1 && scans[0]?.filters.some((filter) => filter.replace(/^optional: /, '') === text) === true;
    if (!isSame) return false;
    await connection.runAndReadAll(`EXPLAIN SELECT listed_number FROM listed_files WHERE (${condition}) IS NOT FALSE`);
    return true;
  } catch {
    return false; // of another column, or not as SQL
  }
}

const describeFile = ({ market, date, firstMs, lastMs }: ListedFile, number: number): string =>
  `(${number}, ${quote(market)}, DATE ${quote(date)}, ${firstMs}, ${lastMs})`;

/** The files of a market's day as its manifest lists them. */
export const listFiles = (day: string, manifest: Manifest): ListedFile[] =>
  manifest.files.map((file) => ({
    path: join(day, file.name),
    inner: join(dayFolder('', conditionIdIn(day), parseDay(day)), file.name),
    table: file.table,
    market: conditionIdIn(day),
    date: parseDay(day),
    firstMs: file.table === 'events' ? file.first_ms : null,
    lastMs: file.table === 'events' ? file.last_ms : null,
    groups: null,
    file,
  }));

/** What the index of a packed day lists. */
export const listPacked = ({ folder, date, markets, manifest }: PackedDay): ListedFile[] =>
  [...markets.values()].flatMap(({ market, rows, files }) =>
    rows.flatMap((row) => {
      const { file: name, table, first_ms: firstMs, last_ms: lastMs } = row;
      const file = files.get(name);
      const inner = join(`date=${manifest.date}`, name);
      const groups = { first: row.first_row_group, last: row.last_row_group };
      return file === undefined
        ? []
        : { path: join(folder, name), inner, table, market, date, firstMs, lastMs, groups, file };
    }),
  );
