/** Opens a market's folder. A snapshot in a file replaces the book only if rows before the snapshot are missing. */

import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import type { TwinbookError } from '../../shared/base/errors.js';
import { ChunkWriter } from '../chunks.js';
import {
  EVENT,
  type EventChunk,
  invalidRecording,
  type RecordedFeedValue,
  type RecordedGap,
  type RecordedMarket,
  type RecordedPoll,
  type Recording,
  type RecordingSummary,
  type RecordingWarning,
} from '../contract.js';
import { closedFiles, conditionIdIn, openSegments, readCounts, summarizeEvents, unlistedFiles } from './day-folder.js';
import { connect, fileError, numberOrNull, streamChunks, typedColumn, withConnection } from './duckdb.js';
import {
  COLUMNS,
  dayFolders,
  isDayFolder,
  MANIFEST,
  MARKET,
  parquetName,
  parquetSource,
  parseName,
  type RecordedTable,
  segmentName,
  segmentSource,
} from './layout.js';
import { type EventsFile, eventsFiles, type Manifest, readManifest, readMarket, sha256 } from './manifest.js';

const MARKER = 255;

/** Returns SQL for the book at the start of a file, as events: the file's first snapshot, or an empty book. */
const bookSelect = (source: string, firstSeq: number): string => `
  WITH head AS (SELECT * FROM ${source} WHERE seq < coalesce(
    (SELECT min(seq) FROM ${source} WHERE kind NOT IN ('snapshot', 'snapshot_level')), ${Number.MAX_SAFE_INTEGER}))
  SELECT ${CHUNK_COLUMNS} FROM (
    SELECT seq, time_ms, 'clear' AS kind, NULL AS side, NULL AS price_micros, NULL AS amount_micros
      FROM ${source} WHERE seq = ${firstSeq}
    UNION ALL
    SELECT seq, time_ms, 'level', side, price_micros, amount_micros FROM head WHERE kind = 'snapshot_level'
  ) ORDER BY seq`;

/**
 * SQL of the columns of a chunk; kind is `MARKER` for a row that is not an event. DuckDB returns doubles, but
 * not BIGINT values, as typed arrays. A null becomes an arbitrary number: replacing it would cost a third more time.
 */
const CHUNK_COLUMNS = `time_ms::DOUBLE,
  (CASE kind WHEN 'level' THEN ${EVENT.level} WHEN 'trade' THEN ${EVENT.trade}
    WHEN 'clear' THEN ${EVENT.clear} WHEN 'end' THEN ${EVENT.end} ELSE ${MARKER} END)::UTINYINT,
  (CASE side WHEN 'ask' THEN 1 ELSE 0 END)::UTINYINT,
  price_micros::INTEGER,
  amount_micros::DOUBLE`;

/** Opens a market's folder, or only `chosen` days; null without events. Throws TwinbookError `recording_invalid`. */
export async function openMarket(folder: string, chosen?: readonly string[]): Promise<Recording | null> {
  const days = chosen ?? dayFolders(folder);
  // If a recorder closes a segment during the read, rows move to another file, and the folder is read again.
  for (let look = 1; ; look++) {
    const states = days.map(stateOf);
    const isChanged = () => look < LOOKS && days.some((day, at) => stateOf(day) !== states[at]);
    try {
      const recording = await openOnce(folder, days);
      if (!isChanged()) return recording;
    } catch (error) {
      if (!isChanged()) throw error;
    }
  }
}

/** Maximum number of attempts to read a folder while a recorder writes it. */
const LOOKS = 5;

/** Returns a text that changes when the recorder closes a segment of the day, and so replaces the manifest. */
function stateOf(day: string): string {
  const { size, mtimeMs, ctimeMs, ino } = statSync(join(day, MANIFEST), { throwIfNoEntry: false }) ?? {};
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

async function openOnce(folder: string, places: readonly string[]): Promise<Recording | null> {
  const conditionId = conditionIdIn(folder);
  const days = places.map((path) => ({ path, manifest: readManifest(join(path, MANIFEST)) }));
  if (days.length === 0) return null;
  const { market, notes } = describedIn(folder, conditionId, days);
  const opened: RecordingWarning[] = notes.map((message) => ({ path: folder, message }));
  const parts: EventsPart[] = [];
  for (const day of days) parts.push(...(await listParts(day, opened)));
  if (parts.length === 0) return null;
  const summary = summarizeParts(days, parts);
  opened.push(...oddities(market, days, summary));
  const found: RecordingWarning[] = [];
  const fingerprint = computeFingerprint(days, parts);
  return {
    market,
    summary,
    ...(fingerprint === null ? {} : { fingerprint }),
    get warnings() {
      return [...opened, ...found];
    },
    chunks: () => readChunks(parts, found),
    polls: () => readRows(places, 'polls', toPoll),
    feedValues: () => readRows(places, 'feeds', (row, path) => toFeedValue(row, market.conditionId, path)),
  };
}

type Day = Readonly<{ path: string; manifest: Manifest | null }>;

/** Returns the market's newest description, with the newest known outcome, which a later description may lack. */
function describedIn(folder: string, conditionId: string, days: readonly Day[]) {
  const known = days.flatMap(({ path }) => readMarket(join(path, MARKET), folder) ?? []);
  const newest = known.at(-1);
  if (newest === undefined) {
    const where = isDayFolder(folder) ? folder : `${folder}/date=…`;
    const hint = 'copy whole day folders: market.json and manifest.json belong to the files beside them';
    throw invalidRecording(`${where} has no ${MARKET}: its market is unknown`, hint);
  }
  const { market } = newest;
  if (market.conditionId !== conditionId) {
    const hint = 'a folder was renamed or files were put into the wrong folder';
    throw invalidRecording(`${folder} holds the description of the market ${market.conditionId}`, hint);
  }
  const outcome = market.outcome ?? known.findLast(({ market: { outcome } }) => outcome !== null)?.market.outcome;
  const notes = [...new Set(known.flatMap((described) => described.notes))];
  const source = { ...market.source, path: folder };
  // At the recorded time, a trader knew only the first closing time that the venue announced.
  const told = known.find(({ market: { closeIsGuessed } }) => closeIsGuessed === undefined)?.market ?? market;
  return { market: { ...market, closeTimeMs: told.closeTimeMs, outcome: outcome ?? null, source }, notes };
}

async function listParts({ path, manifest }: Day, warnings: RecordingWarning[]): Promise<EventsPart[]> {
  for (const name of unlistedFiles(path, manifest))
    warnings.push({ path: join(path, name), message: 'no manifest lists the file, so it is left out', isDamage: true });
  const files = (manifest === null ? [] : eventsFiles(manifest)).map((file) => closedPart(path, file));
  const open: EventsPart[] = [];
  for (const number of openSegments(path, manifest)) {
    const segment = join(path, segmentName(number));
    const { brokenLines } = readCounts(segment);
    if (brokenLines > 0)
      warnings.push({ path: segment, message: `${lines(brokenLines)} cut or broken: skipped`, isDamage: true });
    const part = await openSegment(segment);
    if (part !== null) open.push(part);
  }
  return [...files, ...open];
}

function computeFingerprint(days: readonly Day[], parts: readonly EventsPart[]): string | null {
  const isDifferent = ({ bytes, path, sha256 }: EventsPart) =>
    sha256 === null || statSync(path, { throwIfNoEntry: false })?.size !== bytes;
  if (parts.some(isDifferent)) return null;
  const feeds = days.flatMap(({ manifest }) => manifest?.files ?? []).filter(({ table }) => table === 'feeds');
  const sums = [...parts.map(({ sha256 }) => sha256), ...feeds.map((file) => file.sha256)];
  return createHash('sha256').update(sums.join('\n')).digest('hex');
}

function summarizeParts(days: readonly Day[], parts: readonly EventsPart[]): RecordingSummary {
  const events = { level: 0, trade: 0, clear: 0, end: 0 };
  for (const [kind, count] of parts.flatMap(({ kinds }) => Object.entries(kinds)))
    events[kind as keyof typeof events] += count;
  const sum = (of: (manifest: Manifest) => number) =>
    days.reduce((total, { manifest }) => total + (manifest === null ? 0 : of(manifest)), 0);
  return {
    firstMs: parts[0]?.first_ms ?? null,
    lastMs: parts.at(-1)?.last_ms ?? null,
    events,
    gaps: listGaps(parts),
    refused: sum((manifest) => manifest.refused),
    bytes:
      parts.reduce((total, part) => total + (part.sha256 === null ? part.bytes : 0), 0) +
      sum((manifest) => manifest.files.reduce((bytes, file) => bytes + file.bytes, 0)),
  };
}

/** Lists a recording's gaps. A gap at the end of a file ends with the next file; a missing file is also a gap. */
function listGaps(parts: readonly EventsPart[]): RecordedGap[] {
  const gaps: RecordedGap[] = [];
  for (const [at, part] of parts.entries()) {
    const before = parts[at - 1];
    if (before !== undefined && before.last_seq + 1 !== part.first_seq)
      gaps.push({ fromMs: before.last_ms ?? 0, toMs: part.first_ms, reason: 'a file is missing' });
    for (const { from_ms: fromMs, to_ms: toMs, reason } of part.gaps)
      gaps.push({ fromMs, toMs: toMs ?? parts[at + 1]?.first_ms ?? null, reason });
  }
  return gaps;
}

function oddities(market: RecordedMarket, days: readonly Day[], summary: RecordingSummary): RecordingWarning[] {
  const { path } = market.source;
  const broken = days.reduce((sum, { manifest }) => sum + (manifest?.broken_lines ?? 0), 0);
  const messages = [
    summary.refused > 0 ? `invalid events that the recorder rejected: ${summary.refused}` : '',
    broken > 0 ? `${lines(broken)} lost when the recorder crashed` : '',
    summary.gaps.length > 0 ? `gaps without data: ${summary.gaps.length}, ${seconds(summary.gaps)} s in all` : '',
    market.outcome === null ? 'the outcome is unknown: the market closes unresolved' : '',
  ];
  return messages.filter((message) => message !== '').map((message) => ({ path, message }));
}

const lines = (count: number): string => (count === 1 ? '1 line was' : `${count} lines were`);

const seconds = (gaps: readonly RecordedGap[]): number =>
  Math.round(gaps.reduce((sum, { fromMs, toMs }) => sum + ((toMs ?? fromMs) - fromMs), 0) / 1000);

type TableRow = Readonly<Record<string, unknown>>;

/** Yields a table's rows of some days, in the order of days and files. Throws TwinbookError `recording_invalid`. */
async function* readRows<T>(days: readonly string[], table: RecordedTable, read: (row: TableRow, path: string) => T) {
  const files = days.flatMap((day) => sourcesIn(day, table));
  if (files.length === 0) return;
  const names = Object.keys(COLUMNS[table]);
  const connection = await connect();
  try {
    for (const { path, source } of files) {
      const chunks = streamChunks(connection, `SELECT ${names.join(', ')} FROM ${source}`, `cannot read ${path}`);
      for await (const rows of chunks) for (const row of rows.getRowObjects(names)) yield read(row, path);
    }
  } finally {
    connection.closeSync();
  }
}

function sourcesIn(folder: string, table: RecordedTable) {
  const manifest = readManifest(join(folder, MANIFEST));
  const closed = closedFiles(folder, manifest, table).sort();
  const open = openSegments(folder, manifest).map((number) => join(folder, segmentName(number)));
  return [
    ...closed.map((path) => ({ path, source: parquetSource(path) })),
    ...open.map((path) => ({ path, source: segmentSource(path, table) })),
  ];
}

const toPoll = (row: TableRow): RecordedPoll => ({
  endpoint: String(row['endpoint']),
  sentMs: Number(row['sent_ms']),
  seenMs: Number(row['seen_ms']),
  venueMs: numberOrNull(row['venue_ms']),
  // The cast is safe, because the recorder writes only these outcomes.
  outcome: row['outcome'] as RecordedPoll['outcome'],
});

function toFeedValue(row: TableRow, conditionId: string, path: string): RecordedFeedValue {
  const timeMs = Number(row['time_ms']);
  // The times of a feed value are converted from the recorder's clock to the venue's, as for events.
  const aheadMs = timeMs - Number(row['seen_ms']);
  const nullable = (name: string) => numberOrNull(row[name] ?? null);
  const [p, bid, ask, sd] = [nullable('p'), nullable('bid'), nullable('ask'), nullable('sd')];
  const validUntilMs = nullable('valid_until_ms');
  if (!isFair(p, bid, ask) || !(sd === null || sd >= 0)) {
    const hint = 'Values of a feed are between 0 and 1: correct the program that writes the feed.';
    throw invalidRecording(`${path}: a value of feed ${String(row['feed'])} is not a probability`, hint);
  }
  return {
    feed: String(row['feed']),
    timeMs,
    value: {
      conditionId,
      p,
      bid,
      ask,
      sd,
      // A received value cannot be later than its receive time.
      atMs: Math.min(timeMs, Number(row['at_ms']) + aheadMs),
      validUntilMs: validUntilMs === null ? null : validUntilMs + aheadMs,
    },
  };
}

function isFair(p: number | null, bid: number | null, ask: number | null): boolean {
  if (p !== null) return p > 0 && p < 1 && bid === null && ask === null;
  return bid !== null && ask !== null && bid > 0 && bid < ask && ask < 1;
}

/** Streams the events of files. Throws TwinbookError `recording_invalid` for a file that differs from its manifest. */
async function* readChunks(parts: readonly EventsPart[], warnings: RecordingWarning[]) {
  warnings.length = 0;
  const order = new OrderCheck();
  const connection = await connect();
  try {
    for (const [at, given] of parts.entries()) {
      const part = findMoved(given);
      await checkPart(part);
      if (part.first_seq !== (parts[at - 1]?.last_seq ?? 0) + 1) {
        const message = 'rows before this file are missing: the book starts with this file';
        warnings.push({ path: part.path, message });
        yield* decode(connection, part, bookSelect(makeSourceSql(part), part.first_seq), order);
      }
      yield* decode(connection, part, `SELECT ${CHUNK_COLUMNS} FROM ${makeSourceSql(part)}`, order);
    }
  } finally {
    connection.closeSync();
  }
  if (!order.ended) {
    const path = parts.at(-1)?.path ?? '';
    warnings.push({ path, message: 'the recording stops before the close of the market: the market ends there' });
    yield* new ChunkWriter().end(order.lastMs);
  }
}

/** Checks a closed Parquet file. Throws TwinbookError `recording_invalid` if the manifest has another checksum. */
async function checkPart({ path, sha256: written }: EventsPart): Promise<void> {
  if (written === null) return;
  const sum = await sha256(path).catch((error: unknown) => {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  });
  if (sum !== written) {
    const hint = 'the file was changed or damaged; `twinbook data verify` checks all files';
    throw invalidRecording(`${path} has the checksum ${sum}, but its manifest says ${written}`, hint);
  }
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
    // `clear` and `end` events have neither side nor price nor amount.
    if (what === EVENT.clear || what === EVENT.end) for (const column of figures) column[events] = 0;
    events++;
  }
  return { ...chunk, length: events };
}

/** Checks the guarantees of the stream: times never decrease, and no event follows the end. */
class OrderCheck {
  lastMs = Number.NEGATIVE_INFINITY;
  ended = false;

  check(chunk: EventChunk, path: string): void {
    let last = this.lastMs;
    const { length, timeMs } = chunk;
    for (let at = 0; at < length; at++) {
      // The cast is safe, because the columns have `length` entries.
      const time = timeMs[at] as number;
      if (!(time >= last)) throw makeDamageError(path, `time runs backwards, from ${last} to ${time}`);
      last = time;
    }
    if (length === 0) return;
    if (this.ended) throw makeDamageError(path, 'events follow the end of the market');
    this.lastMs = last;
    this.ended = chunk.kind[length - 1] === EVENT.end;
  }
}

const makeDamageError = (path: string, what: string): TwinbookError =>
  invalidRecording(`${path}: ${what}`, '`twinbook data verify` shows every file that is damaged');

interface EventsPart extends Omit<EventsFile, 'table' | 'name' | 'rows' | 'sha256'> {
  readonly path: string;
  /** True if the file is an open segment of JSON lines; false for a Parquet file. */
  readonly isSegment: boolean;
  /** Checksum from the manifest, lower-case hex; null for an open segment. */
  readonly sha256: string | null;
}

const closedPart = (folder: string, file: EventsFile): EventsPart => ({
  ...file,
  path: join(folder, file.name),
  isSegment: false,
});

/** Returns the Parquet file if the segment was closed after the recording was opened; otherwise the segment. */
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

/** Inspects an open segment; null if it has no events. Throws TwinbookError `recording_invalid`. */
async function openSegment(path: string): Promise<EventsPart | null> {
  try {
    const found = await withConnection((connection) => summarizeEvents(connection, segmentSource(path, 'events')));
    return found.rows === 0 ? null : { ...found, path, isSegment: true, bytes: statSync(path).size, sha256: null };
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  }
}
