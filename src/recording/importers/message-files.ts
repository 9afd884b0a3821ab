/** Files of recorded messages: their names, and their messages as SQL. DuckDB unpacks and splits them. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { fetchRows } from '../store/duckdb.js';
import { quote } from '../store/tables.js';

const MESSAGES = /\.(ndjson|jsonl|json|parquet)$/;
const PACKED = /\.(gz|zst)$/;
/** Files that describe a set, without recorded data. */
const ABOUT = /^(\..*|MARKETS\.csv|metadata|README.*|LICEN[CS]E.*|.*\.(md|txt))$/i;

/** Lines that are not blank. `OR` would trim every line, which is slow: DuckDB chooses the order of its operands. */
const IS_TEXT = "(CASE WHEN strlen(line) > 40 THEN true ELSE trim(line) <> '' END)";

/** Maximum bytes of a line; no venue's message is longer. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Parquet is never compressed again. */
export const isMessageFile = (name: string): boolean =>
  name.endsWith('.parquet') || (MESSAGES.test(name.replace(PACKED, '')) && !/\.parquet\.(gz|zst)$/.test(name));

/** Files of a folder and its subfolders; of a set with a folder `events`, those in it. */
export function findFiles(folder: string) {
  const events = join(folder, 'events');
  const root = isFolder(events) ? events : folder;
  const names = readdirSync(root).sort();
  const folders = names
    .filter((name) => !ABOUT.test(name))
    .map((name) => join(root, name))
    .filter(isFolder);
  const files = [...names.map((name) => join(root, name)), ...folders.flatMap(listFiles)].filter(
    (path) => !isFolder(path) && !ABOUT.test(nameOf(path)),
  );
  return { paths: files.filter((path) => isMessageFile(nameOf(path))), notRead: describeOthers(files, folder) };
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** False for a missing path and a broken link. */
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function describeOthers(files: readonly string[], folder: string): string[] {
  const counts = new Map<string, number>();
  for (const name of files.map(nameOf).filter((file) => !isMessageFile(file))) {
    const ending = /\.[a-z0-9]+(\.(gz|zst|bz2|xz|zip))?$/i.exec(name)?.[0] ?? '';
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  return [...counts].map(([ending, count]) => {
    if (ending === '') return `${folder}: files without an ending: ${count}`;
    return `${folder}: ${count === 1 ? '1 file that ends' : `${count} files that end`} in ${ending}`;
  });
}

/**
 * Messages of a file as a table with one column `line`, a JSON text each, in order. Non-text lines are in
 * `reject_errors` of the connection after the last row.
 */
export async function lineSource(
  connection: DuckDBConnection,
  path: string,
  maxLineBytes = MAX_LINE_BYTES,
): Promise<string> {
  if (path.endsWith('.parquet')) return parquetLines(connection, path);
  const isArray = /\.json(\.gz|\.zst)?$/.test(path) && (await startsArray(connection, path));
  return isArray
    ? `(SELECT json::VARCHAR AS line FROM ${arraySource(path)})`
    : `(SELECT line FROM ${textSource(path, maxLineBytes)} WHERE ${IS_TEXT})`;
}

const arraySource = (path: string): string => `read_json_objects(${quote(path)}, format = 'array')`;

// The delimiter is a character that no JSON text contains.
const textSource = (
  path: string,
  maxLineBytes: number,
): string => `read_csv(${quote(path)}, columns = {line: 'VARCHAR'}, delim = chr(1),
  quote = '', escape = '', header = false, auto_detect = false, strict_mode = false, store_rejects = true,
  max_line_size = ${maxLineBytes}, buffer_size = ${2 * maxLineBytes})`;

async function startsArray(connection: DuckDBConnection, path: string): Promise<boolean> {
  try {
    await connection.run(`SELECT 1 FROM ${arraySource(path)} LIMIT 1`);
    return true;
  } catch {
    return false;
  }
}

/** Text columns with JSON become part of the message. */
async function parquetLines(connection: DuckDBConnection, path: string): Promise<string> {
  const source = `read_parquet(${quote(path)}, hive_partitioning = false)`;
  const columns = await describeColumns(connection, source);
  const texts = ['event', 'msg', 'message'].filter((name) => columns.get(name) === 'VARCHAR');
  const replaced = texts.length === 0 ? '' : ` REPLACE (${texts.map((name) => `${name}::JSON AS ${name}`).join(', ')})`;
  return `(SELECT to_json(message)::VARCHAR AS line FROM (SELECT *${replaced} FROM ${source}) message)`;
}

export async function describeColumns(
  connection: DuckDBConnection,
  source: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await fetchRows(connection, `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${source})`);
  return new Map(rows.map((row) => [String(row['column_name']), String(row['column_type'])]));
}

/** Lines that DuckDB could not return as text; clears them. */
export async function takeRejects(connection: DuckDBConnection): Promise<{ count: number; example: string | null }> {
  const tables = await fetchRows(connection, `SELECT 1 FROM duckdb_tables() WHERE table_name = 'reject_errors'`);
  if (tables.length === 0) return { count: 0, example: null };
  const [row] = await fetchRows(
    connection,
    `SELECT count(DISTINCT line) AS count, min(csv_line) AS example FROM reject_errors`,
  );
  await connection.run('DROP TABLE reject_errors');
  await connection.run('DROP TABLE reject_scans');
  const example = row?.['example'] ?? null;
  return { count: Number(row?.['count'] ?? 0), example: example === null ? null : String(example) };
}
