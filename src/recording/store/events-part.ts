/** One file of events, closed or open, and its facts before it is streamed. */

import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { checkRows } from './checked-rows.js';
import { fetchRows, fileError, withConnection } from './duckdb.js';
import { MANIFEST, parquetName, parseName } from './layout.js';
import { type EventsFile, eventsFiles, readManifest } from './manifest.js';
import { summarizeEvents } from './parquet-files.js';
import { parquetSource, segmentSource } from './tables.js';

/** Figures as listed by a manifest. */
export interface EventsPart extends Omit<EventsFile, 'table' | 'name' | 'rows' | 'sha256'> {
  readonly path: string;
  /** Lines of an open segment; else Parquet. */
  readonly isSegment: boolean;
  /** From the manifest, lower-case hex; null without one. */
  readonly sha256: string | null;
}

/** A closed file as listed by its manifest. */
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

/** Its rows as a table of SQL. */
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
