/**
 * Layout of a folder of recordings: names of files, and their tables. DuckDB, pandas and Spark read folder names like
 * `market=<condition id>/date=<UTC day>` as columns.
 */

import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { EVENT } from '../contract.js';

/** Kinds of rows that are market events. Rows that are not events are `snapshot`, `snapshot_level` and `gap`. */
export const STREAM_KINDS = ['level', 'trade', 'clear', 'end'] as const satisfies readonly (keyof typeof EVENT)[];

export const COLUMNS: Readonly<Record<RecordedTable, Readonly<Record<string, string>>>> = {
  events: {
    seq: 'BIGINT',
    time_ms: 'BIGINT',
    seen_ms: 'BIGINT',
    kind: 'VARCHAR',
    side: 'VARCHAR',
    price_micros: 'INTEGER',
    amount_micros: 'BIGINT',
    reason: 'VARCHAR',
  },
  polls: {
    endpoint: 'VARCHAR',
    sent_ms: 'BIGINT',
    seen_ms: 'BIGINT',
    venue_ms: 'BIGINT',
    outcome: 'VARCHAR',
  },
  own: {
    record: 'VARCHAR',
    seen_ms: 'BIGINT',
    pubkey: 'VARCHAR',
    order_pubkey: 'VARCHAR',
    status: 'VARCHAR',
    side: 'VARCHAR',
    is_yes: 'BOOLEAN',
    price_micros: 'INTEGER',
    amount_micros: 'BIGINT',
    filled_amount_micros: 'BIGINT',
    remaining_amount_micros: 'BIGINT',
    fee_micros: 'BIGINT',
    is_maker: 'BOOLEAN',
    timestamp: 'BIGINT',
  },
  feeds: {
    feed: 'VARCHAR',
    time_ms: 'BIGINT',
    seen_ms: 'BIGINT',
    at_ms: 'BIGINT',
    valid_until_ms: 'BIGINT',
    p: 'DOUBLE',
    bid: 'DOUBLE',
    ask: 'DOUBLE',
    sd: 'DOUBLE',
  },
};

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
/** Returns SQL for the path of a file to read. The brackets escape characters that DuckDB reads as a pattern. */
export const quotePath = (path: string): string => quote(path.replaceAll(/[*?[]/g, '[$&]'));

export const parquetSource = (path: string): string => `read_parquet(${quotePath(path)}, hive_partitioning = false)`;

/** Returns SQL for an open segment's lines, with `columns` and the column `table`. Broken lines are skipped. */
export function segmentLines(path: string, columns: Readonly<Record<string, string>> = {}): string {
  const types = Object.entries({ table: 'VARCHAR', ...columns }).map((column) => column.map(quote).join(': '));
  return `read_json(${quotePath(path)}, format = 'newline_delimited', ignore_errors = true, columns = {${types.join(', ')}})`;
}

export const segmentSource = (path: string, table: RecordedTable): string =>
  `(SELECT ${columnList(table)} FROM ${segmentLines(path, COLUMNS[table])} WHERE "table" = ${quote(table)})`;

/** Returns SQL for the names of a table's columns. */
export const columnList = (table: RecordedTable): string => `"${Object.keys(COLUMNS[table]).join('", "')}"`;

export const TABLES = ['events', 'polls', 'own', 'feeds'] as const;
export type RecordedTable = (typeof TABLES)[number];

export const MANIFEST = 'manifest.json';
export const MARKET = 'market.json';

/** Returns the folder of a market. The id is escaped, because a slash would leave the root, and `*` is a pattern. */
export const marketFolder = (root: string, conditionId: string): string =>
  join(root, `market=${encodeURIComponent(conditionId).replaceAll('*', '%2A')}`);

/** Returns false if the id is not valid Unicode text, or if its folder's name would be too long. */
export const hasFolder = (conditionId: string): boolean =>
  !/\p{Cs}/u.test(conditionId) && marketFolder('', conditionId).length <= 240; // Most disks allow 255 bytes.

const isMarketFolder = (path: string): boolean => basename(path).startsWith('market=');
export const isDayFolder = (path: string): boolean => /^date=\d{4}-\d{2}-\d{2}$/.test(basename(path));

export const parquetName = (table: RecordedTable, number: number): string => `${table}-${pad(number)}.parquet`;
/** Returns the name of an open segment. Parquet files made from a segment have the same number as the segment. */
export const segmentName = (number: number): string => `open-${pad(number)}.ndjson`;

/** Parses the name of a file in a day folder; null for other names. */
export function parseName(name: string): { readonly table: RecordedTable | 'segment'; readonly number: number } | null {
  const match = /^(?:(events|polls|own|feeds)-(\d{4,})\.parquet|open-(\d{4,})\.ndjson)$/.exec(name);
  const [, table, number, segment] = match ?? [];
  if (segment !== undefined) return { table: 'segment', number: Number(segment) };
  // The regular expression matches only the known tables.
  return table === undefined ? null : { table: table as RecordedTable, number: Number(number) };
}

const pad = (number: number): string => String(number).padStart(4, '0');

/** Returns true if a folder is in Twinbook's format: recordings of several markets, of one market, or of one day. */
export const isStore = (folder: string): boolean => marketFolders(folder).length > 0;

/** Returns the market folders in a folder, sorted by name; for a market folder or day folder, only that folder. */
export function marketFolders(path: string): string[] {
  const full = resolve(path);
  if (isMarketFolder(full) || (isDayFolder(full) && isMarketFolder(dirname(full)))) return [path];
  return foldersIn(path).filter(isMarketFolder);
}

/** Returns the day folders of a market folder, oldest first; for a day folder, only that folder. */
export function dayFolders(path: string): string[] {
  return isDayFolder(resolve(path)) ? [path] : foldersIn(path).filter(isDayFolder);
}

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name))
    .sort();
