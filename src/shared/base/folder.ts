/** Creates and syncs folders. Node's recursive mkdir never ends when a parent has no children at all (/proc). */

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PRIVATE_FOLDER } from './private.js';

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
      // Another process was faster.
      if (!existsSync(path)) throw error;
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' });
  return missing;
}

/** Syncs a file: its content is durable afterwards. Throws the system's error. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs a folder: a new name in it survives a power cut afterwards. Throws the system's error. */
export const syncFolder = syncFile;
