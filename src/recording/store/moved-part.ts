/** Where rows are now that a recorder has closed, or packed, after somebody opened the recording. */

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openPackedDay } from '../packed/read-day.js';
import { conditionIdIn } from './day-folder.js';
import type { EventsPart } from './events-part.js';
import { MANIFEST, parquetName, parseName } from './layout.js';
import { type EventsFile, eventsFiles, readManifest } from './manifest.js';

/** A closed file as its manifest lists it. */
export const closedPart = (folder: string, file: EventsFile): EventsPart => ({
  path: join(folder, file.name),
  isSegment: false,
  firstSeq: file.first_seq,
  lastSeq: file.last_seq,
  firstMs: file.first_ms,
  lastMs: file.last_ms,
  events: file.kinds,
  gaps: file.gaps,
  bytes: file.bytes,
  sha256: file.sha256,
});

/** The part itself where it is still there, or is found nowhere else. */
export async function findMoved(part: EventsPart): Promise<EventsPart> {
  const { path, isSegment, packed, sha256 } = part;
  if (packed !== undefined || existsSync(path)) return part;
  const folder = dirname(path);
  const name = isSegment ? parquetName('events', parseName(basename(path))?.number ?? 0) : basename(path);
  const manifest = readManifest(join(folder, MANIFEST));
  const closed = manifest === null ? undefined : eventsFiles(manifest).find((file) => file.name === name);
  if (closed !== undefined && isSegment) return closedPart(folder, closed);
  const day = join(dirname(dirname(folder)), basename(folder));
  if (!existsSync(join(day, MANIFEST))) return part;
  const market = (await openPackedDay(day)).markets.get(conditionIdIn(folder));
  const row = market?.rows.find(
    (one) => one.source_name === name && one.table === 'events' && (isSegment || one.source_sha256 === sha256),
  );
  return market?.parts.find(({ packed: held }) => held?.sourceSha256 === row?.source_sha256) ?? part;
}
