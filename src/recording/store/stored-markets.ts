/** The markets of a folder of recordings, whose days lie in their own folders, or many markets in one, or some so and some so. */

import { basename, dirname, resolve } from 'node:path';
import { namesIn } from '../objects/view-files.js';
import { openPackedDay, type PackedDay, type PackedMarket } from '../packed/read-day.js';
import { conditionIdIn, parseDay } from './day-folder.js';
import { dayFolders, isPackedDay, marketFolders, packedDays } from './folders.js';
import { MANIFEST, marketFolder, parseName } from './layout.js';

export interface DayPlace {
  /** The folder of the day: of this market alone, or of all. */
  readonly path: string;
  /** Null where it lies in the market's own folder. */
  readonly packed: PackedMarket | null;
}

export interface StoredMarket {
  readonly conditionId: string;
  /** The market's own folder, which need not be there where all of its days are packed, or one of its days. */
  readonly folder: string;
  /** Oldest first; each day once. */
  readonly days: readonly DayPlace[];
}

export interface FolderMarkets {
  readonly markets: readonly StoredMarket[];
  readonly packed: readonly PackedDay[];
  /** Market and day of what is packed and lies in the market's own folder too, which is what counts. */
  readonly shadowed: readonly { readonly market: string; readonly date: string }[];
}

/** Days in a market's own folder, as they come. */
export const listDays = (folders: readonly string[]): DayPlace[] => folders.map((path) => ({ path, packed: null }));

/**
 * Of a folder of recordings, of a market's folder, or of a day of either layout. A day of a market that is there in both layouts
 * is read from the market's own folder, of which the other is made. Throws TwinbookError `recording_invalid` for a packed day
 * that cannot be read: nobody knows which markets it lacks.
 */
export async function findMarkets(path: string): Promise<FolderMarkets> {
  const own = isPackedDay(path) ? [] : marketFolders(path);
  const packed: PackedDay[] = [];
  for (const folder of packedDays(path)) packed.push(await openPackedDay(folder));
  const root = isPackedDay(path) ? dirname(resolve(path)) : path;
  const found = new Map(own.map((folder) => [conditionIdIn(folder), { folder, days: listDays(dayFolders(folder)) }]));
  const shadowed: FolderMarkets['shadowed'][number][] = [];
  for (const { date, markets } of packed) {
    for (const [market, day] of markets) {
      const known = found.get(market) ?? { folder: marketFolder(root, market), days: [] };
      found.set(market, known);
      const mine = known.days.findIndex((one) => parseDay(one.path) === date);
      if (mine >= 0 && holdsData(known.days[mine]?.path ?? '')) shadowed.push({ market, date });
      else known.days.splice(mine < 0 ? known.days.length : mine, mine < 0 ? 0 : 1, { path: day.folder, packed: day });
    }
  }
  const markets = [...found].map(([conditionId, { folder, days }]) => ({
    conditionId,
    folder,
    days: days.sort((a, b) => (parseDay(a.path) < parseDay(b.path) ? -1 : 1)),
  }));
  return { markets: markets.sort((a, b) => (basename(a.folder) < basename(b.folder) ? -1 : 1)), packed, shadowed };
}

/** A folder with a description alone is what a recorder leaves that learnt of an outcome later. */
const holdsData = (day: string): boolean => namesIn(day).some((name) => name === MANIFEST || parseName(name) !== null);
