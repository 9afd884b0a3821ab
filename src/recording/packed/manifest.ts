/** `manifest.json` of a packed day: which files there are and what they must hold. Written last; no other file counts. */

import { z } from 'zod';
import { readJson } from '../store/json-file.js';
import { FORMAT } from '../store/manifest.js';
import { isPackedName } from './names.js';

const WHAT = 'a manifest of a packed day';
const count = z.number().int().min(0);

const packedFile = z.strictObject({
  table: z.enum(['index', 'markets', 'events', 'polls', 'own', 'feeds']),
  name: z.string().refine(isPackedName, 'is no name of a file of a packed day'),
  rows: count,
  bytes: count,
  /** Lower-case hex. */
  sha256: z.string(),
});

const packedManifest = z.strictObject({
  format: z.literal(FORMAT),
  /** 4 where a day was packed more than once, which versions before cannot read whole; 1 and 2 are of folders with one market in each. */
  version: z.literal([3, 4]),
  layout: z.literal('packed'),
  date: z.string(),
  shards: z.number().int().min(1),
  files: z.array(packedFile),
});

export type PackedManifest = z.output<typeof packedManifest>;
export type PackedFile = z.output<typeof packedFile>;

/** Of a packed day with these files. */
export const packedManifestOf = (date: string, shards: number, files: readonly PackedFile[]): PackedManifest => ({
  format: FORMAT,
  version: files.filter(({ table }) => table === 'index' || table === 'markets').length > 2 ? 4 : 3,
  layout: 'packed',
  date,
  shards,
  files: [...files],
});

/** Null when there is none. Throws TwinbookError `recording_invalid` for one that is damaged or of a newer version. */
export const readPackedManifest = (path: string): PackedManifest | null => readJson(path, packedManifest, WHAT);
