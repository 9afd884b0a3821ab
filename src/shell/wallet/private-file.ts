/**
 * Files that hold secrets: read only when no other user can read them, written so that a crash leaves the old content
 * or the new one and never a readable or half-written copy.
 */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, syncFolder } from '../../shared/base/folder.js';

/** Far above the size of our secret files; a larger one is a mistake. */
const LARGEST_BYTES = 65_536;

/**
 * The text of a secrets file. Mode and kind are asked of the open descriptor, so the file that was checked is the
 * file that is read. Throws TwinbookError file_unreadable or key_insecure.
 */
export function readPrivateFile(path: string, what: string): string {
  // Without O_NONBLOCK a named pipe would hang the start until another process writes to it.
  const descriptor = attempt(path, what, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile())
      throw new TwinbookError(
        'file_unreadable',
        `${what} ${path} is not a file`,
        'Name the file itself in the configuration.',
      );
    requirePrivate(path, what, status.mode);
    if (status.size > LARGEST_BYTES) {
      throw new TwinbookError(
        'key_invalid',
        `${what} ${path} has ${status.size} bytes; it cannot be one`,
        'Look whether that path is the file that was meant.',
      );
    }
    return attempt(path, what, () => readAll(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function requirePrivate(path: string, what: string, mode: number): void {
  if ((mode & 0o077) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const hint = `Others on this machine can reach it. Run: chmod 600 '${path.replaceAll("'", "'\\''")}'`;
  throw new TwinbookError('key_insecure', `${what} ${path} has mode ${shown}; it must be 0600`, hint);
}

function readAll(descriptor: number): string {
  const bytes = readFileSync(descriptor);
  const text = bytes.toString('utf8');
  bytes.fill(0);
  return text;
}

/**
 * Writes a secrets file with mode 0600: temporary file beside it, fsync, read back and given to `verify`, then renamed
 * into place. With `replace: false` an existing file is left alone and refused.
 * Throws TwinbookError file_unreadable, or what `verify` throws.
 */
export function writePrivateFile(
  path: string,
  text: string,
  what: string,
  { replace, verify }: { readonly replace: boolean; readonly verify: (text: string) => void },
): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  // A file in a folder that a power cut takes away is as lost as one that was never written.
  attempt(path, what, () => {
    for (const made of makeFolder(dirname(path))) syncFolder(dirname(made));
  });
  try {
    attempt(path, what, () => writeSynced(temporary, text));
    verify(readPrivateFile(temporary, what));
    attempt(path, what, () => (replace ? renameSync(temporary, path) : moveToFreePlace(temporary, path)));
    attempt(path, what, () => syncFolder(dirname(path)));
  } catch (error) {
    if (existsSync(temporary)) unlinkSync(temporary);
    throw error;
  }
}

function writeSynced(path: string, text: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    // The umask may have taken bits away from the owner.
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, text, { flush: true });
  } finally {
    closeSync(descriptor);
  }
}

/** A link fails when the name is taken, where a rename would destroy a key that another process just wrote. */
function moveToFreePlace(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
    unlinkSync(temporary);
  } catch (error) {
    if (readErrorCode(error) === 'EEXIST' || existsSync(path)) throw error;
    renameSync(temporary, path); // a file system without links
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read or written by this user',
  EPERM: 'may not be read or written by this user',
  EISDIR: 'is a folder',
  EEXIST: 'exists already and is not overwritten',
  ENOTDIR: 'lies below something that is not a folder',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the disk is read-only',
};

function attempt<T>(path: string, what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const code = readErrorCode(error);
    const why = WHY[code] ?? `cannot be used (${code})`;
    throw new TwinbookError(
      'file_unreadable',
      `${what} ${path} ${why}`,
      'Look whether that path is the file that was meant, and whether you may read it.',
      { cause: error },
    );
  }
}

const readErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
