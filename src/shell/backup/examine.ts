/** Reads a whole ledger, and brings the copies of its archives up to date: seconds for a large one. */

import { TwinbookError } from '../../shared/base/errors.js';
import { copyArchives, hashFile, listCopies } from '../../trader/ledger/archive/archive-copies.js';
import { inspectArchives } from '../../trader/ledger/archive/inspect.js';
import { openReadOnly } from '../../trader/ledger/ledger.js';
import { removeBeyond } from './archive/archiving.js';
import type { NeededArchive } from './archive/needed.js';

/** The copies of archives that belong to a backup. */
export interface ArchiveCopying {
  /** Whose archives. */
  readonly ledgerPath: string;
  /** Of the copies. */
  readonly folder: string;
  /** Room for all of them; the oldest go first. */
  readonly maxBytes: number;
}

/** Whether a file is a whole ledger. */
export interface ExaminedFile {
  /** Of the file, hexadecimal. */
  readonly sha256: string;
  /** What is wrong with it, one sentence each; empty for a whole ledger. */
  readonly problems: readonly string[];
}

export interface CopiedArchives {
  readonly archives: readonly NeededArchive[];
  /** What is wrong with them, one sentence each. */
  readonly problems: readonly string[];
}

/** SQLite's own check of its pages, and every sum of the ledger again from its rows. Throws when the file cannot be read. */
export function examineFile(path: string): ExaminedFile {
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
    return { sha256, problems: [`${error instanceof Error ? error.message : String(error)}${hint}`] };
  }
}

/** After the ledger was copied: what left it meanwhile is in both then, and what left it before is in these. */
export function copyBeside(backup: string, { ledgerPath, folder, maxBytes }: ArchiveCopying): CopiedArchives {
  const failed = copyArchives(ledgerPath, folder);
  removeBeyond(listCopies(folder), maxBytes);
  const { archives, problems } = inspectArchives(backup, listCopies(folder));
  const needed = archives.map(({ month, intents, orders }) => ({ month, intents, orders }));
  return { archives: needed, problems: [...failed, ...problems] };
}
