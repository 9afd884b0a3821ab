/** `manifest.json` of a day folder: its files and their required content. Unlisted files do not count. */

import { z } from 'zod';
import { readJson } from './json-file.js';
import { parseName } from './layout.js';
import { STREAM_KINDS } from './tables.js';

const WHAT = 'a manifest of a recording';
export const FORMAT = 'twinbook-recording';
export const VERSION = 1;

const count = z.number().int().min(0);
/** Unix ms within the range of dates. */
const time = z.number().int().min(-8.64e15).max(8.64e15);
/** Beside the manifest and nowhere else. */
const fileName = z.string().refine((name) => parseName(name) !== null, 'is no name of a file of a recording');

const anyFile = { name: fileName, rows: count, bytes: count, sha256: z.string() };

const eventsFile = z.strictObject({
  table: z.literal('events'),
  ...anyFile,
  /** Venue clock, Unix ms, of the first and last row; null without rows. */
  first_ms: time.nullable(),
  last_ms: time.nullable(),
  /** Rows are numbered through all files of a market; a gap between two files is a missing file. */
  first_seq: count,
  last_seq: count,
  kinds: z.record(z.enum(STREAM_KINDS), count),
  gaps: z.array(z.strictObject({ from_ms: time, to_ms: time.nullable(), reason: z.string() })),
});

const otherFile = z.strictObject({ table: z.enum(['polls', 'own', 'feeds']), ...anyFile });

const manifest = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  condition_id: z.string(),
  date: z.string(),
  origin: z.string(),
  files: z.array(z.discriminatedUnion('table', [eventsFile, otherFile])),
  refused: count,
  /** Events whose time went back and was raised. */
  stepped_back: count,
  /** Lines of segments made unreadable by a crash or damage. */
  broken_lines: count,
});

export type Manifest = z.output<typeof manifest>;
export type EventsFile = z.output<typeof eventsFile>;
export type OtherFile = z.output<typeof otherFile>;

export const emptyManifest = (conditionId: string, date: string, origin: string): Manifest => ({
  format: FORMAT,
  version: VERSION,
  condition_id: conditionId,
  date,
  origin,
  files: [],
  refused: 0,
  stepped_back: 0,
  broken_lines: 0,
});

/** Null without one. Throws TwinbookError `recording_invalid` for a damaged one or one of a newer version. */
export const readManifest = (path: string): Manifest | null => readJson(path, manifest, WHAT);

export const eventsFiles = ({ files }: Manifest): EventsFile[] =>
  files
    .filter((file) => file.table === 'events')
    // Names have leading zeros, but a day may have more than 9999 files.
    .sort((a, b) => a.first_seq - b.first_seq);
