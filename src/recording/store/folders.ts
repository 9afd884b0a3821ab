/** Finds the markets and days of a folder of recordings. */

import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isPackedName } from '../packed/names.js';
import { isDayFolder, isMarketFolder, MANIFEST, parseName } from './layout.js';

/** A folder in our format: of many markets, of one, or of one day of it or of all. */
export const isStore = (folder: string): boolean => marketFolders(folder).length > 0 || packedDays(folder).length > 0;

/** A single file out of a day folder. */
export function isFileOfStore(path: string): boolean {
  const [name, folder] = [basename(path), dirname(resolve(path))];
  return (parseName(name) !== null && isDayFolder(folder)) || (isPackedName(name) && isPackedDay(folder));
}

/** The market folders of a folder of recordings, in order of their names; itself, if it is one or a day of one. */
export function marketFolders(path: string): string[] {
  const full = resolve(path);
  if (isMarketFolder(full) || (isDayFolder(full) && isMarketFolder(dirname(full)))) return [path];
  return foldersIn(path).filter(isMarketFolder);
}

/** The day folders of a market's folder, oldest first; itself, if it is one. */
export function dayFolders(path: string): string[] {
  if (isDayFolder(resolve(path))) return [path];
  return foldersIn(path).filter(isDayFolder);
}

/** A folder `date=…` that belongs to no market's folder and holds files of a packed day, whole or not. */
export function isPackedDay(path: string): boolean {
  const full = resolve(path);
  if (!isDayFolder(full) || isMarketFolder(dirname(full))) return false;
  return readdirSync(full).some((name) => name === MANIFEST || isPackedName(name));
}

/** Folders of packed days, oldest first; itself, if it is one. A market's folder has none. */
export function packedDays(path: string): string[] {
  const full = resolve(path);
  if (isMarketFolder(full)) return [];
  if (isDayFolder(full)) return isPackedDay(full) ? [path] : [];
  return foldersIn(path).filter(isPackedDay);
}

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name))
    .sort();
