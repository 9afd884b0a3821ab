/** Figures about the shape of the code, over the files of `src` and `strategies`. */

import { dirname } from 'node:path';
import type { SourceFile } from './source-tree.js';

/** The part of the sources that a file belongs to: a folder of `src`, or `strategies`. */
export const wingOf = (path: string): string => (path.startsWith('src/') ? (path.split('/')[1] ?? '') : 'strategies');

/** A folder of a wing: `trader/risk`; the wing itself for files directly in it. */
export const roomOf = (path: string): string =>
  path.startsWith('src/') ? path.split('/').slice(1, -1).slice(0, 2).join('/') : 'strategies';

/** A folder with more files than this needs a reason. */
export const MANY_FILES = 25;

/** Rooms of `src` that other programs import: every function, class, interface and type there has a comment. */
export const PUBLIC_ROOMS = [
  'trader/strategy',
  'shared/protocol',
  'trader/market',
  'shell/client',
  'exchange',
  'trader/ledger',
] as const;

/** Folders with more than `MANY_FILES` files directly in them, with their number. */
export function largeFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MANY_FILES).map(([folder, count]) => `${folder} ${count}`);
}

/** Classes, interfaces and types whose name exists twice within one wing. */
export function repeatedTypes(files: readonly SourceFile[]) {
  const places = new Map<string, { readonly wing: string; readonly name: string; readonly files: string[] }>();
  for (const { path, exports } of files) {
    for (const { name, kind } of exports) {
      if (kind === 'function' || kind === 'value') continue;
      const key = `${wingOf(path)} ${name}`;
      const place = places.get(key) ?? { wing: wingOf(path), name, files: [] };
      // A constant or a function may have its type's name in the same file.
      if (!place.files.includes(path)) place.files.push(path);
      places.set(key, place);
    }
  }
  return [...places.values()].filter((place) => place.files.length > 1);
}
