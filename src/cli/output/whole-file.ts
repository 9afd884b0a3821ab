/** Output files of commands, written completely or not at all. */

import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type TwinbookError, unreadable } from '../../shared/base/errors.js';

/**
 * Fails now if `writeWhole` could not write this file later: a long run must not end without output. Changes no
 * existing file. Throws TwinbookError `file_unreadable`.
 */
export function requireWritable(path: string): void {
  const beside = besideOf(path);
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error('it is a folder');
    writeFileSync(beside, '');
  } catch (error) {
    throw cannotWrite(path, error);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Writes beside the file, then renames. Throws TwinbookError `file_unreadable`; the file is then unchanged. */
export function writeWhole(path: string, text: string): void {
  const beside = besideOf(path);
  try {
    writeFileSync(beside, text);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw cannotWrite(path, error);
  }
}

const besideOf = (path: string): string => `${path}.part-${process.pid}`;

function cannotWrite(path: string, cause: unknown): TwinbookError {
  const hint = 'Check that its folder exists, can be written and has room.';
  return unreadable(`cannot write ${path}`, cause, hint);
}
