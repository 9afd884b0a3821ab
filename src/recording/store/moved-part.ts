/** The file of rows that a recorder has closed after the recording was opened. */

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
export function findMoved(part: EventsPart): EventsPart {
  const { path, isSegment } = part;
  if (!isSegment || existsSync(path)) return part;
  const folder = dirname(path);
  const name = parquetName('events', parseName(basename(path))?.number ?? 0);
  const manifest = readManifest(join(folder, MANIFEST));
  const closed = manifest === null ? undefined : eventsFiles(manifest).find((file) => file.name === name);
  return closed === undefined ? part : closedPart(folder, closed);
}
