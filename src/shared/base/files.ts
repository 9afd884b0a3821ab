/**
 * Functions for private files and folders. A user who may read a file can also lock it, so other users must not open
 * it. Folders are created one by one, because Node's recursive mkdir never returns below some parents, such as /proc.
 */

import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

const GROUP_AND_OTHERS = 0o077;
const GROUP_OR_OTHERS_ENTER = 0o011;
const OTHERS_ENTER = 0o001;

/** Creates an empty file that only this user may open. An existing file is unchanged. Throws `openSync`'s errors. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
}

/** Returns true if only the owner (and root) may open the file. Throws the errors of `statSync`. */
export const isPrivate = (path: string): boolean => (statSync(path).mode & GROUP_AND_OTHERS) === 0;

/** Removes the access of other users to the file. A missing file or another user's file stays unchanged. */
export function makePrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & GROUP_AND_OTHERS) === 0) return;
  try {
    chmodSync(path, mode & ~GROUP_AND_OTHERS & 0o7777);
  } catch {
    // Another user owns this file and shares it with this user, so the permissions stay.
  }
}

/** Returns a problem and its solution if other users can enter the folder through its parents; otherwise null. */
export function openToOthers(folder: string) {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return null;
  // A folder of the user's own group may be open to that group, which usually has no other members.
  const enters = found.gid === process.getgid?.() ? OTHERS_ENTER : GROUP_OR_OTHERS_ENTER;
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if ((statSync(path).mode & enters) === 0) return null;
    if (path === dirname(path)) break;
  }
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  return {
    text: `other users of this machine can enter ${folder} (mode ${mode})`,
    hint: `Run: chmod 700 '${folder.replaceAll("'", "'\\''")}'`,
  };
}

/** Folder mode with full access for all users; the process's umask removes some of it. */
export const SHARED_FOLDER = 0o777;

/**
 * Creates a folder with its missing parents, by default for the owner only. An existing folder stays unchanged. Returns
 * the created folders, topmost first. Throws `mkdirSync`'s errors, and ENOTDIR if a file has the folder's name.
 */
export function makeFolder(folder: string, mode = PRIVATE_FOLDER): readonly string[] {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) {
    try {
      mkdirSync(path, mode);
    } catch (error) {
      // Another process has created the folder in the meantime.
      if (!existsSync(path)) throw error;
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' });
  return missing;
}

/** Syncs a file, so that the file's content survives a power failure. Throws the system's error. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs a folder, so that a new file name in the folder survives a power failure. Throws the system's error. */
export const syncFolder = syncFile;
