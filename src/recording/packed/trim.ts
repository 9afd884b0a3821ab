/**
 * Removes from the folders of markets what a packed day holds, while their recorder goes on writing them. A market's newest day keeps
 * its manifest and description: they say where the rows ended, for what follows is numbered on from there.
 */

import { readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { conditionIdIn, lastRow, openSegments, parseDay } from '../store/day-folder.js';
import { dayFolders } from '../store/folders.js';
import { writeJson } from '../store/json-file.js';
import { MANIFEST, parseName } from '../store/layout.js';
import { type Manifest, readManifest } from '../store/manifest.js';
import { holdsAll, isOther, listLacking } from './news.js';
import { readSourceDay, type SourceDay } from './plan.js';
import type { PackedDay } from './read-day.js';
import { GONE, mayGoOn } from './remove.js';

/**
 * Of one market's day. Its files stay until the next time where `isRead` says that somebody may be reading them; no manifest lists them
 * then. Synchronous, so that the recorder writes nothing meanwhile; it must not be closing a segment. Throws what the disk says.
 */
export function trimDay(folder: string, packed: PackedDay, nowMs: number, isRead: boolean): void {
  const manifest = readManifest(join(folder, MANIFEST));
  const market = packed.markets.get(conditionIdIn(folder));
  if (manifest === null || market === undefined || packed.date !== parseDay(folder)) return;
  removePacked(folder, manifest);
  const source = readSourceDay(folder);
  if (isOther(market, source)) return;
  const trimmed = withoutPacked(folder, source, listLacking(market, source));
  if (trimmed !== null) {
    writeJson(join(folder, MANIFEST), trimmed);
    if (!isRead) removePacked(folder, trimmed);
  }
  const isNewest = folder === dayFolders(dirname(folder)).at(-1);
  const rest = readSourceDay(folder);
  const isDone = rest.manifest.files.length === 0 && (!isNewest || !mayGoOn(rest, nowMs)) && holdsAll(market, rest);
  if (isDone && readdirSync(folder).every((name) => parseName(name) === null)) removeDay(folder);
}

/** Null where nothing is to be taken out. */
function withoutPacked(folder: string, { manifest }: SourceDay, lacking: Manifest['files']): Manifest | null {
  const kept = new Set(lacking);
  const numbers = manifest.files.flatMap((file) => (kept.has(file) ? [] : (parseName(file.name)?.number ?? 0)));
  const last = Math.max(0, ...numbers);
  // A segment that was closed and could not be removed would count as open again.
  if (last === 0 || openSegments(folder, null).some((number) => number <= last)) return null;
  const end = lastRow(folder);
  return {
    ...manifest,
    version: 3,
    files: lacking,
    packed: {
      last_number: Math.max(last, manifest.packed?.last_number ?? 0),
      last_seq: end?.lastSeq ?? 0,
      last_ms: end?.lastMs ?? null,
      ended: end?.ended ?? false,
    },
  };
}

/** Files that the manifest lists no more. */
function removePacked(folder: string, { packed, files }: Manifest): void {
  const listed = new Set(files.map(({ name }) => name));
  for (const name of readdirSync(folder)) {
    const file = parseName(name);
    const isPacked = file !== null && file.table !== 'segment' && file.number <= (packed?.last_number ?? 0);
    if (isPacked && !listed.has(name)) rmSync(join(folder, name), { force: true });
  }
}

/** In one step: half a day would be damage. */
function removeDay(folder: string): void {
  const market = dirname(folder);
  const gone = join(market, `${GONE}${basename(folder)}`);
  renameSync(folder, gone);
  rmSync(gone, { recursive: true, force: true });
  if (readdirSync(market).length === 0) rmdirSync(market);
}
