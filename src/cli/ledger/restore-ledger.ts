/** Verifies ledgers and backups, and restores a backup. A trader on a restored ledger starts killed. */

import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, makePrivate, syncFile, syncFolder } from '../../shared/base/files.js';
import { examineFile, findOwnName, hashFile } from '../../shell/backup/backups.js';
import { leaveStopFile, locateStopFile, readStopFile } from '../../shell/control/stop-file.js';
import { openLedger } from '../../trader/ledger/ledger.js';
import { type LockHolder, lockWriter } from '../../trader/ledger/lock.js';

/** Suffixes of a ledger's files. The write-ahead log is moved first: a ledger without it is consistent, but older. */
const SIDE_FILES = ['-wal', '-shm', ''] as const;

/**
 * Replaces the ledger by a copy of the backup. Returns the old ledger's new path; null if none. Before any change it
 * throws `ledger_locked` (a trader runs), or `file_unreadable`, `ledger_broken` or `ledger_newer` (a bad backup).
 */
export function restoreLedger(ledgerPath: string, backup: string, reason: string, holder: LockHolder): string | null {
  if (!existsSync(backup))
    throw new TwinbookError('file_unreadable', `there is no file ${backup}`, 'See `twinbook ledger backups`.');
  makeFolder(dirname(ledgerPath));
  const lock = lockWriter(ledgerPath, holder);
  try {
    const fresh = `${ledgerPath}.restoring`;
    takeCopy(backup, fresh, holder);
    const stopFile = locateStopFile(ledgerPath);
    const earlier = readStopFile(stopFile);
    const text = `the ledger was restored from ${backup}: ${reason}`;
    // The stop file now keeps every trader from using this ledger, even if a later step fails.
    leaveStopFile(`${fresh}.kill`, earlier === null ? text : `${text}; earlier: ${earlier}`);
    renameSync(`${fresh}.kill`, stopFile);
    const stamp = new Date(holder.startedMs).toISOString().replaceAll(':', '-');
    const aside = `${ledgerPath}.before-restore-${stamp}`;
    for (const side of SIDE_FILES)
      if (existsSync(`${ledgerPath}${side}`)) renameSync(`${ledgerPath}${side}`, `${aside}${side}`);
    // After a power loss, the old log must not lie beside the new ledger, because SQLite would add it.
    syncFolder(dirname(ledgerPath));
    renameSync(fresh, ledgerPath);
    syncFolder(dirname(ledgerPath));
    return existsSync(aside) ? aside : null;
  } finally {
    lock.release();
  }
}

/** Verifies the ledger or a backup. `problems`: a sentence for each problem; empty if the file is consistent. */
export function verifyLedger(given: string, ledgerPath: string) {
  const file = given === ledgerPath ? given : findOwnName(given);
  const { sha256, problems } = examineFile(file);
  const change = findChange(file, sha256);
  return { file: given, problems: problems.length > 0 || change === null ? problems : [`it ${change}`] };
}

/** Compares a file with the checksum beside it. Describes the difference; null if the checksum is equal or missing. */
function findChange(file: string, sha256: string): string | null {
  const listed = `${file}.sha256`;
  if (!existsSync(listed) || readFileSync(listed, 'utf8').split(' ')[0] === sha256) return null;
  return `was changed after its creation: its checksum differs from the checksum in ${basename(listed)}`;
}

/** Makes a verified copy of the backup, before any file is moved. */
function takeCopy(backup: string, fresh: string, holder: LockHolder): void {
  removeCopy(fresh);
  // The log of an unclosed ledger has its newest commits; opening the copy adds these commits to it.
  if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${fresh}-wal`);
  copyFileSync(backup, fresh);
  makePrivate(fresh);
  try {
    const ledger = openLedger(fresh, holder);
    const problems = [...ledger.checkPages(), ...ledger.verify()];
    ledger.close();
    syncFile(fresh);
    const [problem] = problems;
    const fault = problem === undefined ? findChange(backup, hashFile(backup)) : `is damaged or incomplete: ${problem}`;
    if (fault === null) return;
    const onPurpose =
      problem === undefined ? ' To use a backup that you changed on purpose, delete its checksum file.' : '';
    const hint = `Take another backup: \`twinbook ledger backups\` lists them.${onPurpose}`;
    throw new TwinbookError('ledger_broken', `the backup ${backup} ${fault}`, hint);
  } catch (error) {
    removeCopy(fresh);
    throw error;
  } finally {
    for (const side of ['-wal', '-shm', '.lock']) rmSync(`${fresh}${side}`, { force: true });
  }
}

function removeCopy(fresh: string): void {
  for (const side of [...SIDE_FILES, '.kill']) rmSync(`${fresh}${side}`, { force: true });
}
