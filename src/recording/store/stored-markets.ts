/** The markets of a folder of recordings, whose days lie in their own folders, or many markets in one, or some so and some so. */

import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isOther, listLacking } from '../packed/news.js';
import { openPackedDay, type PackedDay, type PackedMarket } from '../packed/read-day.js';
import { conditionIdIn, parseDay } from './day-folder.js';
import { fileState } from './file-state.js';
import { dayFolders, isPackedDay, marketFolders, packedDays } from './folders.js';
import { MANIFEST, marketFolder, parseName } from './layout.js';
import { type Manifest, readManifest } from './manifest.js';

export interface DayPlace {
  /** The folder of the day: of this market alone, or of all. */
  readonly path: string;
  /** Null where it lies in the market's own folder. */
  readonly packed: PackedMarket | null;
  /** Of an own folder beside a packed day; absent where it is all that there is. */
  readonly beside?: BesidePacked;
}

interface BesidePacked {
  readonly manifest: Manifest;
  /** Names of its files that the packed day holds too, where they count. */
  readonly skipped: ReadonlySet<string>;
  readonly packed: PackedMarket;
  /** What its manifest was like then. */
  readonly state: string;
}

export interface StoredMarket {
  readonly conditionId: string;
  /** The market's own folder, which need not be there where all of its days are packed, or one of its days. */
  readonly folder: string;
  /** Oldest first. A day is there twice where a part of it is packed: first that part, then what lies in its own folder. */
  readonly days: readonly DayPlace[];
}

export interface FolderMarkets {
  readonly markets: readonly StoredMarket[];
  readonly packed: readonly PackedDay[];
  /** Market and day of what is packed and lies in the market's own folder too, all of it or other rows, which is what counts. */
  readonly shadowed: readonly { readonly market: string; readonly date: string }[];
}

/** Days in a market's own folder, as they come. */
export const listDays = (folders: readonly string[]): DayPlace[] => folders.map((path) => ({ path, packed: null }));

/**
 * Of a folder of recordings, of a market's folder, or of a day of either layout. Of a day of a market that is there in both layouts
 * each file counts once: where the market's own folder has all of it, that is read, else the packed day and what it lacks. Throws
 * TwinbookError `recording_invalid` for a packed day that cannot be read: nobody knows which markets it lacks.
 */
export async function findMarkets(path: string): Promise<FolderMarkets> {
  const own = isPackedDay(path) ? [] : marketFolders(path);
  const found = new Map(own.map((folder) => [conditionIdIn(folder), { folder, days: listDays(dayFolders(folder)) }]));
  // A recorder that packs removes files after the packed day has them: who looks the other way round misses none.
  const dates = new Set(packedDays(path).map(parseDay));
  const besides = new Map(
    [...found.values()].flatMap(({ days }) =>
      days.filter((day) => dates.has(parseDay(day.path))).map(({ path: day }) => [day, lookAt(day)]),
    ),
  );
  const packed: PackedDay[] = [];
  for (const folder of packedDays(path)) packed.push(await openPackedDay(folder));
  const root = isPackedDay(path) ? dirname(resolve(path)) : path;
  const shadowed: FolderMarkets['shadowed'][number][] = [];
  for (const { date, markets } of packed) {
    for (const [market, day] of markets) {
      const known = found.get(market) ?? { folder: marketFolder(root, market), days: [] };
      found.set(market, known);
      const at = known.days.findIndex((one) => one.packed === null && parseDay(one.path) === date);
      const mine = known.days[at];
      if (mine === undefined) known.days.push({ path: day.folder, packed: day });
      else {
        const joined = joinPlaces(mine.path, besides.get(mine.path) ?? null, day);
        if (joined === null) shadowed.push({ market, date });
        else known.days.splice(at, 1, ...joined);
      }
    }
  }
  const markets = [...found].map(([conditionId, { folder, days }]) => ({
    conditionId,
    folder,
    // What is packed of a day comes before what its own folder has.
    days: days.sort((a, b) => (parseDay(a.path) < parseDay(b.path) ? -1 : parseDay(a.path) > parseDay(b.path) ? 1 : 0)),
  }));
  return { markets: markets.sort((a, b) => (basename(a.folder) < basename(b.folder) ? -1 : 1)), packed, shadowed };
}

/** A folder with a description alone is what a recorder leaves that learnt of an outcome later. */
const holdsData = (day: string): boolean =>
  readdirSync(day).some((name) => name === MANIFEST || parseName(name) !== null);

interface Look {
  readonly state: string;
  /** Null where there is none, or it cannot be read: then the folder is opened alone, which says so. */
  readonly manifest: Manifest | null;
}

function lookAt(day: string): Look {
  const state = fileState(join(day, MANIFEST));
  try {
    return { state, manifest: readManifest(join(day, MANIFEST)) };
  } catch {
    return { state, manifest: null };
  }
}

/** Null where the own folder is all that counts. */
function joinPlaces(path: string, look: Look | null, packed: PackedMarket): DayPlace[] | null {
  const whole = { path: packed.folder, packed };
  if (!holdsData(path)) return [whole];
  if (look === null || look.manifest === null) return null;
  const { manifest, state } = look;
  const source = { market: packed.market, folder: path, manifest, description: null, ticker: null, title: null };
  if (isOther(packed, source)) return null;
  const sums = new Set(manifest.files.map(({ sha256 }) => sha256));
  if (packed.rows.every((row) => sums.has(row.source_sha256))) return null;
  const lacking = new Set(listLacking(packed, source).map(({ name }) => name));
  const skipped = new Set(manifest.files.flatMap(({ name }) => (lacking.has(name) ? [] : [name])));
  return [whole, { path, packed: null, beside: { manifest, skipped, packed, state } }];
}

/** The manifest of the place with what counts of it; null where there is none. Throws TwinbookError `recording_invalid`. */
export function countedManifest({ path, packed, beside }: DayPlace): Manifest | null {
  if (packed !== null) return packed.manifest;
  if (beside === undefined) return readManifest(join(path, MANIFEST));
  const { manifest, skipped, packed: before } = beside;
  const goesOn = manifest.packed !== undefined || skipped.size > 0 || manifest.files.length === 0;
  const rest = (own: number, packedBefore: number): number => (goesOn ? Math.max(0, own - packedBefore) : own);
  return {
    ...manifest,
    files: manifest.files.filter(({ name }) => !skipped.has(name)),
    refused: rest(manifest.refused, before.manifest.refused),
    stepped_back: rest(manifest.stepped_back, before.manifest.stepped_back),
    broken_lines: rest(manifest.broken_lines, before.manifest.broken_lines),
  };
}

/** The same market as it lies there now, the same days of it. Null where it is no longer there. */
export async function findAgain({ conditionId, days }: StoredMarket): Promise<StoredMarket | null> {
  const own = days.find(({ packed }) => packed === null)?.path;
  if (own === undefined) return null;
  const { markets } = await findMarkets(dirname(dirname(resolve(own))));
  const dates = new Set(days.map(({ path }) => parseDay(path)));
  const found = markets.find((market) => market.conditionId === conditionId);
  return found === undefined ? null : { ...found, days: found.days.filter(({ path }) => dates.has(parseDay(path))) };
}
