/**
 * The stop file: `<ledger>.kill`. If the file exists, the trader kills itself; the file's text is the reason. A person
 * (with `touch`), a watchdog or `twinbook kill` can create the file to stop a trader that does not answer. A trader
 * that was frozen checks for the file before its next step. The ledger stores the kill, so that removing the file does
 * not resume trading.
 */

import { closeSync, constants, fsyncSync, linkSync, lstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, systemCode, unreadable } from '../../shared/base/errors.js';
import { syncFolder } from '../../shared/base/files.js';

/** Maximum length of the reason in a stop file, bytes; the rest of a longer file is ignored. */
const MAX_BYTES = 500;
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

export const locateStopFile = (ledgerPath: string): string => `${ledgerPath}.kill`;

/** Returns the reason in the stop file; null if no file exists. For an unreadable file, the reason is the error. */
export function readStopFile(path: string): string | null {
  try {
    // With `O_NONBLOCK`, a named pipe at this path does not block the trader.
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
      // A broken symbolic link also kills the trader. Any other file was created since the first read: it is read now.
      if (!entry.isSymbolicLink()) return readStopFile(path);
    }
    return `the stop file ${path} exists and cannot be read: ${messageOf(error)}`;
  }
}

/**
 * Writes the stop file durably; an existing file stays, because its reason is older. A trader that checks meanwhile
 * finds no file or the complete reason. On a full disk, an empty file kills the trader too. Throws `file_unreadable`.
 */
export function leaveStopFile(path: string, reason: string): void {
  const text = `${reason}\n`;
  try {
    if (!leaveWhole(path, text)) leavePlain(path, text);
    syncFolder(dirname(path));
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    const hint = 'A frozen trader may quote again when it recovers: end its process.';
    throw unreadable(`the stop file ${path} cannot be written`, error, hint);
  }
}

/**
 * Writes a temporary file and links it to the stop file's name. Returns false if the name exists, the disk is full, or
 * links are unsupported. Throws the system's error if the written file may not survive a crash.
 */
function leaveWhole(path: string, text: string): boolean {
  const beside = `${path}.${process.pid}`;
  const file = attempt(() => {
    rmSync(beside, { force: true });
    return openSync(beside, 'wx', 0o600);
  });
  if (file === null) return false;
  try {
    const isNamed = attempt(() => {
      writeSync(file, text);
      linkSync(beside, path);
      return true;
    });
    if (isNamed === null) return false;
    // The stop file is already effective before this sync to disk.
    fsyncSync(file);
    return true;
  } finally {
    closeSync(file);
    rmSync(beside, { force: true });
  }
}

function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}

/** Creates the stop file, then writes the reason. Throws the system's error, such as EEXIST for an existing file. */
function leavePlain(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    try {
      writeSync(file, text);
    } catch (error) {
      if (!FULL.includes(systemCode(error))) throw error;
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes the stop file. Throws `file_unreadable` on failure; the trader must then stay killed. */
export function removeStopFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    const hint = 'The trader stays killed while this file exists; remove the file by hand.';
    throw unreadable(`the stop file ${path} cannot be removed`, error, hint);
  }
}
