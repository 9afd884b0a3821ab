/** One file of events, closed or open, and what is known of it before it is streamed. */

import { statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { checkRows } from './checked-rows.js';
import { fetchRows, fileError, withConnection } from './duckdb.js';
import type { EventsFile } from './manifest.js';
import { summarizeEvents } from './parquet-files.js';
import { parquetSource, segmentSource } from './tables.js';

export interface EventsPart {
  readonly path: string;
  /** Lines of an open segment; else Parquet. */
  readonly isSegment: boolean;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Rows of each kind of the stream. */
  readonly events: EventsFile['kinds'];
  readonly gaps: EventsFile['gaps'];
  readonly bytes: number;
  /** As the manifest says, lower-case hex; null where none lists it. */
  readonly sha256: string | null;
}

/** Its rows as a table of SQL. */
export const makeSourceSql = ({ path, isSegment }: EventsPart): string =>
  isSegment ? segmentSource(path, 'events') : parquetSource(path);

/**
 * Looks through an open segment, or a Parquet file that no manifest tells about; null when it has no events. What is
 * written to it later is not seen. Throws TwinbookError `recording_invalid` for a file that cannot be read.
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
    if (found.rows === 0) return null;
    return {
      path,
      isSegment,
      firstSeq: found.first_seq,
      lastSeq: found.last_seq,
      firstMs: found.first_ms,
      lastMs: found.last_ms,
      events: found.kinds,
      gaps: found.gaps,
      bytes: statSync(path).size,
      sha256: null,
    };
  });
}

/** Files of others need not have the column, which gaps alone fill. */
async function withReasons(connection: DuckDBConnection, source: string): Promise<string> {
  const columns = await fetchRows(connection, `SELECT column_name AS name FROM (DESCRIBE SELECT * FROM ${source})`);
  const hasReasons = columns.some(({ name }) => name === 'reason');
  return hasReasons ? source : `(SELECT *, NULL::VARCHAR AS reason FROM ${source})`;
}
