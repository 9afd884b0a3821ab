/** One file of events, closed or open, and what is known of it before it is streamed. */

import { statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { checkRows } from './checked-rows.js';
import { fetchRows, fileError, numberOrNull, toNumber, withConnection } from './duckdb.js';
import type { EventsFile } from './manifest.js';
import { readGaps } from './parquet-files.js';
import { parquetSource, STREAM_KINDS, segmentSource } from './tables.js';

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
    const rows = await fetchRows(
      connection,
      `SELECT kind, count(*) AS rows, min(seq) AS first_seq, max(seq) AS last_seq,
        min(time_ms) AS first_ms, max(time_ms) AS last_ms FROM ${source} GROUP BY kind`,
    );
    if (rows.length === 0) return null;
    const of = (column: string) => rows.map((row) => toNumber(row[column]));
    const count = (kind: string): number => toNumber(rows.find((row) => row['kind'] === kind)?.['rows'] ?? 0);
    return {
      path,
      isSegment,
      firstSeq: Math.min(...of('first_seq')),
      lastSeq: Math.max(...of('last_seq')),
      firstMs: numberOrNull(Math.min(...of('first_ms'))),
      lastMs: numberOrNull(Math.max(...of('last_ms'))),
      events: Object.fromEntries(STREAM_KINDS.map((kind) => [kind, count(kind)])) as EventsPart['events'],
      gaps: await readGaps(connection, await withReasons(connection, source)),
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
