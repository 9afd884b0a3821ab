/**
 * Packs days of recordings: many markets in a file, for archives and object storage, where each small file costs a request. A
 * day is put together in a folder beside and appears when all of it is there and was compared with what it was made of, row by
 * row. It may be stopped or killed anywhere and be run again: files that are whole are kept. What it was made of stays.
 */

import { existsSync, readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, syncFolder } from '../../shared/base/folder.js';
import { unreadableFolder } from '../store/day-folder.js';
import { fileError, loadDuckDb, withConnection } from '../store/duckdb.js';
import { type FolderLock, lockFolder } from '../store/folder-lock.js';
import { isStore } from '../store/folders.js';
import { writeJson } from '../store/json-file.js';
import { formatDate, MANIFEST } from '../store/layout.js';
import { readManifest } from '../store/manifest.js';
import { INDEX_COLUMNS, type IndexRow, MARKET_COLUMNS, type MarketRow } from './index-table.js';
import { type PackedFile, type PackedManifest, packedManifestOf } from './manifest.js';
import { indexName, isPackedName, marketsName, packingOf, WORKSHOP } from './names.js';
import { findNews } from './news.js';
import { findHindrance, listSourceDays, planParts, readSourceDay, requireSound, type SourceDay } from './plan.js';
import { openListed, openPackedDay, type PackedDay } from './read-day.js';
import { removePacked } from './remove.js';
import { writePart } from './write-part.js';
import { describeDay, describeRuns, writeLines } from './write-tables.js';

export interface PackOptions {
  /** Of days that are packed for the first time. */
  readonly shards: number;
  /** Remove the folders of markets that a packed day holds, once its files have held to their checksums. */
  readonly remove: boolean;
  /** Unix ms: days that have not ended by then stay as they are. */
  readonly nowMs: number;
  /** Of a folder that this process records into: what is closed is packed, also of the day that has not ended. */
  readonly isRecorder?: boolean;
  readonly onDay?: (done: number, days: number) => void;
}

export interface PackReport {
  /** Days that were packed now for the first time, those that were before and got more now, and those that were and did not. */
  packed: number;
  addedTo: number;
  there: number;
  /** Of what was packed now. */
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
    addedTo: 0,
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
      if (date >= formatDate(options.nowMs) && options.isRecorder !== true) report.left.push(`${date} has not ended`);
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
  { shards, isRecorder = false }: PackOptions,
  report: PackReport,
): Promise<void> {
  const target = join(out, `date=${date}`);
  const folder = join(workshop, `date=${date}`);
  if (existsSync(join(target, MANIFEST))) return addToDay(target, folder, folders, isRecorder, report);
  const isReady = (path: string): boolean => {
    const manifest = readManifest(join(path, MANIFEST));
    // Of what was packed and sent elsewhere nothing is left but where it ended.
    return manifest === null
      ? !isRecorder
      : manifest.files.length > 0 || (manifest.packed === undefined && !isRecorder);
  };
  const hindered = folders.flatMap((path) => {
    const reason = isReady(path) ? findHindrance(path, isRecorder) : null;
    return reason === null ? [] : { path, reason };
  });
  if (hindered[0] !== undefined) report.left.push(`${date} waits: ${hindered[0].reason}`);
  // Of a recorder's day the rest follows with a later packing, a day that has ended appears whole.
  const ready = folders.filter((path) => isReady(path) && hindered.every((one) => one.path !== path));
  if (ready.length === 0 || (hindered.length > 0 && !isRecorder)) return;
  if (existsSync(target)) {
    const hint = 'Remove it, or give another folder with --out; what it is made of is here.';
    throw new TwinbookError('recording_invalid', `${target} is there without a ${MANIFEST}`, hint);
  }
  const days = ready.map(readSourceDay);
  const plan = {
    date,
    packing: nextPacking(null),
    shards: shards,
    days,
    described: days.map(describeDay),
  };
  makeFolder(folder);
  const files = await writeDay(folder, plan, report);
  const manifest = packedManifestOf(date, plan.shards, files);
  writeJson(join(folder, MANIFEST), manifest);
  requireWhole(await openPackedDay(folder), days);
  renameSync(folder, target);
  syncFolder(out);
  report.packed += 1;
  countFiles(days, files, report);
}

/**
 * What the day does not hold yet is added to it, as files of their own: whoever reads it meanwhile has the day as it was, or as it
 * is then. The manifest makes them count, in one step.
 */
async function addToDay(
  target: string,
  folder: string,
  folders: readonly string[],
  isRecorder: boolean,
  report: PackReport,
): Promise<void> {
  const day = await openPackedDay(target);
  await removeUnlisted(day);
  const { days, described } = findNews(day, folders, isRecorder, report.left);
  if (described.length === 0) {
    report.there += 1;
    return;
  }
  const { date, shards, files: before } = day.manifest;
  const packing = nextPacking(day.manifest);
  makeFolder(folder);
  const files = await writeDay(folder, { date, packing, shards, days, described }, report);
  for (const { name } of files) renameSync(join(folder, name), join(target, name));
  syncFolder(target);
  const next = packedManifestOf(date, shards, [...before, ...files]);
  requireWhole(await openListed(target, next), days);
  writeJson(join(target, MANIFEST), next);
  await rm(folder, { recursive: true, force: true });
  report.addedTo += 1;
  countFiles(days, files, report);
}

const nextPacking = (manifest: PackedManifest | null): number =>
  Math.max(0, ...(manifest?.files ?? []).map(({ name }) => packingOf(name))) + 1;

/** Of a packing that was broken off before its manifest was written. */
async function removeUnlisted({ folder, manifest }: PackedDay): Promise<void> {
  const listed = new Set(manifest.files.map(({ name }) => name));
  for (const name of readdirSync(folder))
    if (isPackedName(name) && !listed.has(name)) await rm(join(folder, name), { force: true });
}

function countFiles(days: readonly SourceDay[], files: readonly PackedFile[], report: PackReport): void {
  report.marketDays += days.length;
  for (const { manifest } of days) {
    report.filesBefore += manifest.files.length + 2;
    report.bytesBefore += manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  }
  report.filesAfter += files.length + 1;
  report.bytesAfter += files.reduce((sum, { bytes }) => sum + bytes, 0);
}

interface PlannedDay {
  readonly date: string;
  readonly packing: number;
  readonly shards: number;
  /** With the files that are to be packed now. */
  readonly days: readonly SourceDay[];
  /** Of markets that are new to the day, or of which more is known. */
  readonly described: readonly MarketRow[];
}

/** All files of one packing but the manifest. Files that an earlier attempt left whole stay. */
async function writeDay(folder: string, plan: PlannedDay, report: PackReport): Promise<PackedFile[]> {
  const { days, described, packing } = plan;
  const parts = planParts(days, plan.shards, packing);
  const names = new Set(parts.map(({ name }) => name));
  // Of an attempt with other shards, or tables that are written last.
  for (const name of readdirSync(folder)) if (!names.has(name)) await rm(join(folder, name), { force: true });
  for (const run of parts.flatMap(({ runs }) => runs)) await requireSound(run);
  return withConnection(async (connection) => {
    const files: PackedFile[] = [];
    const rows: IndexRow[] = [];
    for (const part of parts) {
      const written = await writePart(connection, folder, part);
      report.filesKept += written.isKept ? 1 : 0;
      files.push(written.file);
      rows.push(...describeRuns(part, written));
    }
    const [index, markets] = [indexName(packing), marketsName(packing)];
    const indexed = await writeLines(connection, folder, index, INDEX_COLUMNS, inOrder(days, rows));
    const told = await writeLines(connection, folder, markets, MARKET_COLUMNS, described);
    return [...files, { table: 'index', name: index, ...indexed }, { table: 'markets', name: markets, ...told }];
  });
}

/** By market, and then as its manifest lists its files: what was listed first was written first. */
function inOrder(days: readonly SourceDay[], rows: readonly IndexRow[]): IndexRow[] {
  const found = new Map(rows.map((row) => [`${row.market}\n${row.source_name}`, row]));
  return days.flatMap(({ market, manifest }) =>
    manifest.files.flatMap(({ name }) => found.get(`${market}\n${name}`) ?? []),
  );
}

/** Read back as every reader does, before it counts. */
function requireWhole({ folder, markets }: PackedDay, days: readonly SourceDay[]): void {
  const lacking = days.find(({ market, manifest, description }) => {
    const read = markets.get(market);
    const sums = new Set(read?.rows.map((row) => row.source_sha256));
    return read?.description !== description || manifest.files.some(({ sha256 }) => !sums.has(sha256));
  });
  if (lacking === undefined) return;
  const hint = 'This is a fault of the program: report it. Nothing was removed.';
  throw new TwinbookError('recording_invalid', `${folder} does not list all files of ${lacking.folder}`, hint);
}
