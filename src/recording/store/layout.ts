/** Names in a folder of recordings: `market=<condition id>/date=<UTC day>/…`, which DuckDB, pandas and Spark read as columns. */

import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export const TABLES = ['events', 'polls', 'own', 'feeds'] as const;
export type Table = (typeof TABLES)[number];

export const MANIFEST = 'manifest.json';
export const MARKET = 'market.json';
/** Sink of requests without a market; no condition id begins with an underscore. */
export const NO_MARKET = '_none';

/** Readers of partitions undo the escapes; a slash in a venue's id must not leave the folder. */
export const marketFolder = (root: string, conditionId: string): string =>
  join(root, `market=${encodeURIComponent(conditionId)}`);

export const dayFolder = (root: string, conditionId: string, date: string): string =>
  join(marketFolder(root, conditionId), `date=${date}`);

const isMarketFolder = (path: string): boolean => basename(path).startsWith('market=');
export const isDayFolder = (path: string): boolean => /^date=\d{4}-\d{2}-\d{2}$/.test(basename(path));

export const formatDate = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

export const parquetName = (table: Table, number: number): string => `${table}-${pad(number)}.parquet`;
/** A segment that is not Parquet yet. It becomes the Parquet files of the same number. */
export const segmentName = (number: number): string => `open-${pad(number)}.ndjson`;

/** Kind of a file in a day folder by its name; null for a foreign one. */
export function parseName(name: string): { readonly table: Table | 'segment'; readonly number: number } | null {
  const match = /^(?:(events|polls|own|feeds)-(\d{4,})\.parquet|open-(\d{4,})\.ndjson)$/.exec(name);
  if (match === null) return null;
  const [, table, number, segment] = match;
  // The pattern allows no other word.
  return table === undefined
    ? { table: 'segment', number: Number(segment) }
    : { table: table as Table, number: Number(number) };
}

const pad = (number: number): string => String(number).padStart(4, '0');

/** A folder in our format: of many markets, of one, or of one day of it. */
export const isStore = (folder: string): boolean => marketFolders(folder).length > 0;

export function isFileOfStore(path: string): boolean {
  const [name, folder] = [basename(path), dirname(resolve(path))];
  return parseName(name) !== null && isDayFolder(folder);
}

/** Market folders of a folder of recordings, by name; itself, if it is one or a day of one. */
export function marketFolders(path: string): string[] {
  const full = resolve(path);
  if (isMarketFolder(full) || (isDayFolder(full) && isMarketFolder(dirname(full)))) return [path];
  return foldersIn(path).filter(isMarketFolder);
}

/** Day folders of a market's folder, oldest first; itself, if it is one. */
export function dayFolders(path: string): string[] {
  if (isDayFolder(resolve(path))) return [path];
  return foldersIn(path).filter(isDayFolder);
}

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name))
    .sort();
