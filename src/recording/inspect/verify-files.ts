/** Compares the files of a market with their manifests, and their rows with each other. */

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import { conditionIdIn, openSegments, parseDay, unlistedFiles } from '../store/day-folder.js';
import { sha256 } from '../store/files.js';
import { findWriter } from '../store/folder-lock.js';
import { dayFolders } from '../store/folders.js';
import { MANIFEST, MARKET, NO_MARKET, segmentName } from '../store/layout.js';
import { eventsFiles, type Manifest, readManifest } from '../store/manifest.js';
import { readMarket } from '../store/market-file.js';
import { parquetSource } from '../store/tables.js';
import { RowCheck } from './verify-rows.js';

/** Finding of a recording's check. */
export interface Finding {
  readonly path: string;
  /** A difference is an error, a note is information. */
  readonly severity: 'difference' | 'note';
  readonly message: string;
}

/** All days of one market. */
export async function verifyFiles(folder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const days = dayFolders(folder);
  const rows = newRowCheck(folder, days, findings);
  for (const day of days) {
    try {
      await verifyDay(day, rows, findings);
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      findings.push({ path: day, severity: 'difference', message: error.message });
    }
  }
  return findings;
}

/** Null when no description has the tick; opening the recording reports the reason. */
function newRowCheck(folder: string, days: readonly string[], findings: Finding[]): RowCheck | null {
  for (const path of days.toReversed()) {
    try {
      const read = readMarket(join(path, MARKET), folder);
      if (read !== null) return new RowCheck(stepOfPrecision(read.market.tickPrecision));
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      findings.push({ path: path, severity: 'difference', message: error.message });
    }
  }
  return null;
}

async function verifyDay(folder: string, rows: RowCheck | null, findings: Finding[]): Promise<void> {
  const manifest = readManifest(join(folder, MANIFEST));
  const differ = (path: string, message: string) => findings.push({ path: path, severity: 'difference', message });
  if (manifest !== null) {
    if (manifest.condition_id !== conditionIdIn(folder) || manifest.date !== parseDay(folder)) {
      differ(folder, `its manifest is that of ${manifest.condition_id} on ${manifest.date}`);
    }
    for (const file of manifest.files) {
      const problem = await findProblem(join(folder, file.name), file);
      if (problem !== null) differ(join(folder, file.name), problem);
    }
    await verifyRows(folder, manifest, rows, differ);
    const broken = manifest.broken_lines;
    if (broken > 0) findings.push({ path: folder, severity: 'note', message: `${broken} lines were lost in a crash` });
  }
  strangers(folder, manifest, findings);
  if (!existsSync(join(folder, MARKET)) && conditionIdIn(folder) !== NO_MARKET) {
    differ(folder, `${MARKET} is missing`);
  }
}

type Listed = { readonly bytes: number; readonly sha256: string };

/** Problem of a file's bytes; null without one. */
async function findProblem(path: string, file: Listed): Promise<string | null> {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return 'the file is missing';
  if (bytes !== file.bytes) return `it has ${bytes} bytes, its manifest says ${file.bytes}`;
  return (await sha256(path)) === file.sha256 ? null : 'its checksum is not that of its manifest';
}

async function verifyRows(
  folder: string,
  manifest: Manifest,
  rows: RowCheck | null,
  differ: (path: string, message: string) => void,
): Promise<void> {
  for (const file of eventsFiles(manifest)) {
    const path = join(folder, file.name);
    if (rows === null || !existsSync(path)) continue;
    for (const message of await rows.file(parquetSource(path), file)) differ(path, message);
  }
}

/** Files that no manifest lists: they are never read. */
function strangers(folder: string, manifest: Manifest | null, findings: Finding[]): void {
  const open = openSegments(folder, manifest);
  const root = dirname(dirname(folder));
  for (const number of open) {
    const isWritten = findWriter(root) !== null;
    const message = isWritten
      ? 'it is being written'
      : 'its writer did not close it; `twinbook data verify --repair` turns it into Parquet';
    findings.push({ path: join(folder, segmentName(number)), severity: 'note', message });
  }
  const message =
    manifest === null
      ? 'there is no manifest: it is read, but may be incomplete'
      : 'no manifest lists it: it is not read';
  for (const name of unlistedFiles(folder, manifest)) {
    findings.push({ path: join(folder, name), severity: 'difference', message });
  }
}
