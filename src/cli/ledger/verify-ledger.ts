/** Whether a ledger, or a backup of one, is whole. */

import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { findOwnName } from '../../shell/backup/backups.js';
import { examineFile } from '../../shell/backup/examine.js';

/** What `ledger verify` says. */
export interface Verified {
  readonly file: string;
  /** What is wrong, one sentence each; empty for a whole ledger. */
  readonly problems: readonly string[];
}

/** Reads everything. @param ledgerPath the trader's own; any other file is a backup */
export function verifyLedger(given: string, ledgerPath: string): Verified {
  const file = given === ledgerPath ? given : findOwnName(given);
  const { sha256, problems } = examineFile(file);
  return { file: given, problems: problems.length > 0 ? problems : findChange(file, sha256) };
}

/** Against the checksum that was written with it, if that is there. */
function findChange(file: string, sha256: string): readonly string[] {
  const listed = `${file}.sha256`;
  if (!existsSync(listed)) return [];
  const [wanted] = readFileSync(listed, 'utf8').split(' ');
  if (wanted === sha256) return [];
  return [`it was changed since it was made: its checksum is not the one in ${basename(listed)}`];
}
