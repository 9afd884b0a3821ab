/**
 * Packs days of recordings: many markets in a file, for archives and object storage, where each small file costs a request. A
 * day is put together in a folder beside and appears when all of it is there and was compared with what it was made of, row by
 * row. It may be stopped or killed anywhere and be run again: files that are whole are kept. What it was made of stays.
 */

import { existsSync, readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, syncFolder } from '../../shared/base/folder.js';
import { unreadableFolder } from '../store/day-folder.js';
import { fileError, loadDuckDb, withConnection } from '../store/duckdb.js';
import { type FolderLock, lockFolder } from '../store/folder-lock.js';
import { isStore } from '../store/folders.js';
import { writeJson } from '../store/json-file.js';
import { formatDate, MANIFEST } from '../store/layout.js';
import { FORMAT } from '../store/manifest.js';
import { INDEX_COLUMNS, type IndexRow, MARKET_COLUMNS } from './index-table.js';
import type { PackedFile, PackedManifest } from './manifest.js';
import { INDEX, marketsName, WORKSHOP } from './names.js';
import {
  findHindrance,
  listSourceDays,
  type PlannedPart,
  planParts,
  readSourceDay,
  requireSound,
  type SourceDay,
} from './plan.js';
import { openPackedDay } from './read-day.js';
import { refreshMarkets } from './refresh.js';
import { removePacked } from './remove.js';
import { writePart } from './write-part.js';
import { describeDay, describeRuns, writeLines } from './write-tables.js';

export interface PackOptions {
  readonly shards: number;
  /** Remove the folders of markets that a packed day holds, once its files have held to their checksums. */
  readonly remove: boolean;
  /** Unix ms: days that have not ended by then stay as they are. */
  readonly nowMs: number;
  readonly onDay?: (done: number, days: number) => void;
}

export interface PackReport {
  /** Days that were packed now, and those that were before. */
  packed: number;
  there: number;
  /** Of the days that were packed now. */
  marketDays: number;
  filesBefore: number;
  bytesBefore: number;
  filesAfter: number;
  bytesAfter: number;
  /** Files that an earlier attempt had left whole. */
  filesKept: number;
  /** Folders of markets' days that were removed. */
  removed: number;
  /** What stays as it is, and why: sentences. */
  readonly left: string[];
}

/**
 * Packs every day of the folder that has ended into `out`, which may be the same folder. Throws TwinbookError
 * `recording_invalid` for a folder without recordings, or a file that is not what its manifest says; `file_unreadable` where
 * another process packs into the same folder or the disk does not take it. What was packed until then stays.
 */
export async function packRecordings(from: string, out: string, options: PackOptions): Promise<PackReport> {
  requireStore(from);
  await loadDuckDb();
  const report: PackReport = {
    packed: 0,
    there: 0,
    marketDays: 0,
    filesBefore: 0,
    bytesBefore: 0,
    filesAfter: 0,
    bytesAfter: 0,
    filesKept: 0,
    removed: 0,
    left: [],
  };
  const workshop = join(resolve(out), WORKSHOP);
  const lock = takeWorkshop(workshop);
  try {
    const days = [...listSourceDays(resolve(from))];
    for (const [at, [date, folders]] of days.entries()) {
      options.onDay?.(at, days.length);
      if (date >= formatDate(options.nowMs)) report.left.push(`${date} has not ended`);
      else await packDay(date, folders, resolve(out), workshop, options, report);
    }
    if (options.remove) await removePacked(resolve(from), resolve(out), options.nowMs, report);
  } catch (error) {
    throw fileError('file_unreadable', `cannot pack ${from} into ${out}`, error);
  } finally {
    lock.release();
    if (readdirSync(workshop).length === 0) await rm(workshop, { recursive: true, force: true });
  }
  return report;
}

function requireStore(from: string): void {
  try {
    if (isStore(from)) return;
  } catch (error) {
    throw unreadableFrom(from, error);
  }
  throw new TwinbookError(
    'recording_invalid',
    `${from} is no folder of recordings with market=… in it`,
    'Only our own format is packed: turn others into it with `twinbook data import`.',
  );
}

const unreadableFrom = (from: string, cause: unknown): TwinbookError =>
  new TwinbookError('file_unreadable', `cannot read ${from}: ${(cause as Error).message}`, 'Look at the path.', {
    cause,
  });

function takeWorkshop(workshop: string): FolderLock {
  try {
    makeFolder(workshop);
    return lockFolder(workshop);
  } catch (error) {
    throw error instanceof TwinbookError ? error : unreadableFolder(workshop, error);
  }
}

async function packDay(
  date: string,
  folders: readonly string[],
  out: string,
  workshop: string,
  { shards }: PackOptions,
  report: PackReport,
): Promise<void> {
  const target = join(out, `date=${date}`);
  if (existsSync(join(target, MANIFEST))) {
    report.there += 1;
    await refreshMarkets(await openPackedDay(target), folders, report.left);
    return;
  }
  const hindrance = folders.map(findHindrance).find((reason) => reason !== null);
  if (hindrance !== undefined) {
    report.left.push(`${date} waits: ${hindrance}`);
    return;
  }
  if (existsSync(target)) {
    const hint = 'Remove it, or give another folder with --out; what it is made of is here.';
    throw new TwinbookError('recording_invalid', `${target} is there without a ${MANIFEST}`, hint);
  }
  const days = folders.map(readSourceDay);
  const folder = join(workshop, `date=${date}`);
  makeFolder(folder);
  await buildDay(folder, date, days, shards, report);
  renameSync(folder, target);
  syncFolder(out);
}

async function buildDay(
  folder: string,
  date: string,
  days: readonly SourceDay[],
  shards: number,
  report: PackReport,
): Promise<void> {
  const parts = planParts(days, shards);
  const names = new Set(parts.map(({ name }) => name));
  // Of an attempt with other shards, or tables that are written last.
  for (const name of readdirSync(folder)) if (!names.has(name)) await rm(join(folder, name), { force: true });
  for (const run of parts.flatMap(({ runs }) => runs)) await requireSound(run);
  const files = await withConnection((connection) => writeFiles(connection, folder, days, parts, report));
  writeJson(join(folder, MANIFEST), {
    format: FORMAT,
    version: 3,
    layout: 'packed',
    date,
    shards,
    files,
  } satisfies PackedManifest);
  await requireWhole(folder, days);
  report.packed += 1;
  report.marketDays += days.length;
  for (const { manifest } of days) {
    report.filesBefore += manifest.files.length + 2;
    report.bytesBefore += manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  report.filesAfter += files.length + 1;
  report.bytesAfter += files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function writeFiles(
  connection: DuckDBConnection,
  folder: string,
  days: readonly SourceDay[],
  parts: readonly PlannedPart[],
  report: PackReport,
): Promise<PackedFile[]> {
  const files: PackedFile[] = [];
  const rows: IndexRow[] = [];
  for (const part of parts) {
    const written = await writePart(connection, folder, part);
    report.filesKept += written.isKept ? 1 : 0;
    files.push(written.file);
    rows.push(...describeRuns(part, written));
  }
  const name = marketsName(1);
  const index = await writeLines(connection, folder, INDEX, INDEX_COLUMNS, inOrder(days, rows));
  const markets = await writeLines(connection, folder, name, MARKET_COLUMNS, days.map(describeDay));
  return [...files, { table: 'index', name: INDEX, ...index }, { table: 'markets', name, ...markets }];
}

/** By market, and then as its manifest lists its files: what was listed first was written first. */
function inOrder(days: readonly SourceDay[], rows: readonly IndexRow[]): IndexRow[] {
  const found = new Map(rows.map((row) => [`${row.market}\n${row.source_name}`, row]));
  return days.flatMap(({ market, manifest }) =>
    manifest.files.flatMap(({ name }) => found.get(`${market}\n${name}`) ?? []),
  );
}

/** Read back as every reader does, before it counts. */
async function requireWhole(folder: string, days: readonly SourceDay[]): Promise<void> {
  const { markets } = await openPackedDay(folder);
  const lacking = days.find(({ market, manifest, description }) => {
    const read = markets.get(market);
    return read?.rows.length !== manifest.files.length || read.description !== description;
  });
  if (lacking === undefined) return;
  const hint = 'This is a fault of the program: report it. Nothing was removed.';
  throw new TwinbookError('recording_invalid', `${folder} does not list all files of ${lacking.folder}`, hint);
}
