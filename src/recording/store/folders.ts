/** Finds the markets and days of a folder of recordings. */

import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isDayFolder, isMarketFolder, parseName } from './layout.js';

/** A folder in our format: of many markets, of one, or of one day of it. */
export const isStore = (folder: string): boolean => marketFolders(folder).length > 0;

/** A single file of a day folder. */
export function isFileOfStore(path: string): boolean {
  const [name, folder] = [basename(path), dirname(resolve(path))];
  return parseName(name) !== null && isDayFolder(folder);
}

/** Market folders of a folder of recordings, by name; itself, if it is one or a day of one. */
export function marketFolders(path: string): string[] {
  const full = resolve(path);
  if (isMarketFolder(full) || (isDayFolder(full) && isMarketFolder(dirname(full)))) return [path];
  return foldersIn(path).filter(isMarketFolder);
}

/** Day folders of a market's folder, oldest first; itself, if it is one. */
export function dayFolders(path: string): string[] {
  if (isDayFolder(resolve(path))) return [path];
  return foldersIn(path).filter(isDayFolder);
}

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name))
    .sort();
