/**
 * Copies of a ledger's archives, for its backups. Rows are only ever added to an archive, so one copy of each month serves every backup
 * that was made before it. A copy's name holds its checksum: what has changed since is seen by reading it.
 */

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder, syncFile, syncFolder } from '../../../shared/base/folder.js';
import { makePrivate } from '../../../shared/base/private.js';
import { type ArchiveListing, addRows, countRows, listArchives, openArchive } from './archive-file.js';

const NAME = /^(\d{4}-\d{2})\.([0-9a-f]{64})\.sqlite$/;
const MADE = '.part';
const PART_BYTES = 1_048_576;
/** Times of files lose their last digits when they are copied; rows come at longer intervals. */
const SAME_TIME_MS = 2;

/** A copy of the archive of one month. */
export interface ArchiveCopy extends ArchiveListing {
  /** As its name says. */
  readonly sha256: string;
}

/** The copies in this folder, oldest month first, the newest of each; none where there is no folder. */
export function listCopies(folder: string): readonly ArchiveCopy[] {
  const found = new Map<string, ArchiveCopy & { readonly madeMs: number }>();
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const [, month = '', sha256 = ''] = NAME.exec(name) ?? [];
    if (sha256 === '') continue;
    const path = join(folder, name);
    const { size: bytes, ctimeMs: madeMs } = statSync(path);
    if (madeMs >= (found.get(month)?.madeMs ?? 0)) found.set(month, { month, path, bytes, sha256, madeMs });
  }
  return [...found.values()].map(({ madeMs: _, ...copy }) => copy);
}

/**
 * Brings the copies of every archive of a ledger up to it. Copies of archives that are gone stay.
 * @returns why one could not be copied, a sentence each; the copy that was there is kept then
 */
export function copyArchives(ledgerPath: string, folder: string): readonly string[] {
  const archives = listArchives(ledgerPath);
  if (archives.length === 0) return [];
  makeFolder(folder);
  for (const name of readdirSync(folder).filter((one) => one.includes(MADE)))
    rmSync(join(folder, name), { force: true });
  const problems: string[] = [];
  for (const archive of archives) {
    try {
      copyArchive(archive, folder);
    } catch (error) {
      problems.push(`the archive of ${archive.month} was not copied: ${toText(error)}`);
    }
  }
  return problems;
}

function copyArchive({ month, path }: ArchiveListing, folder: string): void {
  const before = listCopies(folder).find((copy) => copy.month === month);
  const writtenMs = statSync(path).mtimeMs;
  if (before !== undefined && Math.abs(statSync(before.path).mtimeMs - writtenMs) < SAME_TIME_MS) return;
  const made = join(folder, `${month}${MADE}`);
  copyWhole(path, made);
  const hasAdded = before !== undefined && addOlder(made, before.path);
  const sha256 = hashFile(made);
  // The archive's own time, so that the next look need not read either; not where it holds more than the archive.
  if (!hasAdded) utimesSync(made, writtenMs / 1000, writtenMs / 1000);
  makePrivate(made);
  syncFile(made);
  const name = join(folder, `${month}.${sha256}.sqlite`);
  renameSync(made, name);
  syncFolder(folder);
  if (before !== undefined && before.path !== name) rmSync(before.path, { force: true });
}

/** Whoever adds rows meanwhile waits for it: hundreds of megabytes take some seconds. */
function copyWhole(from: string, to: string): void {
  const archive = openArchive(from);
  try {
    archive.prepare('VACUUM INTO ?').run(to);
  } finally {
    archive.close();
  }
  const problem = findDamage(to) ?? findDamage(from);
  if (problem !== null) throw new Error(`it is damaged: ${problem}`);
}

/** Rows that the archive has lost since the copy before was made; returns whether there were any. One that cannot be read adds none. */
function addOlder(made: string, before: string): boolean {
  if (findDamage(before) !== null) return false;
  const copy = openArchive(made);
  try {
    return addRows(copy, before);
  } finally {
    copy.close();
  }
}

/** What SQLite finds wrong with a file; null when nothing is. */
export function findDamage(path: string): string | null {
  try {
    const sqlite = openArchive(path);
    try {
      const [first] = sqlite.prepare<[], string>('PRAGMA integrity_check(1)').pluck().all();
      return first === 'ok' ? null : (first ?? 'no answer');
    } finally {
      sqlite.close();
    }
  } catch (error) {
    return toText(error);
  }
}

/** How many rows an archive has. Throws TwinbookError `file_unreadable`. */
export function countArchive(path: string): { readonly intents: number; readonly orders: number } {
  const sqlite = openArchive(path);
  try {
    return { intents: countRows(sqlite, 'intents'), orders: countRows(sqlite, 'orders') };
  } finally {
    sqlite.close();
  }
}

/** SHA-256 of a file, hexadecimal. Throws what the system says. */
export function hashFile(path: string): string {
  const hash = createHash('sha256');
  const part = Buffer.allocUnsafe(PART_BYTES);
  const file = openSync(path, 'r');
  try {
    for (let read = readSync(file, part); read > 0; read = readSync(file, part)) hash.update(part.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

const toText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
