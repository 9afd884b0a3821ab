/** The requests that made a recording: what a latency model samples. */

import { join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import type { RecordedPoll } from '../contract.js';
import { closedFiles, openSegments } from './day-folder.js';
import { connect, fileError, numberOf, numberOrNull } from './duckdb.js';
import { MANIFEST, segmentName } from './layout.js';
import { readManifest } from './manifest.js';
import { COLUMNS, parquetSource, segmentSource } from './tables.js';

const OUTCOMES = ['answered', 'refused', 'unknown'] as const;

/** All polls in these day folders, in order of the folders and of their files. Throws `recording_invalid`. */
export async function* readPolls(folders: readonly string[]): AsyncGenerator<RecordedPoll> {
  const connection = await connect();
  try {
    for (const { path, source } of folders.flatMap(sourcesIn)) {
      try {
        const result = await connection.stream(`SELECT ${Object.keys(COLUMNS.polls).join(', ')} FROM ${source}`);
        for await (const rows of result.yieldRowObjects()) for (const row of rows) yield pollOf(row, path);
      } catch (error) {
        throw fileError('recording_invalid', `cannot read ${path}`, error);
      }
    }
  } finally {
    connection.closeSync();
  }
}

function sourcesIn(folder: string): { path: string; source: string }[] {
  const manifest = readManifest(join(folder, MANIFEST));
  const closed = closedFiles(folder, manifest, 'polls').sort();
  const open = openSegments(folder, manifest).map((number) => join(folder, segmentName(number)));
  return [
    ...closed.map((path) => ({ path, source: parquetSource(path) })),
    ...open.map((path) => ({ path, source: segmentSource(path, 'polls') })),
  ];
}

function pollOf(row: Readonly<Record<string, unknown>>, path: string): RecordedPoll {
  const outcome = OUTCOMES.find((known) => known === row['outcome']);
  if (outcome === undefined) {
    throw new TwinbookError('recording_invalid', `${path}: a poll has the outcome ${String(row['outcome'])}`);
  }
  return {
    endpoint: String(row['endpoint']),
    sentMs: numberOf(row['sent_ms']),
    seenMs: numberOf(row['seen_ms']),
    venueMs: numberOrNull(row['venue_ms'] ?? null),
    outcome,
  };
}
