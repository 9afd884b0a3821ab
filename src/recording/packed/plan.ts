/** What a day that is to be packed is made of, and which files come of it. */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { conditionIdIn, openSegments, parseDay, unlistedFiles } from '../store/day-folder.js';
import { dayFolders, marketFolders } from '../store/folders.js';
import { MANIFEST, MARKET, TABLES, type Table } from '../store/layout.js';
import { type EventsFile, type Manifest, type OtherFile, readManifest } from '../store/manifest.js';
import { readMarketText } from '../store/market-file.js';
import { sha256 } from '../store/sha256.js';
import { partName, sideName } from './names.js';

/** One market's own folder of a day. */
export interface SourceDay {
  readonly market: string;
  readonly folder: string;
  readonly manifest: Manifest;
  /** The text of `market.json`; null for requests that belong to no market. */
  readonly description: string | null;
  readonly ticker: string | null;
  readonly title: string | null;
}

/** A file of a market, whose rows go into a file of many. */
export interface Run {
  readonly day: SourceDay;
  readonly path: string;
  readonly file: EventsFile | OtherFile;
}

export interface PlannedPart {
  readonly name: string;
  readonly table: Table;
  /** In the order of their rows: by market, then by number. */
  readonly runs: readonly Run[];
}

/** Folders of markets by their UTC day, oldest day first, the markets in order of their ids. */
export function listSourceDays(folder: string): ReadonlyMap<string, readonly string[]> {
  const days = new Map<string, string[]>();
  for (const day of marketFolders(folder).flatMap(dayFolders)) {
    const known = days.get(parseDay(day));
    if (known === undefined) days.set(parseDay(day), [day]);
    else known.push(day);
  }
  const sorted = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(sorted.map(([date, folders]) => [date, folders.sort(byMarket)]));
}

const byMarket = (a: string, b: string): number => (conditionIdIn(a) < conditionIdIn(b) ? -1 : 1);

/** Why a folder cannot be packed yet; null where nothing hinders it. Of one that its recorder packs itself only what is closed is packed. */
export function findHindrance(folder: string, isWritten = false): string | null {
  const manifest = readManifest(join(folder, MANIFEST));
  if (!isWritten && openSegments(folder, manifest).length > 0)
    return `${folder} is being written, or its writer did not close it`;
  if (manifest === null) return `${folder} has no manifest: nobody knows whether it is whole`;
  const [stranger] = unlistedFiles(folder, manifest);
  return stranger === undefined ? null : `${join(folder, stranger)} is listed by no manifest`;
}

/** Throws TwinbookError `recording_invalid` for a description that cannot be read, or files without one. */
export function readSourceDay(folder: string): SourceDay {
  const manifest = readManifest(join(folder, MANIFEST));
  const market = conditionIdIn(folder);
  if (manifest === null || manifest.condition_id !== market || manifest.date !== parseDay(folder)) {
    const found = manifest === null ? 'no manifest' : `that of ${manifest.condition_id} on ${manifest.date}`;
    throw damaged(join(folder, MANIFEST), `got ${found}, wanted that of ${market} on ${parseDay(folder)}`);
  }
  const path = join(folder, MARKET);
  if (!existsSync(path)) {
    if (manifest.files.some(({ table }) => table === 'events')) throw damaged(path, 'it is missing');
    return { market, folder, manifest, description: null, ticker: null, title: null };
  }
  const description = readFileSync(path, 'utf8');
  const { source, title } = readMarketText(description, path, folder).market;
  return { market, folder, manifest, description, ticker: source.ticker, title };
}

/** Throws TwinbookError `recording_invalid` for a file that is not what its manifest says. */
export async function requireSound({ path, file }: Run): Promise<void> {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes !== file.bytes) {
    throw damaged(
      path,
      bytes === undefined ? 'it is missing' : `it has ${bytes} bytes, its manifest says ${file.bytes}`,
    );
  }
  const sum = await sha256(path);
  if (sum !== file.sha256) throw damaged(path, `it has the checksum ${sum}, its manifest says ${file.sha256}`);
}

const damaged = (path: string, what: string): TwinbookError =>
  new TwinbookError(
    'recording_invalid',
    `${path} cannot be packed: ${what}`,
    '`twinbook data verify` checks all files; nothing was removed.',
  );

/** The files of a day: events by shard and hour, the other tables by shard. A market is in one shard, whatever comes beside it. */
export function planParts(days: readonly SourceDay[], shards: number, packing = 1): PlannedPart[] {
  const parts = new Map<string, { table: Table; runs: Run[] }>();
  for (const table of TABLES) {
    for (const day of days) {
      for (const file of day.manifest.files.filter((one) => one.table === table).sort(byRows)) {
        const shard = shardOf(day.market, shards);
        const name =
          file.table === 'events' ? partName(shard, hourOf(file), packing) : sideName(file.table, shard, packing);
        const part = parts.get(name) ?? { table, runs: [] };
        parts.set(name, part);
        part.runs.push({ day, path: join(day.folder, file.name), file });
      }
    }
  }
  return [...parts].map(([name, { table, runs }]) => ({ name, table, runs }));
}

/** Names are numbered, and so are rows. */
function byRows(a: EventsFile | OtherFile, b: EventsFile | OtherFile): number {
  if (a.table === 'events' && b.table === 'events') return a.first_seq - b.first_seq;
  return basename(a.name) < basename(b.name) ? -1 : 1;
}

const hourOf = (file: EventsFile): number => new Date(file.first_ms ?? 0).getUTCHours();

const shardOf = (market: string, shards: number): number =>
  createHash('sha256').update(market).digest().readUInt32BE(0) % shards;
