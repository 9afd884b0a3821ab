/** One file of events, closed or open, and its facts before it is streamed. */

import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { fetchRows, fileError, toNumber, withConnection } from './duckdb.js';
import { ROW } from './event-columns.js';
import { MANIFEST, parquetName, parseName } from './layout.js';
import { type EventsFile, eventsFiles, FORMAT, readManifest } from './manifest.js';
import { summarizeEvents } from './parquet-files.js';
import { parquetSource, quote, segmentSource } from './tables.js';

export interface EventsPart extends Omit<EventsFile, 'table' | 'name' | 'rows' | 'sha256'> {
  readonly path: string;
  /** Lines of an open segment; else Parquet. */
  readonly isSegment: boolean;
  /** From the manifest, lower-case hex; null without one. */
  readonly sha256: string | null;
}

export const closedPart = (folder: string, file: EventsFile): EventsPart => ({
  ...file,
  path: join(folder, file.name),
  isSegment: false,
});

/** File of a segment closed after the recording was opened; else the part itself. */
export function findMoved(part: EventsPart): EventsPart {
  const { path, isSegment } = part;
  if (!isSegment || existsSync(path)) return part;
  const folder = dirname(path);
  const name = parquetName('events', parseName(basename(path))?.number ?? 0);
  const manifest = readManifest(join(folder, MANIFEST));
  const closed = manifest === null ? undefined : eventsFiles(manifest).find((file) => file.name === name);
  return closed === undefined ? part : closedPart(folder, closed);
}

export const makeSourceSql = ({ path, isSegment }: EventsPart): string =>
  isSegment ? segmentSource(path, 'events') : parquetSource(path);

/**
 * Inspects an open segment, or a Parquet file without a manifest; null without events. Later writes are not seen.
 * Throws TwinbookError `recording_invalid` for an unreadable file.
 */
export async function openPart(path: string, isSegment: boolean): Promise<EventsPart | null> {
  try {
    return await lookThrough(path, isSegment);
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  }
}

async function lookThrough(path: string, isSegment: boolean): Promise<EventsPart | null> {
  const source = isSegment ? segmentSource(path, 'events') : parquetSource(path);
  return withConnection(async (connection) => {
    if (!isSegment) await checkRows(connection, path, null);
    const found = await summarizeEvents(connection, await withReasons(connection, source));
    return found.rows === 0 ? null : { ...found, path, isSegment, bytes: statSync(path).size, sha256: null };
  });
}

/** Foreign files may lack the column, which only gaps use. */
async function withReasons(connection: DuckDBConnection, source: string): Promise<string> {
  const columns = await fetchRows(connection, `SELECT column_name AS name FROM (DESCRIBE SELECT * FROM ${source})`);
  const hasReasons = columns.some(({ name }) => name === 'reason');
  return hasReasons ? source : `(SELECT *, NULL::VARCHAR AS reason FROM ${source})`;
}

const PRICED = "kind IN ('level', 'trade', 'snapshot_level')";

/** Conditions of rows, with words for the violations. A comparison with null is not true. */
const mustBe = (tickMicros: number): Readonly<Record<string, string>> => ({
  'a seq that is not above the one before it': 'seq > coalesce(before, 0)',
  'a time_ms that is no number of Unix ms': 'time_ms BETWEEN -8640000000000000 AND 8640000000000000',
  'a kind that is not known': `kind IN (${Object.keys(ROW).map(quote).join(', ')})`,
  'a side other than bid and ask': `NOT (${PRICED}) OR side IN ('bid', 'ask')`,
  'a price_micros off the tick, or not between 0 and 1000000': `NOT (${PRICED}) OR
    (price_micros > 0 AND price_micros < 1000000 AND price_micros % ${tickMicros} = 0)`,
  'an amount_micros that is no whole number of zero or more': `NOT (${PRICED}) OR
    (amount_micros BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} AND amount_micros = floor(amount_micros))`,
});

/**
 * Throws TwinbookError `recording_invalid` for a foreign file of events with an invalid row: our own writer checks before
 * it writes, and marks its files.
 * @param tickMicros null while the market is unknown: prices on any tick are allowed
 */
export async function checkRows(connection: DuckDBConnection, path: string, tickMicros: number | null): Promise<void> {
  let faults: readonly string[];
  try {
    if (await isOurs(connection, path)) return;
    faults = await findFaults(connection, path, mustBe(tickMicros ?? 1));
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path} as events of a recording`, error);
  }
  if (faults.length === 0) return;
  throw new TwinbookError(
    'recording_invalid',
    `${path} has rows that are no events of its market: ${faults.join(', ')}`,
    'docs/recordings.md says what each column holds',
  );
}

async function isOurs(connection: DuckDBConnection, path: string): Promise<boolean> {
  const rows = await fetchRows(
    connection,
    `SELECT 1 FROM parquet_kv_metadata(${quote(path)}) WHERE decode(key) = 'format' AND decode(value) = ${quote(FORMAT)}`,
  );
  return rows.length > 0;
}

async function findFaults(
  connection: DuckDBConnection,
  path: string,
  checks: Readonly<Record<string, string>>,
): Promise<string[]> {
  const counts = Object.values(checks).map(
    (check, at) => `count(*) FILTER (WHERE ((${check}) IS NOT TRUE)) AS fault_${at}`,
  );
  const [row] = await fetchRows(
    connection,
    `SELECT ${counts.join(', ')} FROM (SELECT seq, time_ms, kind, side, price_micros, amount_micros,
      lag(seq) OVER () AS before FROM ${parquetSource(path)})`,
  );
  return Object.keys(checks).flatMap((words, at) => {
    const count = toNumber(row?.[`fault_${at}`] ?? 0);
    return count === 0 ? [] : `${count} with ${words}`;
  });
}
