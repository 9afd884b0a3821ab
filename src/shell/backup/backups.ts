/** Makes and finds backups of a ledger, in a folder beside it. Only a checked copy gets the name of a backup. */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, TwinbookError, unreadable } from '../../shared/base/errors.js';
import { makeFolder, PRIVATE_FILE, syncFile, syncFolder } from '../../shared/base/files.js';
import { startWorker } from '../../shared/base/processes.js';
import { openReadOnly } from '../../trader/ledger/ledger.js';
import { KEPT_FREE_BYTES, measureLedger, megabytes, noRoom, spareBytes } from '../runtime/disk.js';

const ENDING = '.sqlite';
/** File name suffix of an incomplete or unchecked ledger copy, which is not a backup. */
const UNCHECKED = '.unchecked';
/** Time within which a copy is made and checked, ms. */
const LONGEST_COPY_MS = 3_600_000;
const HINT = 'Check the free space on the disk; the ledger needs it too. `twinbook ledger verify` checks the ledger.';

export const locateBackupFolder = (ledgerPath: string): string => `${ledgerPath}.backups`;

/**
 * Backs up an open or closed ledger. Returns the backup and the names of deleted backups. Throws `ledger_broken` if the
 * copy is damaged; the damaged copy keeps the suffix of unchecked copies. Throws `file_unreadable` if the copy fails
 * or would leave less than `keptFreeBytes` free on the disk.
 */
export async function makeBackup(
  { path: ledgerPath, backups }: { readonly path: string; readonly backups: { readonly maxBytes: number } },
  nowMs: number,
  keptFreeBytes = KEPT_FREE_BYTES,
) {
  const folder = locateBackupFolder(ledgerPath);
  makeFolder(folder);
  removeUnchecked(folder);
  const needed = measureLedger(ledgerPath);
  const spare = await spareBytes(folder, keptFreeBytes);
  if (spare < needed) {
    const what = `the ledger's copy needs ${megabytes(needed)}, and ${megabytes(spare + keptFreeBytes)} are free`;
    throw unreadable(what, noRoom(folder, keptFreeBytes), HINT);
  }
  const path = join(folder, `${new Date(nowMs).toISOString().replaceAll(':', '-')}${ENDING}`);
  const unchecked = `${path}${UNCHECKED}`;
  const { sha256, problems } = await copyChecked({ source: ledgerPath, target: unchecked });
  // SQLite creates these side files when the check opens the copy.
  for (const side of ['-wal', '-shm']) fs.rmSync(`${unchecked}${side}`, { force: true });
  if (problems.length > 0) throw makeDamageError(ledgerPath, unchecked, problems);
  // The file's modification time is set, because the console computes the backup's age from it.
  fs.utimesSync(unchecked, nowMs / 1000, nowMs / 1000);
  syncFile(unchecked);
  fs.writeFileSync(`${path}.sha256`, `${sha256}  ${path.slice(folder.length + 1)}\n`, { mode: PRIVATE_FILE });
  fs.renameSync(unchecked, path);
  syncFolder(folder);
  nameNewest(ledgerPath, path);
  const gone = expendable(listBackups(ledgerPath), { newest: 24, days: 30, ...backups }, nowMs);
  for (const name of gone) for (const end of ['', '.sha256']) fs.rmSync(join(folder, `${name}${end}`), { force: true });
  return { path, bytes: fs.statSync(path).size, sha256, gone };
}

/** Lists a ledger's backups, oldest first; empty if the folder is missing. Each backup was valid when it was made. */
export function listBackups(ledgerPath: string): readonly BackupFile[] {
  const folder = locateBackupFolder(ledgerPath);
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(ENDING));
  const files = names.map((name) => ({ name, atMs: parseTime(name), bytes: fs.statSync(join(folder, name)).size }));
  return files.filter(({ atMs }) => !Number.isNaN(atMs)).sort((a, b) => a.atMs - b.atMs);
}

/** Returns the path of a backup. The backup is given as a path, or as a name in this ledger's backup folder. */
export function findBackup(ledgerPath: string, folder: string, given: string): string {
  const path = resolve(folder, given);
  const named = join(locateBackupFolder(ledgerPath), basename(given));
  return fs.existsSync(path) || basename(given) !== given || !fs.existsSync(named) ? path : named;
}

/** Returns the backup's path in the backup folder if `backup` is the link `<ledger>.backup`; else `backup` itself. */
export function findOwnName(backup: string): string {
  const folder = `${backup}s`;
  const found = fs.statSync(backup, { throwIfNoEntry: false });
  if (found === undefined || !fs.existsSync(folder)) return backup;
  const name = fs.readdirSync(folder).find((one) => fs.statSync(join(folder, one)).ino === found.ino);
  return name === undefined ? backup : join(folder, name);
}

/** Returns the time in a name like `2026-11-22T06-00-00.000Z.sqlite`, ms; NaN for any other file name. */
const parseTime = (name: string): number =>
  Date.parse(name.slice(0, -ENDING.length).replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));

/** Links the newest backup as `<ledger>.backup`; a hard link takes no disk space. */
function nameNewest(ledgerPath: string, path: string): void {
  const newest = `${ledgerPath}.backup`;
  fs.rmSync(`${newest}.new`, { force: true });
  fs.linkSync(path, `${newest}.new`);
  fs.renameSync(`${newest}.new`, newest);
  syncFolder(dirname(newest));
}

/** Removes incomplete and damaged copies. A damaged copy is evidence, so it is kept until the next backup. */
function removeUnchecked(folder: string): void {
  const paths = fs.readdirSync(folder).flatMap((name) => (name.includes(UNCHECKED) ? [join(folder, name)] : []));
  for (const path of paths) {
    const writtenMs = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    // Another process may be writing a younger copy now. A clock that was set back must not keep a copy.
    if (Math.abs(Date.now() - writtenMs) > LONGEST_COPY_MS) fs.rmSync(path, { force: true });
  }
}

function makeDamageError(ledgerPath: string, copy: string, problems: readonly string[]): TwinbookError {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new TwinbookError(
    'ledger_broken',
    `the copy of the ledger ${ledgerPath} is damaged: ${problems[0]}${more}`,
    `Earlier backups are kept; the damaged copy is kept as ${copy}. Check the ledger with \`twinbook ledger verify\`.`,
  );
}

export type BackupOrder = Readonly<Record<'source' | 'target', string>>;

function copyChecked(data: BackupOrder): Promise<ReturnType<typeof examineFile>> {
  const thread = startWorker({ name: 'backup-thread', data }, import.meta.url);
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', (error) => reject(unreadable(`the ledger ${data.source} cannot be copied`, error, HINT)));
    thread.once('exit', () => reject(new Error('the copy of the ledger was interrupted')));
  });
}

/** Rules that determine which backups are kept. The newest backup that is not from the future is always kept. */
interface BackupPolicy {
  /** Number of the newest backups that are kept. */
  readonly newest: number;
  /** Number of past UTC days for which the day's last backup is kept. */
  readonly days: number;
  /** Maximum total size of all backups, bytes; the oldest backups are deleted first. */
  readonly maxBytes: number;
}

interface BackupFile {
  readonly name: string;
  /** Time when the backup was started, Unix ms. */
  readonly atMs: number;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/** Returns the names of the backups that the policy does not keep. `files` and the result are sorted, oldest first. */
export function expendable(files: readonly BackupFile[], policy: BackupPolicy, nowMs: number): readonly string[] {
  // While the clock was ahead, backups got names from the future. Only `maxBytes` deletes them, before others.
  const isLater = ({ atMs }: BackupFile) => atMs > nowMs;
  const ranked = [...files].sort((a, b) => Number(isLater(a)) - Number(isLater(b)) || b.atMs - a.atMs);
  const days = new Set<number>();
  const kept = new Set<BackupFile>();
  let bytes = 0;
  for (const [rank, file] of ranked.entries()) {
    const day = Math.floor(file.atMs / DAY_MS);
    const isWanted = isLater(file) || rank < policy.newest || (!days.has(day) && days.size < policy.days);
    days.add(day);
    if (rank > 0 && (!isWanted || bytes + file.bytes > policy.maxBytes)) continue;
    kept.add(file);
    bytes += file.bytes;
  }
  return files.filter((file) => !kept.has(file)).map(({ name }) => name);
}

const PART_BYTES = 1_048_576;

/** Checks a ledger: its pages, and each stored sum against its rows. `problems` is empty for an undamaged ledger. */
export function examineFile(path: string): { readonly sha256: string; readonly problems: readonly string[] } {
  const sha256 = hashFile(path);
  try {
    const ledger = openReadOnly(path);
    try {
      return { sha256, problems: [...ledger.checkPages(), ...ledger.verify()] };
    } finally {
      ledger.close();
    }
  } catch (error) {
    const hint = error instanceof TwinbookError ? `. ${error.hint}` : '';
    return { sha256, problems: [`${messageOf(error)}${hint}`] };
  }
}

/** Returns the SHA-256 of a file, hexadecimal. Throws the system's error if the file cannot be read. */
export function hashFile(path: string): string {
  const hash = createHash('sha256');
  const part = Buffer.allocUnsafe(PART_BYTES);
  const file = fs.openSync(path, 'r');
  try {
    for (let read = fs.readSync(file, part); read > 0; read = fs.readSync(file, part))
      hash.update(part.subarray(0, read));
  } finally {
    fs.closeSync(file);
  }
  return hash.digest('hex');
}
