/** Writes a segment's Parquet files: to a temporary name, read back, synced, renamed. */

import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { must } from '../../shared/base/errors.js';
import { appendRows, fetchRows, numberOrNull, toNumber } from './duckdb.js';
import { sha256 } from './json-file.js';
import { parquetName, TABLES, type Table } from './layout.js';
import { type EventsFile, FORMAT, type OtherFile, VERSION } from './manifest.js';
import { type EventColumns, ROW } from './segment.js';
import { COLUMNS, parquetSource, quote, STREAM_KINDS, segmentSource } from './tables.js';

/** Rows of a row group: a reader's memory at a time, with room for reading ahead. */
const GROUP_ROWS = 61_440;

export interface SegmentRows {
  /** The segment's file; null without one. */
  readonly path: string | null;
  /** Its events, when they are not in the file. */
  readonly columns: EventColumns | null;
}

/** Writes the files with this number in the folder, for every table with rows. Leaves nothing behind when it throws. */
export async function writeParquet(
  connection: DuckDBConnection,
  folder: string,
  number: number,
  rows: SegmentRows,
): Promise<(EventsFile | OtherFile)[]> {
  const files: (EventsFile | OtherFile)[] = [];
  for (const table of TABLES) {
    if (!mayHold(rows, table)) continue;
    const name = parquetName(table, number);
    const temporary = join(folder, `.${name}.tmp`);
    try {
      await copy(connection, await openSource(connection, rows, table), table, temporary);
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

const mayHold = ({ path, columns }: SegmentRows, table: Table): boolean =>
  table === 'events' && columns !== null ? columns.length > 0 : path !== null;

async function openSource(connection: DuckDBConnection, { path, columns }: SegmentRows, table: Table): Promise<string> {
  if (table === 'events' && columns !== null) return appendColumns(connection, columns);
  return segmentSource(must(path, 'the file of a segment'), table);
}

async function copy(connection: DuckDBConnection, source: string, table: Table, path: string): Promise<void> {
  const columns = Object.keys(COLUMNS[table])
    .map((name) => `"${name}"`)
    .join(', ');
  const meta = `KV_METADATA {format: ${quote(FORMAT)}, version: ${quote(String(VERSION))}, "table": ${quote(table)}}`;
  await connection.run(
    `COPY (SELECT ${columns} FROM ${source}) TO ${quote(path)}
     (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS}, ${meta})`,
  );
}

/** Adds events in memory to a table of this connection. Their numbers are the indexes of its rows. */
async function appendColumns(connection: DuckDBConnection, events: EventColumns): Promise<string> {
  await connection.run(`CREATE TEMP TABLE pending (time DOUBLE, seen DOUBLE, kind UTINYINT, side UTINYINT,
    price INTEGER, amount DOUBLE)`);
  let left = events.length;
  for (const { timeMs, seenMs, kind, side, priceMicros, amountMicros } of events.blocks) {
    const columns = [timeMs, seenMs, kind, side, priceMicros, amountMicros];
    await appendRows(connection, 'pending', columns, Math.min(left, timeMs.length));
    left -= timeMs.length;
  }
  const names = Object.entries(ROW).map(([name, code]) => `WHEN ${code} THEN ${quote(name)}`);
  const priced = `kind IN (${ROW.level}, ${ROW.trade}, ${ROW.snapshot_level})`;
  const reasons = events.reasons.length === 0 ? 'NULL' : `([${events.reasons.map(quote).join(', ')}])[price]`;
  return `(SELECT rowid + ${events.firstSeq} AS seq, time::BIGINT AS time_ms,
    (CASE WHEN isnan(seen) THEN NULL ELSE seen END)::BIGINT AS seen_ms,
    CASE kind ${names.join(' ')} END AS kind,
    CASE WHEN ${priced} THEN CASE side WHEN 0 THEN 'bid' ELSE 'ask' END END AS side,
    CASE WHEN ${priced} THEN price END AS price_micros,
    CASE WHEN ${priced} THEN amount::BIGINT END AS amount_micros,
    CASE WHEN kind = ${ROW.gap} THEN ${reasons} END AS reason FROM pending)`;
}

/** A file's manifest entry, read back from the file itself before it counts. */
async function describe(
  connection: DuckDBConnection,
  path: string,
  table: Table,
  name: string,
): Promise<EventsFile | OtherFile> {
  const source = parquetSource(path);
  const checksum = { name, bytes: (await stat(path)).size, sha256: await sha256(path) };
  if (table !== 'events') {
    const [row] = await fetchRows(connection, `SELECT count(*) AS rows FROM ${source}`);
    return { table, ...checksum, rows: toNumber(row?.['rows']) };
  }
  return { table, ...checksum, ...(await summarizeEvents(connection, source)) };
}

export async function summarizeEvents(connection: DuckDBConnection, source: string) {
  const kinds = await fetchRows(
    connection,
    `SELECT kind, count(*) AS rows, min(seq) AS first_seq, max(seq) AS last_seq, min(time_ms) AS first_ms,
      max(time_ms) AS last_ms FROM ${source} GROUP BY kind`,
  );
  const valuesOf = (column: string) => kinds.map((row) => toNumber(row[column]));
  const rowsOf = (kind: string) => toNumber(kinds.find((row) => row['kind'] === kind)?.['rows'] ?? 0);
  const isEmpty = kinds.length === 0;
  return {
    rows: valuesOf('rows').reduce((sum, rows) => sum + rows, 0),
    first_ms: isEmpty ? null : Math.min(...valuesOf('first_ms')),
    last_ms: isEmpty ? null : Math.max(...valuesOf('last_ms')),
    first_seq: isEmpty ? 0 : Math.min(...valuesOf('first_seq')),
    last_seq: isEmpty ? 0 : Math.max(...valuesOf('last_seq')),
    kinds: Object.fromEntries(STREAM_KINDS.map((kind) => [kind, rowsOf(kind)])) as EventsFile['kinds'],
    // Searching them costs as much as all the rest, and most files have none.
    gaps: rowsOf('gap') > 0 ? await readGaps(connection, source) : [],
  };
}

/** Gaps of a table of events, each up to the row after it. */
async function readGaps(connection: DuckDBConnection, source: string): Promise<EventsFile['gaps']> {
  const rows = await fetchRows(
    connection,
    `SELECT gap.time_ms AS from_ms, next.time_ms AS to_ms, coalesce(gap.reason, '') AS reason
     FROM (SELECT * FROM ${source} WHERE kind = 'gap') gap
     LEFT JOIN ${source} next ON next.seq = gap.seq + 1 ORDER BY gap.seq`,
  );
  return rows.map((row) => ({
    from_ms: toNumber(row['from_ms']),
    to_ms: numberOrNull(row['to_ms']),
    reason: String(row['reason']),
  }));
}

export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
