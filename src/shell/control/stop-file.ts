/**
 * The stop file `<ledger>.kill` kills a trader before its next step; its text is the reason. Anyone with write access
 * to the folder can write it. The ledger stores the kill: removing the file does not resume trading.
 */

import { closeSync, constants, fsyncSync, lstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, systemCode, unreadable } from '../../shared/base/errors.js';
import { syncFolder } from '../../shared/base/files.js';

/** Maximum length of the reason in a stop file, bytes; the rest of a longer file is ignored. */
const MAX_BYTES = 500;
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

export const locateStopFile = (ledgerPath: string): string => `${ledgerPath}.kill`;

/** Returns the reason in the stop file; null if no file exists. An unreadable stop file also gives a reason. */
export function readStopFile(path: string): string | null {
  try {
    // A named pipe in place of the stop file must not block the trader.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(MAX_BYTES);
      const text = bytes.toString('utf8', 0, readSync(file, bytes)).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
      return text.trim() || `the stop file ${path} exists`;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      const entry = lstatSync(path, { throwIfNoEntry: false });
      if (entry === undefined) return null;
      // A broken link with the stop file's name also kills. Any other entry was created just now and is read again.
      if (!entry.isSymbolicLink()) return readStopFile(path);
    }
    return `the stop file ${path} exists and cannot be read: ${messageOf(error)}`;
  }
}

/** Writes the stop file durably; an older one stays. An empty file, on a full disk, kills too. Throws. */
export function leaveStopFile(path: string, reason: string): void {
  const beside = `${path}.${process.pid}`;
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
    rmSync(beside, { force: true });
    const file = openSync(beside, 'wx', 0o600);
    try {
      writeWhatFits(file, `${reason}\n`);
      // The file gets its name only now: a trader that checks meanwhile finds no file or the whole reason.
      renameSync(beside, path);
      // The stop file already works at this point, even if this sync to disk takes long.
      fsyncSync(file);
    } finally {
      closeSync(file);
      rmSync(beside, { force: true });
    }
    syncFolder(dirname(path));
  } catch (error) {
    const hint = 'A frozen trader may quote again when it recovers: end its process.';
    throw unreadable(`the stop file ${path} cannot be written`, error, hint);
  }
}

function writeWhatFits(file: number, text: string): void {
  try {
    writeSync(file, text);
  } catch (error) {
    if (!FULL.includes(systemCode(error))) throw error;
  }
}

/** Removes the stop file. Throws `file_unreadable` on failure; the caller must then keep the kill. */
export function removeStopFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    const hint = 'The trader stays killed while this file exists; remove the file by hand.';
    throw unreadable(`the stop file ${path} cannot be removed`, error, hint);
  }
}
