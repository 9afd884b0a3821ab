/**
 * Streams the files of a market as one run of chunks. Snapshots are skipped as redundant; only where the stream begins
 * in mid-book, or a file is missing, the next snapshot becomes a new book.
 */

import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { EVENT, type EventChunk, type RecordedMarket, type RecordingWarning } from '../contract.js';
import { connect, fileError, streamChunks, typedColumn } from './duckdb.js';
import { checkRows, type EventsPart, findMoved, makeSourceSql } from './events-part.js';
import { fileState, sha256 } from './files.js';
import { computeTick } from './market-file.js';
import { bookSelect, chunkSelect, MARKER } from './tables.js';

/** `warnings` is reset. Throws TwinbookError `recording_invalid` for a file that differs from its manifest. */
export async function* readChunks(
  parts: readonly EventsPart[],
  market: RecordedMarket,
  warnings: RecordingWarning[],
): AsyncGenerator<EventChunk> {
  warnings.length = 0;
  const order = new OrderCheck();
  const connection = await connect();
  try {
    for (const [at, given] of parts.entries()) {
      const part = findMoved(given);
      await checkPart(connection, part, computeTick(market));
      if (part.first_seq !== (parts[at - 1]?.last_seq ?? 0) + 1) {
        const message = 'rows before this file are missing: the book starts with it';
        warnings.push({ path: part.path, message });
        yield* decode(connection, part, bookSelect(makeSourceSql(part), part.first_seq), order);
      }
      yield* wholePart(connection, part, makeSourceSql(part), order);
    }
  } finally {
    connection.closeSync();
  }
  if (!order.ended) {
    const path = parts.at(-1)?.path ?? '';
    warnings.push({ path, message: 'the recording stops before the close of the market: it ends there' });
    yield endAt(order.lastMs);
  }
}

/** Once is enough while the files are unchanged: a backtest reads the same files for every fill model and market. */
const intact = new Map<string, string>();
const INTACT_FILES = 10_000;

/** Throws TwinbookError `recording_invalid` for a closed file that differs from the written one. */
async function checkPart(connection: DuckDBConnection, part: EventsPart, tickMicros: number): Promise<void> {
  if (part.isSegment) return;
  const state = `${part.sha256} ${tickMicros} ${fileState(part.path)}`;
  if (intact.get(part.path) === state) return;
  const sum = part.sha256 === null ? null : await computeChecksum(part.path);
  if (sum !== part.sha256) {
    throw new TwinbookError(
      'recording_invalid',
      `${part.path} has the checksum ${sum}, its manifest says ${part.sha256}`,
      'it was changed or damaged; `twinbook data verify` checks all files',
    );
  }
  await checkRows(connection, part.path, tickMicros);
  if (intact.size >= INTACT_FILES) intact.clear();
  intact.set(part.path, state);
}

async function computeChecksum(path: string): Promise<string> {
  try {
    return await sha256(path);
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  }
}

async function* wholePart(
  connection: DuckDBConnection,
  part: EventsPart,
  source: string,
  order: OrderCheck,
): AsyncGenerator<EventChunk> {
  let events = 0;
  for await (const chunk of decode(connection, part, chunkSelect(source), order)) {
    events += chunk.length;
    yield chunk;
  }
  // An open segment grows while it is read; closed files do not change.
  const wanted = Object.values(part.kinds).reduce((sum, count) => sum + count, 0);
  if (part.isSegment || events === wanted) return;
  throw new TwinbookError(
    'recording_invalid',
    `${part.path} holds ${events} events, its manifest says ${wanted}`,
    'the file was changed; `twinbook data verify` checks all files',
  );
}

async function* decode(
  connection: DuckDBConnection,
  part: EventsPart,
  sql: string,
  order: OrderCheck,
): AsyncGenerator<EventChunk> {
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
  const { length, kind } = chunk;
  let events = 0;
  for (let at = 0; at < length; at++) {
    // A column is as long as its chunk.
    const what = kind[at] as number;
    if (what === MARKER) continue;
    if (events !== at) move(chunk, at, events);
    if (what === EVENT.clear || what === EVENT.end) zero(chunk, events);
    events++;
  }
  return { ...chunk, length: events };
}

function move(chunk: EventChunk, from: number, to: number): void {
  const { timeMs, kind, side, priceMicros, amountMicros } = chunk;
  for (const column of [timeMs, kind, side, priceMicros, amountMicros]) column[to] = column[from] ?? 0;
}

function zero({ side, priceMicros, amountMicros }: EventChunk, at: number): void {
  for (const column of [side, priceMicros, amountMicros]) column[at] = 0;
}

const endAt = (timeMs: number): EventChunk => ({
  length: 1,
  timeMs: Float64Array.of(timeMs),
  kind: Uint8Array.of(EVENT.end),
  side: Uint8Array.of(0),
  priceMicros: Int32Array.of(0),
  amountMicros: Float64Array.of(0),
});

/** Checks the stream's guarantees: time goes forward, and nothing follows the end. */
class OrderCheck {
  lastMs = Number.NEGATIVE_INFINITY;
  ended = false;

  check(chunk: EventChunk, path: string): void {
    let last = this.lastMs;
    const { length, timeMs } = chunk;
    for (let at = 0; at < length; at++) {
      // A column is as long as its chunk.
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
