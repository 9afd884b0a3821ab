/** Tables of a recording besides its events: its requests, and feed values. */

import { join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import type { RecordedFeedValue, RecordedPoll } from '../contract.js';
import { closedFiles, openSegments } from './day-folder.js';
import { connect, numberOrNull, streamChunks, toNumber } from './duckdb.js';
import { MANIFEST, segmentName, type Table } from './layout.js';
import { readManifest } from './manifest.js';
import { COLUMNS, parquetSource, segmentSource } from './tables.js';

const OUTCOMES = ['answered', 'refused', 'unknown'] as const;

type Row = Readonly<Record<string, unknown>>;

/** All polls of these days, in order of the days and of their files. Throws `recording_invalid`. */
export const readPolls = (days: readonly string[]): AsyncGenerator<RecordedPoll> => readRows(days, 'polls', toPoll);

/** A market's feed values, in the same order; all times on the venue's clock. Throws `recording_invalid`. */
export const readFeedValues = (days: readonly string[], conditionId: string): AsyncGenerator<RecordedFeedValue> =>
  readRows(days, 'feeds', (row, path) => toFeedValue(row, conditionId, path));

async function* readRows<T>(
  days: readonly string[],
  table: Table,
  read: (row: Row, path: string) => T,
): AsyncGenerator<T> {
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

interface Source {
  readonly path: string;
  readonly source: string;
}

function sourcesIn(folder: string, table: Table): Source[] {
  const manifest = readManifest(join(folder, MANIFEST));
  const closed = closedFiles(folder, manifest, table).sort();
  const open = openSegments(folder, manifest).map((number) => join(folder, segmentName(number)));
  return [
    ...closed.map((path) => ({ path, source: parquetSource(path) })),
    ...open.map((path) => ({ path, source: segmentSource(path, table) })),
  ];
}

function toPoll(row: Row, path: string): RecordedPoll {
  const outcome = OUTCOMES.find((known) => known === row['outcome']);
  if (outcome === undefined) {
    throw new TwinbookError(
      'recording_invalid',
      `${path}: a poll has the outcome ${String(row['outcome'])}`,
      '`twinbook data verify` says what is wrong with a recording.',
    );
  }
  return {
    endpoint: String(row['endpoint']),
    sentMs: toNumber(row['sent_ms']),
    seenMs: toNumber(row['seen_ms']),
    venueMs: numberOrNull(row['venue_ms'] ?? null),
    outcome,
  };
}

function toFeedValue(row: Row, conditionId: string, path: string): RecordedFeedValue {
  const timeMs = toNumber(row['time_ms']);
  // A value's own times are on the recorder's clock, events on the venue's: a backtest has one clock.
  const aheadMs = timeMs - toNumber(row['seen_ms']);
  const nullable = (name: string) => numberOrNull(row[name] ?? null);
  const [p, bid, ask, sd] = [nullable('p'), nullable('bid'), nullable('ask'), nullable('sd')];
  const validUntilMs = nullable('valid_until_ms');
  if (!isFair(p, bid, ask) || !(sd === null || sd >= 0)) {
    throw new TwinbookError(
      'recording_invalid',
      `${path}: a value of feed ${String(row['feed'])} is no probability`,
      'Values of a feed are between 0 and 1: put right what writes it.',
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
      // A received value cannot be valid only later.
      atMs: Math.min(timeMs, toNumber(row['at_ms']) + aheadMs),
      validUntilMs: validUntilMs === null ? null : validUntilMs + aheadMs,
    },
  };
}

function isFair(p: number | null, bid: number | null, ask: number | null): boolean {
  if (p !== null) return p > 0 && p < 1 && bid === null && ask === null;
  return bid !== null && ask !== null && bid > 0 && bid < ask && ask < 1;
}
