/**
 * Private files and folders. A user who may read a file can also lock it, so no other user may open it. Node's
 * recursive mkdir never ends when a parent has no children at all (/proc).
 */

import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

const GROUP_AND_OTHERS = 0o077;
const GROUP_OR_OTHERS_ENTER = 0o011;
const OTHERS_ENTER = 0o001;

/** Creates an empty file for this user alone; an existing one is unchanged. Throws the errors of `openSync`. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
}

/** Whether only the owner (and root) may open a file. Throws the errors of `statSync`. */
export const isPrivate = (path: string): boolean => (statSync(path).mode & GROUP_AND_OTHERS) === 0;

/** Removes other users' access if the file exists and is ours. */
export function makePrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & GROUP_AND_OTHERS) === 0) return;
  try {
    chmodSync(path, mode & ~GROUP_AND_OTHERS & 0o7777);
  } catch {
    // Another user owns the file and shares it with us.
  }
}

/** Problem and next step of a folder that other users can enter, by its mode and its parents'; else null. */
export function openToOthers(folder: string) {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return null;
  // Our own group usually has no other members.
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

/** Access bits that the process's umask leaves to other users. */
export const SHARED_FOLDER = 0o777;

/**
 * Creates a folder with its missing parents, by default for its owner only; an existing one is unchanged. Returns the
 * created folders, the topmost first. Throws the errors of `mkdirSync`, and ENOTDIR when a file has the name.
 */
export function makeFolder(folder: string, mode = PRIVATE_FOLDER): readonly string[] {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) {
    try {
      mkdirSync(path, mode);
    } catch (error) {
      // Another process was faster and created the folder.
      if (!existsSync(path)) throw error;
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' });
  return missing;
}

/** Syncs a file, so that its content is durable. Throws the system's error. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs a folder, so that a new name in it survives a power cut. Throws the system's error. */
export const syncFolder = syncFile;
