/** Making folders. Node's own recursive mkdir spins for ever where a parent says ENOENT to every child, as /proc does. */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and what is missing above it; nothing happens when it is there. Returns the folders that it made, the
 * topmost first. Throws what `mkdirSync` throws, and an Error when something else than a folder has the name.
 */
export function makeFolder(folder: string, mode = 0o777): readonly string[] {
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
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  return missing;
}
