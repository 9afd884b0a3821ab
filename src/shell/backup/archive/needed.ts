/** Which archives a backup of a ledger needs, as it lies in a file beside the backup; and where the copies of them are. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TwinbookError } from '../../../shared/base/errors.js';
import { PRIVATE_FILE } from '../../../shared/base/private.js';
import { type ArchiveCopy, hashFile, listCopies } from '../../../trader/ledger/archive/archive-copies.js';
import { inspectArchives } from '../../../trader/ledger/archive/inspect.js';

/** The ending of the file that lists them. */
export const NEEDED = '.archives';

/** What a backup needs of one month at least: a copy that was made later has more. */
export interface NeededArchive {
  readonly month: string;
  readonly intents: number;
  readonly orders: number;
}

/** The folder of the copies of archives that belong to a backup, wherever both were moved to. */
export const locateCopies = (backup: string): string => join(dirname(backup), 'archives');

export function writeNeeded(backup: string, archives: readonly NeededArchive[]): void {
  const lines = archives.map(({ month, intents, orders }) => `${month} ${intents} ${orders}\n`);
  writeFileSync(`${backup}${NEEDED}`, lines.join(''), { mode: PRIVATE_FILE });
}

const LINE = /^(\d{4}-\d{2}) (\d+) (\d+)$/;

/** Null for a backup that was made before archives were copied, or has lost its list. Throws TwinbookError `file_unreadable` for a damaged one. */
export function readNeeded(backup: string): readonly NeededArchive[] | null {
  const path = `${backup}${NEEDED}`;
  if (!existsSync(path)) return null;
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [, month = '', intents = '', orders = ''] = LINE.exec(line) ?? [];
    if (month !== '') return { month, intents: Number(intents), orders: Number(orders) };
    const hint = 'Its lines are "2026-01 INTENTS ORDERS"; `twinbook ledger backups` lists other backups.';
    throw new TwinbookError('file_unreadable', `${path} cannot be read: ${JSON.stringify(line)}`, hint);
  });
}

/** Copies that a backup needs, and what is wrong with them. */
export interface FoundCopies {
  readonly copies: readonly ArchiveCopy[];
  /** Empty when all are there, unchanged, and have what they had when the backup was made. */
  readonly problems: readonly string[];
  /** What was lost before it was made. */
  readonly notes: readonly string[];
}

/**
 * Reads every copy that a backup needs.
 * @param ledger the backup, or a copy of it that was brought up to date
 */
export function findCopies(backup: string, ledger: string): FoundCopies {
  const needed = readNeeded(backup) ?? [];
  const there = listCopies(locateCopies(backup)).filter(({ month }) => needed.some((one) => one.month === month));
  const problems: string[] = [];
  const copies: ArchiveCopy[] = [];
  for (const { month } of needed) {
    const copy = there.find((one) => one.month === month);
    if (copy === undefined) problems.push(`the archive of ${month} is not in ${locateCopies(backup)}`);
    else if (hashFile(copy.path) !== copy.sha256)
      problems.push(
        `the archive ${copy.path} was changed since it was copied: its checksum is not the one in its name`,
      );
    else copies.push(copy);
  }
  const found = inspectArchives(ledger, copies);
  for (const { month, intents, orders } of found.archives) {
    const least = needed.find((one) => one.month === month);
    if (least !== undefined && (intents < least.intents || orders < least.orders))
      problems.push(
        `the archive of ${month} has ${intents} intents and ${orders} orders, fewer than the ${least.intents} and ${least.orders} of the backup`,
      );
  }
  return { copies, problems: [...problems, ...found.problems], notes: [...found.lost, ...found.notes] };
}
