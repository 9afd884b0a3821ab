/** Opens a market's folder as a recording: opening reads the JSON files, streaming decodes the Parquet files. */

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import type {
  EventChunk,
  RecordedFeedValue,
  RecordedGap,
  RecordedMarket,
  RecordedPoll,
  Recording,
  RecordingSummary,
  RecordingWarning,
} from '../contract.js';
import { closedFiles, conditionIdIn, openSegments, readCounts, unlistedFiles } from './day-folder.js';
import { connect, numberOrNull, streamChunks, toNumber } from './duckdb.js';
import { closedPart, type EventsPart, openSegment, readChunks } from './events-stream.js';
import {
  COLUMNS,
  dayFolders,
  isDayFolder,
  MANIFEST,
  MARKET,
  parquetSource,
  segmentName,
  segmentSource,
  type Table,
} from './layout.js';
import { type DescribedMarket, eventsFiles, fileState, type Manifest, readManifest, readMarket } from './manifest.js';

/** Opens a market's folder, or some of its days; null without events. Throws TwinbookError `recording_invalid`. */
export async function openMarket(folder: string, chosen?: readonly string[]): Promise<Recording | null> {
  const days = chosen ?? dayFolders(folder);
  // If a recorder closes a segment meanwhile, its rows move to another file, and the folder is read again.
  for (let look = 1; ; look++) {
    const states = days.map(stateOf);
    const opened = await openOnce(folder, days).then(
      (recording) => ({ recording, error: null }),
      (error: unknown) => ({ recording: null, error }),
    );
    if (look < LOOKS && days.some((day, at) => stateOf(day) !== states[at])) continue;
    if (opened.error !== null) throw opened.error;
    return opened.recording;
  }
}

/** Maximum attempts to read a folder that is written meanwhile. */
const LOOKS = 5;

/** Returns a text that changes when a segment of the day is closed. */
const stateOf = (day: string): string => fileState(join(day, MANIFEST));

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
  opened.push(...oddities(market, folder, days, summary));
  const found: RecordingWarning[] = [];
  const fingerprint = computeFingerprint(days, parts);
  return {
    market,
    summary,
    ...(fingerprint === null ? {} : { fingerprint }),
    get warnings() {
      return [...opened, ...found];
    },
    chunks: (): AsyncIterable<EventChunk> => readChunks(parts, found),
    polls: (): AsyncIterable<RecordedPoll> => readRows(places, 'polls', toPoll),
    feedValues: (): AsyncIterable<RecordedFeedValue> =>
      readRows(places, 'feeds', (row, path) => toFeedValue(row, market.conditionId, path)),
  };
}

interface Day {
  readonly path: string;
  readonly manifest: Manifest | null;
}

/** Returns the newest description, with the newest known outcome, which a later description may lack. */
function describedIn(folder: string, conditionId: string, days: readonly Day[]): DescribedMarket {
  const known = days.flatMap(({ path }) => readMarket(join(path, MARKET), folder) ?? []);
  const newest = known.at(-1);
  if (newest === undefined) {
    const where = isDayFolder(folder) ? folder : `${folder}/date=…`;
    throw new TwinbookError(
      'recording_invalid',
      `${where} has no ${MARKET}: its market is unknown`,
      'copy whole day folders: market.json and manifest.json belong to the files beside them',
    );
  }
  const { market } = newest;
  if (market.conditionId !== conditionId) {
    throw new TwinbookError(
      'recording_invalid',
      `${folder} holds the description of the market ${market.conditionId}`,
      'a folder was renamed or files were put into the wrong one',
    );
  }
  const outcome = market.outcome ?? known.findLast(({ market: { outcome } }) => outcome !== null)?.market.outcome;
  const notes = [...new Set(known.flatMap((described) => described.notes))];
  const source = { ...market.source, path: folder };
  return { market: { ...market, ...firstTold(known), outcome: outcome ?? null, source }, notes };
}

/** Returns the first announced close, because a trader at that time did not know a later change. */
function firstTold(known: readonly DescribedMarket[]): Pick<RecordedMarket, 'closeTimeMs'> | null {
  const told = known.find(({ market }) => market.closeIsGuessed === undefined);
  return told === undefined ? null : { closeTimeMs: told.market.closeTimeMs };
}

async function listParts({ path, manifest }: Day, warnings: RecordingWarning[]): Promise<EventsPart[]> {
  for (const name of unlistedFiles(path, manifest)) {
    warnings.push({ path: join(path, name), message: 'no manifest lists the file, so it is left out', isDamage: true });
  }
  const files = (manifest === null ? [] : eventsFiles(manifest)).map((file) => closedPart(path, file));
  const open: EventsPart[] = [];
  for (const number of openSegments(path, manifest)) {
    const segment = join(path, segmentName(number));
    const { brokenLines } = readCounts(segment);
    if (brokenLines > 0) {
      warnings.push({ path: segment, message: `${lines(brokenLines)} cut or broken: skipped`, isDamage: true });
    }
    const part = await openSegment(segment);
    if (part !== null) open.push(part);
  }
  return [...files, ...open];
}

function computeFingerprint(days: readonly Day[], parts: readonly EventsPart[]): string | null {
  if (
    parts.some(
      ({ bytes, path, sha256 }) => sha256 === null || statSync(path, { throwIfNoEntry: false })?.size !== bytes,
    )
  )
    return null;
  const feeds = days.flatMap(({ manifest }) => manifest?.files ?? []).filter(({ table }) => table === 'feeds');
  const sums = [...parts.map(({ sha256 }) => sha256), ...feeds.map((file) => file.sha256)];
  return createHash('sha256').update(sums.join('\n')).digest('hex');
}

function summarizeParts(days: readonly Day[], parts: readonly EventsPart[]): RecordingSummary {
  const events = { level: 0, trade: 0, clear: 0, end: 0 };
  for (const part of parts) {
    for (const [kind, count] of Object.entries(part.kinds)) events[kind as keyof typeof events] += count;
  }
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

/** Lists the gaps. A gap at the end of a file ends with the next file, and missing files are a gap too. */
function listGaps(parts: readonly EventsPart[]): RecordedGap[] {
  const gaps: RecordedGap[] = [];
  for (const [at, part] of parts.entries()) {
    const before = parts[at - 1];
    if (before !== undefined && before.last_seq + 1 !== part.first_seq) {
      gaps.push({ fromMs: before.last_ms ?? 0, toMs: part.first_ms, reason: 'a file is missing' });
    }
    for (const { from_ms: fromMs, to_ms: toMs, reason } of part.gaps)
      gaps.push({ fromMs, toMs: toMs ?? parts[at + 1]?.first_ms ?? null, reason });
  }
  return gaps;
}

function oddities(
  market: RecordedMarket,
  path: string,
  days: readonly Day[],
  summary: RecordingSummary,
): RecordingWarning[] {
  const broken = days.reduce((sum, { manifest }) => sum + (manifest?.broken_lines ?? 0), 0);
  const messages = [
    summary.refused > 0 ? `invalid events that the recorder rejected: ${summary.refused}` : '',
    broken > 0 ? `${lines(broken)} lost when the recorder died` : '',
    summary.gaps.length > 0 ? `gaps without data: ${summary.gaps.length}, ${seconds(summary.gaps)} s in all` : '',
    market.outcome === null ? 'the outcome is unknown: the market closes unresolved' : '',
  ];
  return messages.filter((message) => message !== '').map((message) => ({ path: path, message }));
}

const lines = (count: number): string => (count === 1 ? '1 line was' : `${count} lines were`);

const seconds = (gaps: readonly RecordedGap[]): number =>
  Math.round(gaps.reduce((sum, { fromMs, toMs }) => sum + ((toMs ?? fromMs) - fromMs), 0) / 1000);

type Row = Readonly<Record<string, unknown>>;

/** Yields a table's rows on these days, in the order of days and files. Throws TwinbookError `recording_invalid`. */
async function* readRows<T>(days: readonly string[], table: Table, read: (row: Row, path: string) => T) {
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

function sourcesIn(folder: string, table: Table) {
  const manifest = readManifest(join(folder, MANIFEST));
  const closed = closedFiles(folder, manifest, table).sort();
  const open = openSegments(folder, manifest).map((number) => join(folder, segmentName(number)));
  return [
    ...closed.map((path) => ({ path, source: parquetSource(path) })),
    ...open.map((path) => ({ path, source: segmentSource(path, table) })),
  ];
}

const toPoll = (row: Row): RecordedPoll => ({
  endpoint: String(row['endpoint']),
  sentMs: toNumber(row['sent_ms']),
  seenMs: toNumber(row['seen_ms']),
  venueMs: numberOrNull(row['venue_ms']),
  // The cast is safe, because the recorder writes only these outcomes.
  outcome: row['outcome'] as RecordedPoll['outcome'],
});

function toFeedValue(row: Row, conditionId: string, path: string): RecordedFeedValue {
  const timeMs = toNumber(row['time_ms']);
  // The value's own times are on the recorder's clock, and are converted to the venue's clock, which events have.
  const aheadMs = timeMs - toNumber(row['seen_ms']);
  const nullable = (name: string) => numberOrNull(row[name] ?? null);
  const [p, bid, ask, sd] = [nullable('p'), nullable('bid'), nullable('ask'), nullable('sd')];
  const validUntilMs = nullable('valid_until_ms');
  if (!isFair(p, bid, ask) || !(sd === null || sd >= 0)) {
    throw new TwinbookError(
      'recording_invalid',
      `${path}: a value of feed ${String(row['feed'])} is no probability`,
      'Values of a feed are between 0 and 1: correct the program that writes the feed.',
    );
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
      // A value that was received cannot be from a later time.
      atMs: Math.min(timeMs, toNumber(row['at_ms']) + aheadMs),
      validUntilMs: validUntilMs === null ? null : validUntilMs + aheadMs,
    },
  };
}

function isFair(p: number | null, bid: number | null, ask: number | null): boolean {
  if (p !== null) return p > 0 && p < 1 && bid === null && ask === null;
  return bid !== null && ask !== null && bid > 0 && bid < ask && ask < 1;
}
