/** Paths of recordings as folders of this machine. Whoever names no bucket loads nothing for it. */

import { resolve } from 'node:path';
import { type Environment, isObjectUrl } from './place.js';

/** Views for the addresses of object storage among these paths; the others stay as they are. Throws as `openView` does. */
export async function localPaths(paths: readonly string[], env: Environment = process.env): Promise<readonly string[]> {
  if (!paths.some(isObjectUrl)) return paths;
  const { openView } = await import('./open-view.js');
  const local: string[] = [];
  for (const path of paths) local.push(isObjectUrl(path) ? await openView(path, env) : path);
  return local;
}

/** A path as a user's shell means it; an address of object storage stays as it is. */
export const resolvePath = (cwd: string, path: string): string => (isObjectUrl(path) ? path : resolve(cwd, path));
