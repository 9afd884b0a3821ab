/** Puts a backup in the place of a ledger. Whatever starts on it afterwards is killed until a person has looked. */

import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, syncFile, syncFolder } from '../../shared/base/folder.js';
import { makePrivate } from '../../shared/base/private.js';
import { findCopies, readNeeded } from '../../shell/backup/archive/needed.js';
import { leaveStopFile, locateStopFile } from '../../shell/control/stop-file.js';
import { type ArchiveCopy, hashFile } from '../../trader/ledger/archive/archive-copies.js';
import { listArchives, locateArchiveFolder } from '../../trader/ledger/archive/archive-file.js';
import { inspectArchives } from '../../trader/ledger/archive/inspect.js';
import { openLedger } from '../../trader/ledger/ledger.js';
import { type LockHolder, lockWriter } from '../../trader/ledger/lock.js';

/** The log first: without it the file that stays behind is the ledger as of its last checkpoint, and still whole. */
const SIDE_FILES = ['-wal', '-shm', ''] as const;

export interface Restoring {
  readonly ledgerPath: string;
  /** The backup; it is copied and stays. */
  readonly backup: string;
  readonly reason: string;
  readonly holder: LockHolder;
  /** Archives that are missing or damaged do not keep the ledger from coming back; those beside it stay as they are. */
  readonly withoutArchives: boolean;
}

/** What was done. */
export interface Restored {
  /** What the ledger until now was moved to; null when there was none. Its archives have that name with `.archive`, if they were moved. */
  readonly aside: string | null;
  /** Months whose archives came back with it; null where those beside the ledger stayed. */
  readonly archives: readonly string[] | null;
  readonly notes: readonly string[];
}

/**
 * Throws `ledger_locked` beside a running trader, `file_unreadable` when there is no such backup, and `ledger_broken` or `ledger_newer` when
 * it, or an archive that it needs, cannot be used; then the ledger is as it was.
 */
export function restoreLedger(options: Restoring): Restored {
  const { ledgerPath, backup, reason, holder } = options;
  if (!existsSync(backup)) {
    throw new TwinbookError('file_unreadable', `there is no file ${backup}`, '`twinbook ledger backups` lists them.');
  }
  const lock = lockWriter(ledgerPath, holder);
  try {
    const fresh = `${ledgerPath}.restoring`;
    takeCopy(backup, fresh, holder);
    const { months, notes } = takeArchives(options, fresh);
    // From here on nothing trades on this name, whether the rest succeeds or not.
    leaveStopFile(locateStopFile(ledgerPath), `the ledger was restored from ${backup}: ${reason}`);
    const aside = moveAside(ledgerPath, holder.startedMs, months !== null);
    if (months !== null && months.length > 0) renameSync(locateArchiveFolder(fresh), locateArchiveFolder(ledgerPath));
    renameSync(fresh, ledgerPath);
    syncFolder(dirname(ledgerPath));
    return { aside, archives: months, notes };
  } finally {
    lock.release();
  }
}

/** Copies what the backup needs beside the fresh ledger. A backup without a list leaves the archives that are there. */
function takeArchives(options: Restoring, fresh: string): TakenArchives {
  try {
    return copyNeeded(options, fresh);
  } catch (error) {
    removeCopy(fresh);
    throw error;
  } finally {
    for (const side of ['-wal', '-shm']) rmSync(`${fresh}${side}`, { force: true });
  }
}

interface TakenArchives {
  /** Null where those beside the ledger stay. */
  readonly months: readonly string[] | null;
  readonly notes: readonly string[];
}

function copyNeeded({ ledgerPath, backup, withoutArchives }: Restoring, fresh: string): TakenArchives {
  checkSum(backup);
  if (withoutArchives) return { months: null, notes: [] };
  if (readNeeded(backup) === null) {
    const { problems, lost, notes } = inspectArchives(fresh, listArchives(ledgerPath));
    refuseWithout(backup, [...problems, ...lost]);
    return { months: null, notes };
  }
  const { copies, problems, notes } = findCopies(backup, fresh);
  refuseWithout(backup, problems);
  copyAll(copies, locateArchiveFolder(fresh));
  return { months: copies.map(({ month }) => month), notes };
}

function copyAll(copies: readonly ArchiveCopy[], folder: string): void {
  if (copies.length === 0) return;
  makeFolder(folder);
  for (const { path, month } of copies) {
    const copy = join(folder, `${month}.sqlite`);
    copyFileSync(path, copy);
    makePrivate(copy);
    syncFile(copy);
  }
  syncFolder(folder);
}

function refuseWithout(backup: string, problems: readonly string[]): void {
  const [problem] = problems;
  if (problem === undefined) return;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  throw new TwinbookError(
    'ledger_broken',
    `the archives of the backup ${backup} are not whole: ${problem}${more}`,
    'Put them back, take another backup (`twinbook ledger backups`), or restore the ledger alone with --without-archives: no money is in them.',
  );
}

/** Against the file that was written with it, if it is there. */
function checkSum(backup: string): void {
  const listed = `${backup}.sha256`;
  if (!existsSync(listed)) return;
  const [wanted] = readFileSync(listed, 'utf8').split(' ');
  if (wanted === hashFile(backup)) return;
  throw new TwinbookError(
    'ledger_broken',
    `the backup ${backup} was changed since it was made: its checksum is not the one in ${basename(listed)}`,
    'Take another backup: `twinbook ledger backups` lists them. One that you changed on purpose goes without that file.',
  );
}

/** A copy that is brought up to date and adds up: only then anything is moved. */
function takeCopy(backup: string, fresh: string, holder: LockHolder): void {
  removeCopy(fresh);
  copyFileSync(backup, fresh);
  makePrivate(fresh);
  try {
    const ledger = openLedger(fresh, holder);
    const problems = [...ledger.checkPages(), ...ledger.verify()];
    ledger.close();
    syncFile(fresh);
    const [problem] = problems;
    if (problem !== undefined) {
      const hint = 'Take an older backup: `twinbook ledger backups` lists them.';
      throw new TwinbookError('ledger_broken', `the backup ${backup} is not a whole ledger: ${problem}`, hint);
    }
  } catch (error) {
    removeCopy(fresh);
    throw error;
  } finally {
    for (const side of ['-wal', '-shm', '.lock']) rmSync(`${fresh}${side}`, { force: true });
  }
}

function removeCopy(fresh: string): void {
  for (const side of SIDE_FILES) rmSync(`${fresh}${side}`, { force: true });
  rmSync(locateArchiveFolder(fresh), { recursive: true, force: true });
}

/** A ledger keeps its archives under its new name, where others take their place. */
function moveAside(ledgerPath: string, nowMs: number, withArchives: boolean): string | null {
  const aside = `${ledgerPath}.before-restore-${new Date(nowMs).toISOString().replaceAll(':', '-')}`;
  const archives = locateArchiveFolder(ledgerPath);
  if (withArchives && existsSync(archives)) renameSync(archives, locateArchiveFolder(aside));
  if (!existsSync(ledgerPath)) return null;
  for (const side of SIDE_FILES) {
    if (existsSync(`${ledgerPath}${side}`)) renameSync(`${ledgerPath}${side}`, `${aside}${side}`);
  }
  return aside;
}
