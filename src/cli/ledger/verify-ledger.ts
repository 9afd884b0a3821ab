/** Whether a ledger, or a backup of one, is whole, together with its archives. */

import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { findCopies, type NeededArchive, readNeeded } from '../../shell/backup/archive/needed.js';
import { findOwnName } from '../../shell/backup/backups.js';
import { examineFile } from '../../shell/backup/examine.js';
import { listArchives } from '../../trader/ledger/archive/archive-file.js';
import { inspectArchives } from '../../trader/ledger/archive/inspect.js';

/** What `ledger verify` says. */
export interface Verified {
  readonly file: string;
  /** What is wrong, one sentence each; empty for a whole ledger with all its archives. */
  readonly problems: readonly string[];
  /** Those that could be read. */
  readonly archives: readonly NeededArchive[];
  /** What may be as it should. */
  readonly notes: readonly string[];
}

/** Reads everything. @param ledgerPath the trader's own; any other file without archives of its own is a backup */
export function verifyLedger(given: string, ledgerPath: string): Verified {
  const file = given === ledgerPath ? given : findOwnName(given);
  const { sha256, problems } = examineFile(file);
  if (problems.length > 0) return { file: given, problems, archives: [], notes: [] };
  const beside = listArchives(file);
  if (file === ledgerPath || beside.length > 0) {
    const { archives, problems: damaged, lost, notes } = inspectArchives(file, beside);
    return { file: given, problems: [...damaged, ...lost], archives: pick(archives), notes };
  }
  const changed = findChange(file, sha256);
  if (readNeeded(file) === null) return { file: given, problems: changed, archives: [], notes: [WITHOUT_LIST] };
  const { copies, problems: missing, notes } = findCopies(file, file);
  const archives = pick(inspectArchives(file, copies).archives);
  return { file: given, problems: [...changed, ...missing], archives, notes };
}

const WITHOUT_LIST = 'no list of archives lies beside it: those of its ledger are needed to read orders that left it';

const pick = (archives: readonly NeededArchive[]): readonly NeededArchive[] =>
  archives.map(({ month, intents, orders }) => ({ month, intents, orders }));

/** Against the checksum that was written with it, if that is there. */
function findChange(file: string, sha256: string): readonly string[] {
  const listed = `${file}.sha256`;
  if (!existsSync(listed)) return [];
  const [wanted] = readFileSync(listed, 'utf8').split(' ');
  if (wanted === sha256) return [];
  return [`it was changed since it was made: its checksum is not the one in ${basename(listed)}`];
}
