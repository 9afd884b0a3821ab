/** Streams the files of a market as chunks. A snapshot is used as a new book only if rows before it are missing. */

import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { EVENT, type EventChunk, type RecordingWarning } from '../contract.js';
import { summarizeEvents } from './day-folder.js';
import { connect, fileError, streamChunks, typedColumn, withConnection } from './duckdb.js';
import {
  bookSelect,
  chunkSelect,
  MANIFEST,
  MARKER,
  parquetName,
  parquetSource,
  parseName,
  segmentSource,
} from './layout.js';
import { type EventsFile, eventsFiles, fileState, readManifest, sha256 } from './manifest.js';

/**
 * Streams the events of these files, and puts new warnings into `warnings`. Throws TwinbookError `recording_invalid`
 * for a file that differs from its manifest.
 */
export async function* readChunks(parts: readonly EventsPart[], warnings: RecordingWarning[]) {
  warnings.length = 0;
  const order = new OrderCheck();
  const connection = await connect();
  try {
    for (const [at, given] of parts.entries()) {
      const part = findMoved(given);
      await checkPart(part);
      if (part.first_seq !== (parts[at - 1]?.last_seq ?? 0) + 1) {
        const message = 'rows before this file are missing: the book starts with it';
        warnings.push({ path: part.path, message });
        yield* decode(connection, part, bookSelect(makeSourceSql(part), part.first_seq), order);
      }
      yield* decode(connection, part, chunkSelect(makeSourceSql(part)), order);
    }
  } finally {
    connection.closeSync();
  }
  if (!order.ended) {
    const path = parts.at(-1)?.path ?? '';
    warnings.push({ path, message: 'the recording stops before the close of the market: the market ends there' });
    yield endAt(order.lastMs);
  }
}

/** State of each checked file, by path. Backtests read a file many times, and check it once per state. */
const intact = new Map<string, string>();
const INTACT_FILES = 10_000;

/** Checks a closed file. Throws TwinbookError `recording_invalid` if its checksum differs from the manifest. */
async function checkPart({ path, sha256: written }: EventsPart): Promise<void> {
  if (written === null) return;
  const state = `${written} ${fileState(path)}`;
  if (intact.get(path) === state) return;
  const sum = await sha256(path).catch((error: unknown) => {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  });
  if (sum !== written) {
    throw new TwinbookError(
      'recording_invalid',
      `${path} has the checksum ${sum}, its manifest says ${written}`,
      'the file was changed or damaged; `twinbook data verify` checks all files',
    );
  }
  if (intact.size >= INTACT_FILES) intact.clear();
  intact.set(path, state);
}

async function* decode(connection: DuckDBConnection, part: EventsPart, sql: string, order: OrderCheck) {
  for await (const rows of streamChunks(connection, sql, `cannot read ${part.path}`)) {
    const chunk = readEvents(rows);
    order.check(chunk, part.path);
    if (chunk.length > 0) yield chunk;
  }
}

function readEvents(rows: DuckDBDataChunk): EventChunk {
  const chunk = {
    length: rows.rowCount,
    timeMs: typedColumn(rows, 0, Float64Array),
    kind: typedColumn(rows, 1, Uint8Array),
    side: typedColumn(rows, 2, Uint8Array),
    priceMicros: typedColumn(rows, 3, Int32Array),
    amountMicros: typedColumn(rows, 4, Float64Array),
  };
  const { length, timeMs, kind, side, priceMicros, amountMicros } = chunk;
  const figures = [side, priceMicros, amountMicros];
  const columns = [timeMs, kind, ...figures];
  let events = 0;
  for (let at = 0; at < length; at++) {
    // The cast is safe, because the columns have `length` entries.
    const what = kind[at] as number;
    if (what === MARKER) continue;
    if (events !== at) for (const column of columns) column[events] = column[at] ?? 0;
    // These events have neither side nor price nor amount.
    if (what === EVENT.clear || what === EVENT.end) for (const column of figures) column[events] = 0;
    events++;
  }
  return { ...chunk, length: events };
}

const endAt = (timeMs: number): EventChunk => ({
  length: 1,
  timeMs: Float64Array.of(timeMs),
  kind: Uint8Array.of(EVENT.end),
  side: Uint8Array.of(0),
  priceMicros: Int32Array.of(0),
  amountMicros: Float64Array.of(0),
});

/** Checks the stream's guarantees: times never decrease, and nothing follows the end. */
class OrderCheck {
  lastMs = Number.NEGATIVE_INFINITY;
  ended = false;

  check(chunk: EventChunk, path: string): void {
    let last = this.lastMs;
    const { length, timeMs } = chunk;
    for (let at = 0; at < length; at++) {
      // The cast is safe, because the columns have `length` entries.
      const time = timeMs[at] as number;
      if (!(time >= last)) throw this.#makeDamageError(path, `time runs backwards, from ${last} to ${time}`);
      last = time;
    }
    if (length === 0) return;
    if (this.ended) throw this.#makeDamageError(path, 'events follow the end of the market');
    this.lastMs = last;
    this.ended = chunk.kind[length - 1] === EVENT.end;
  }

  #makeDamageError(path: string, what: string): TwinbookError {
    const hint = '`twinbook data verify` shows every file that is damaged';
    return new TwinbookError('recording_invalid', `${path}: ${what}`, hint);
  }
}

export interface EventsPart extends Omit<EventsFile, 'table' | 'name' | 'rows' | 'sha256'> {
  readonly path: string;
  /** True for the JSON lines of an open segment, false for Parquet. */
  readonly isSegment: boolean;
  /** Checksum in the manifest, lower-case hex; null for an open segment. */
  readonly sha256: string | null;
}

export const closedPart = (folder: string, file: EventsFile): EventsPart => ({
  ...file,
  path: join(folder, file.name),
  isSegment: false,
});

/** Returns the Parquet file of a segment that was closed after the recording was opened; else the part itself. */
function findMoved(part: EventsPart): EventsPart {
  const { path, isSegment } = part;
  if (!isSegment || existsSync(path)) return part;
  const folder = dirname(path);
  const name = parquetName('events', parseName(basename(path))?.number ?? 0);
  const manifest = readManifest(join(folder, MANIFEST));
  const closed = manifest === null ? undefined : eventsFiles(manifest).find((file) => file.name === name);
  return closed === undefined ? part : closedPart(folder, closed);
}

const makeSourceSql = ({ path, isSegment }: EventsPart): string =>
  isSegment ? segmentSource(path, 'events') : parquetSource(path);

/** Inspects an open segment; null without events. Throws TwinbookError `recording_invalid`. */
export async function openSegment(path: string): Promise<EventsPart | null> {
  try {
    const found = await withConnection((connection) => summarizeEvents(connection, segmentSource(path, 'events')));
    return found.rows === 0 ? null : { ...found, path, isSegment: true, bytes: statSync(path).size, sha256: null };
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  }
}
