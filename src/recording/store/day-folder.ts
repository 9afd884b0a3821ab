/** One market's files of one UTC day: closed and open ones, and how open ones are closed. */

import { readdirSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { syncFolder } from '../../shared/base/folder.js';
import { fileError, withConnection } from './duckdb.js';
import { writeJson } from './json-file.js';
import { isDayFolder, MANIFEST, MARKET, parseName, segmentName, type Table } from './layout.js';
import { emptyManifest, eventsFiles, type Manifest, readManifest } from './manifest.js';
import { readMarket } from './market-file.js';
import type { Continuation } from './market-sink.js';
import { type SegmentRows, writeParquet } from './parquet-files.js';

/** Additions to the manifest when a segment is closed, besides its files. */
interface SegmentCounts {
  readonly refused: number;
  readonly steppedBack: number;
  readonly brokenLines: number;
}

export const parseDay = (folder: string): string => basename(resolve(folder)).replace('date=', '');

export function conditionIdIn(folder: string): string {
  const full = resolve(folder);
  const name = basename(isDayFolder(full) ? dirname(full) : full);
  return decodeURIComponent(name.replace('market=', ''));
}

/** Open segments of the folder without a Parquet file yet, oldest first, by number. */
export function openSegments(folder: string, manifest: Manifest | null): number[] {
  const closed = new Set((manifest?.files ?? []).map((file) => parseName(file.name)?.number));
  return readdirSync(folder)
    .flatMap((name) => parseName(name) ?? [])
    .filter(({ table, number }) => table === 'segment' && !closed.has(number))
    .map(({ number }) => number)
    .sort((a, b) => a - b);
}

/**
 * Parquet files that no manifest lists, in order. Beside an open segment of the same number such a file is partly
 * written; otherwise it is foreign.
 */
export function unlistedFiles(folder: string, manifest: Manifest | null): string[] {
  const listed = new Set(manifest?.files.map((file) => file.name));
  const open = openSegments(folder, manifest);
  return readdirSync(folder)
    .filter((name) => {
      const file = parseName(name);
      return file !== null && file.table !== 'segment' && !listed.has(name) && !open.includes(file.number);
    })
    .sort();
}

/** Valid closed files of a table: those of the manifest, or without a manifest all. */
export function closedFiles(folder: string, manifest: Manifest | null, table: Table): string[] {
  const names = manifest === null ? unlistedFiles(folder, null) : manifest.files.map((file) => file.name);
  return names.filter((name) => parseName(name)?.table === table).map((name) => join(folder, name));
}

export function nextNumber(folder: string): number {
  const numbers = readdirSync(folder).map((name) => parseName(name)?.number ?? 0);
  return Math.max(0, ...numbers) + 1;
}

/** All files of a folder of this kind and their names, in the background. Throws the system's error. */
export async function syncDay(folder: string): Promise<void> {
  for (const path of [...readdirSync(folder).map((name) => join(folder, name)), folder]) {
    const file = await open(path);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/**
 * Turns a segment into Parquet. In this order: the files, the manifest that lists them, then the segment goes. A crash in
 * between leaves either a segment beside files that do not count yet, or one that no longer counts. Without a segment
 * on the disk the folder is not synced: `syncDay` does that.
 * Throws TwinbookError `file_unreadable`; then the segment is as it was.
 */
export async function closeSegment(
  folder: string,
  origin: string,
  number: number,
  rows: SegmentRows,
  counts: SegmentCounts,
): Promise<void> {
  const path = join(folder, MANIFEST);
  try {
    const manifest = readManifest(path) ?? emptyManifest(conditionIdIn(folder), parseDay(folder), origin);
    const more = await withConnection((connection) => writeParquet(connection, folder, number, rows));
    const changed: Manifest = {
      ...manifest,
      files: [...manifest.files, ...more],
      refused: manifest.refused + counts.refused,
      stepped_back: manifest.stepped_back + counts.steppedBack,
      broken_lines: manifest.broken_lines + counts.brokenLines,
    };
    writeJson(path, changed, rows.path !== null);
    if (rows.path === null) return;
    await rm(rows.path, { force: true });
    syncFolder(folder);
  } catch (error) {
    throw fileError('file_unreadable', `cannot write the recording in ${folder}`, error);
  }
}

/**
 * Turns open segments of a dead writer in this folder into Parquet, and removes invalid files. Returns their number.
 */
export async function recoverFolder(folder: string): Promise<number> {
  const manifest = readManifest(join(folder, MANIFEST));
  const open = openSegments(folder, manifest);
  const listed = new Set(manifest?.files.map((file) => file.name));
  for (const name of readdirSync(folder)) {
    const file = parseName(name);
    const isSegment = file?.table === 'segment';
    const half =
      name.endsWith('.tmp') || (file !== null && !isSegment && !listed.has(name) && open.includes(file.number));
    const done = isSegment && !open.includes(file.number);
    if (half || done) await rm(join(folder, name), { force: true });
  }
  for (const number of open) {
    const path = join(folder, segmentName(number));
    await closeSegment(folder, readOrigin(folder), number, { path, columns: null }, readCounts(path));
  }
  return open.length;
}

/** From the description beside the segment, which is written before it. */
const readOrigin = (folder: string): string => readMarket(join(folder, MARKET), folder)?.market.source.origin ?? '';

/** Counts in a segment's file besides its rows. */
export function readCounts(path: string): SegmentCounts {
  // Segments are rotated long before they are large.
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  let refused = 0;
  let steppedBack = 0;
  let brokenLines = 0;
  for (const line of lines) {
    try {
      const row = JSON.parse(line) as { table?: unknown; refused?: unknown; stepped_back?: unknown };
      if (row.table !== 'counts') continue;
      // Each such line counts from the beginning of the segment.
      refused = Number(row.refused);
      steppedBack = Number(row.stepped_back);
    } catch {
      brokenLines++;
    }
  }
  return { refused, steppedBack, brokenLines };
}

/** End of this folder's closed files; null without any. */
export function lastRow(folder: string): Continuation | null {
  const manifest = readManifest(join(folder, MANIFEST));
  const last = manifest === null ? undefined : eventsFiles(manifest).at(-1);
  if (last === undefined) return null;
  // A file without rows is never listed.
  return { lastSeq: last.last_seq, lastMs: last.last_ms ?? 0, ended: (last.kinds.end ?? 0) > 0 };
}

export const unreadableFolder = (folder: string, error: unknown): TwinbookError =>
  new TwinbookError(
    'file_unreadable',
    `cannot write recordings to ${folder}: ${(error as Error).message}`,
    'Look at the folder, its rights and the room on its disk.',
    {
      cause: error,
    },
  );
