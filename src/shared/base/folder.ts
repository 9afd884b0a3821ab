/** Making folders and keeping them. Node's own recursive mkdir spins for ever where a parent says ENOENT to every child, as /proc does. */

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PRIVATE_FOLDER } from './private.js';

/** What the process leaves to others of what it makes is theirs. */
export const SHARED_FOLDER = 0o777;

/**
 * Makes a folder, for its owner alone unless told, and what is missing above it; nothing happens when it is there. Returns the folders that it made, the
 * topmost first. Throws what `mkdirSync` throws, and ENOTDIR as it does when something else than a folder has the name.
 */
export function makeFolder(folder: string, mode = PRIVATE_FOLDER): readonly string[] {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path); path = dirname(path)) missing.unshift(path);
  for (const path of missing) {
    try {
      mkdirSync(path, mode);
    } catch (error) {
      // Somebody else was faster.
      if (!existsSync(path)) throw error;
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' });
  return missing;
}

/** What a file holds is only durable when it was synced. Throws what the system says. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A new name is only durable when its folder is: a power cut would take it away. Throws what the system says. */
export const syncFolder = syncFile;
