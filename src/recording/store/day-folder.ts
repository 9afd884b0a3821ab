/** Reads the files of one market and UTC day (Parquet files and open segments), and converts segments to Parquet. */

import { readdirSync, readFileSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type TwinbookError, unreadable } from '../../shared/base/errors.js';
import { syncFolder } from '../../shared/base/files.js';
import { parseJson } from '../../shared/base/text.js';
import { fetchRows, fileError, numberOrNull, withConnection } from './duckdb.js';
import {
  columnList,
  isDayFolder,
  MANIFEST,
  MARKET,
  parquetName,
  parquetSource,
  parseName,
  quote,
  type RecordedTable,
  STREAM_KINDS,
  segmentLines,
  segmentName,
  segmentSource,
  TABLES,
} from './layout.js';
import { type EventsFile, FORMAT, type Manifest, readManifest, readMarket, sha256, writeJson } from './manifest.js';

/** Rows in a row group of a Parquet file. A reader keeps one group in memory and reads the next group ahead. */
const GROUP_ROWS = 61_440;

/** Writes a segment's Parquet files under temporary names, checks, syncs and renames them. A failure leaves no file. */
async function writeParquet(connection: DuckDBConnection, folder: string, number: number, segment: string) {
  const files: Manifest['files'] = [];
  // Only tables with rows are written, because each table costs one more read of the segment.
  const kinds = await fetchRows(connection, `SELECT DISTINCT "table" AS name FROM ${segmentLines(segment)}`);
  for (const table of TABLES.filter((table) => kinds.some(({ name }) => name === table))) {
    const name = parquetName(table, number);
    const temporary = join(folder, `.${name}.tmp`);
    try {
      const meta = `KV_METADATA {format: ${quote(FORMAT.format)}, version: ${quote(String(FORMAT.version))}, "table": ${quote(table)}}`;
      await connection.run(
        `COPY (SELECT ${columnList(table)} FROM ${segmentSource(segment, table)}) TO ${quote(temporary)}
         (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS}, ${meta})`,
      );
      const about = await describe(connection, temporary, table, name);
      if (about.rows === 0) continue;
      await syncFile(temporary);
      await rename(temporary, join(folder, name));
      files.push(about);
    } finally {
      await rm(temporary, { force: true });
    }
  }
  return files;
}

/** Returns the manifest's entry for a file; reads the content back from the written file. */
async function describe(connection: DuckDBConnection, path: string, table: RecordedTable, name: string) {
  const source = parquetSource(path);
  const checksum = { name, bytes: (await stat(path)).size, sha256: await sha256(path) };
  if (table !== 'events') {
    const [row] = await fetchRows(connection, `SELECT count(*) AS rows FROM ${source}`);
    return { table, ...checksum, rows: Number(row?.['rows']) };
  }
  return { table, ...checksum, ...(await summarizeEvents(connection, source)) };
}

export async function summarizeEvents(connection: DuckDBConnection, source: string) {
  const sql = `SELECT kind, count(*) AS rows, min(seq) AS first_seq, max(seq) AS last_seq, min(time_ms) AS first_ms,
    max(time_ms) AS last_ms FROM ${source} GROUP BY kind`;
  const kinds = await fetchRows(connection, sql);
  const valuesOf = (column: string) => kinds.map((row) => Number(row[column]));
  const rowsOf = (kind: string) => Number(kinds.find((row) => row['kind'] === kind)?.['rows'] ?? 0);
  const isEmpty = kinds.length === 0;
  return {
    rows: valuesOf('rows').reduce((sum, rows) => sum + rows, 0),
    first_ms: isEmpty ? null : Math.min(...valuesOf('first_ms')),
    last_ms: isEmpty ? null : Math.max(...valuesOf('last_ms')),
    first_seq: isEmpty ? 0 : Math.min(...valuesOf('first_seq')),
    last_seq: isEmpty ? 0 : Math.max(...valuesOf('last_seq')),
    kinds: Object.fromEntries(STREAM_KINDS.map((kind) => [kind, rowsOf(kind)])) as EventsFile['kinds'],
    // The search for gaps takes as long as all other checks, so it is skipped for a file without gaps.
    gaps: rowsOf('gap') > 0 ? await readGaps(connection, source) : [],
  };
}

/** Reads the gaps in a table of events. A gap ends with the row that follows it. */
async function readGaps(connection: DuckDBConnection, source: string): Promise<EventsFile['gaps']> {
  const sql = `SELECT gap.time_ms AS from_ms, next.time_ms AS to_ms, coalesce(gap.reason, '') AS reason
    FROM (SELECT * FROM ${source} WHERE kind = 'gap') gap
    LEFT JOIN ${source} next ON next.seq = gap.seq + 1 ORDER BY gap.seq`;
  return (await fetchRows(connection, sql)).map((row) => ({
    from_ms: Number(row['from_ms']),
    to_ms: numberOrNull(row['to_ms']),
    reason: String(row['reason']),
  }));
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

export const parseDay = (folder: string): string => basename(resolve(folder)).replace('date=', '');

export function conditionIdIn(folder: string): string {
  const full = resolve(folder);
  return decodeURIComponent(basename(isDayFolder(full) ? dirname(full) : full).replace('market=', ''));
}

/** Returns the numbers of the folder's open segments that are not yet converted to Parquet, oldest first. */
export function openSegments(folder: string, manifest: Manifest | null): number[] {
  const closed = new Set((manifest?.files ?? []).map((file) => parseName(file.name)?.number));
  return readdirSync(folder)
    .flatMap((name) => parseName(name) ?? [])
    .filter(({ table, number }) => table === 'segment' && !closed.has(number))
    .map(({ number }) => number)
    .sort((a, b) => a - b);
}

/** Returns the sorted names of Parquet files that the manifest does not list, without those of open segments. */
export function unlistedFiles(folder: string, manifest: Manifest | null): string[] {
  const listed = new Set(manifest?.files.map((file) => file.name));
  const open = openSegments(folder, manifest);
  return readdirSync(folder)
    .filter((name) => {
      const file = parseName(name);
      return file !== null && file.table !== 'segment' && !listed.has(name) && !open.includes(file.number);
    })
    .sort();
}

export const closedFiles = (folder: string, manifest: Manifest | null, table: RecordedTable): string[] =>
  (manifest?.files ?? []).filter((file) => file.table === table).map(({ name }) => join(folder, name));

/** Converts a segment into Parquet, then deletes it. A crash never duplicates a row. Throws `file_unreadable`. */
export async function closeSegment(folder: string, number: number, counts: ReturnType<typeof readCounts>) {
  const path = join(folder, MANIFEST);
  const segment = join(folder, segmentName(number));
  try {
    const before = readManifest(path);
    const more = await withConnection((connection) => writeParquet(connection, folder, number, segment));
    const manifest: Manifest = {
      ...FORMAT,
      condition_id: before?.condition_id ?? conditionIdIn(folder),
      date: before?.date ?? parseDay(folder),
      // The market's description is written before the first segment.
      origin: before?.origin ?? readMarket(join(folder, MARKET), folder)?.market.source.origin ?? '',
      files: [...(before?.files ?? []), ...more],
      refused: (before?.refused ?? 0) + counts.refused,
      stepped_back: (before?.stepped_back ?? 0) + counts.steppedBack,
      broken_lines: (before?.broken_lines ?? 0) + counts.brokenLines,
    };
    writeJson(path, manifest);
    await rm(segment, { force: true });
    syncFolder(folder);
  } catch (error) {
    throw fileError('file_unreadable', `cannot write the recording in ${folder}`, error);
  }
}

/** Reads the counts that a segment stores, and the number of its truncated or broken lines. */
export function readCounts(path: string) {
  const counts = { refused: 0, steppedBack: 0, brokenLines: 0 };
  // A segment is closed long before it becomes too large for memory.
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    const row = parseJson(line) as { table?: unknown; refused: unknown; stepped_back: unknown } | undefined;
    if (row === undefined) counts.brokenLines++;
    if (row?.table !== 'counts') continue;
    counts.refused = Number(row.refused);
    counts.steppedBack = Number(row.stepped_back);
  }
  return counts;
}

export function unreadableFolder(folder: string, error: unknown): TwinbookError {
  const hint = 'Check the folder, its permissions and the free space on its disk.';
  return unreadable(`cannot write recordings to ${folder}`, error, hint);
}
