/** Files that a command leaves behind: whole or not at all. */

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { TwinbookError } from '../../shared/base/errors.js';

/** Writes beside it and renames. Throws TwinbookError `file_unreadable`; what stood there before is then still there. */
export function writeWhole(path: string, text: string): void {
  const beside = `${path}.part-${process.pid}`;
  try {
    writeFileSync(beside, text);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    const hint = 'Check that its folder exists, can be written and has room.';
    throw new TwinbookError('file_unreadable', `cannot write ${path}: ${why}`, hint, { cause: error });
  }
}
