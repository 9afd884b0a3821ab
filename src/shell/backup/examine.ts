/** Reads a whole ledger: seconds for a large one. */

import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { openReadOnly } from '../../trader/ledger/ledger.js';

const PART_BYTES = 1_048_576;

export interface ExaminedFile {
  readonly sha256: string;
  /** Problems, one sentence each; empty for a whole ledger. */
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
    return { sha256, problems: [`${messageOf(error)}${hint}`] };
  }
}

/** SHA-256 of a file, hexadecimal. Throws the system's error. */
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
