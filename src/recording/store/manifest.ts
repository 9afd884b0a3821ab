/** Reads and writes the JSON files of a day folder: `manifest.json` lists files, `market.json` describes the market. */

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { syncFolder } from '../../shared/base/files.js';
import { outcomeOf } from '../../shared/protocol/outcome.js';
import type { RecordedMarket } from '../contract.js';
import { parseName, STREAM_KINDS } from './layout.js';

/** Returns a JSON file's content; null if missing. Throws TwinbookError `recording_invalid` for invalid content. */
function readJson<T>(path: string, schema: z.ZodType<T>, what: string): T | null {
  if (!existsSync(path)) return null;
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const problem = cause instanceof z.ZodError ? z.prettifyError(cause).replaceAll('\n', ' ') : messageOf(cause);
    const hint =
      'it was changed or damaged, or a newer version of Twinbook wrote it; `twinbook data verify` checks all files';
    throw new TwinbookError('recording_invalid', `${path} is not ${what}: ${problem}`, hint, { cause });
  }
}

/** Writes a JSON file completely or not at all (first under a temporary name). Throws the system's error. */
export function writeJson(path: string, value: unknown): void {
  const temporary = `${path}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

export const FORMAT = { format: 'twinbook-recording', version: 1 } as const;

const count = z.number().int().min(0);
const time = z.number().int().min(-8.64e15).max(8.64e15);
/** Name of a file in the manifest's own folder. A path to any other folder is invalid. */
const fileName = z.string().refine((name) => parseName(name) !== null, 'is not the name of a file of a recording');

const anyFile = { name: fileName, rows: count, bytes: count, sha256: z.string() };

const eventsFile = z.strictObject({
  table: z.literal('events'),
  ...anyFile,
  /** Times of the first and last row, venue clock, Unix ms; null without rows. */
  first_ms: time.nullable(),
  last_ms: time.nullable(),
  /** Numbers of the first and last row in a file. Numbers continue over all files, so a missing row is noticed. */
  first_seq: count,
  last_seq: count,
  kinds: z.record(z.enum(STREAM_KINDS), count),
  gaps: z.array(z.strictObject({ from_ms: time, to_ms: time.nullable(), reason: z.string() })),
});

const otherFile = z.strictObject({ table: z.enum(['polls', 'own', 'feeds']), ...anyFile });

const manifest = z.strictObject({
  format: z.literal(FORMAT.format),
  version: z.literal(FORMAT.version),
  condition_id: z.string(),
  date: z.string(),
  origin: z.string(),
  files: z.array(z.discriminatedUnion('table', [eventsFile, otherFile])),
  refused: count,
  /** Number of events whose time was below the previous row's time, and was raised to the previous row's time. */
  stepped_back: count,
  /** Number of lines in the day's segments that a crash or damage made unreadable. */
  broken_lines: count,
});

export type Manifest = z.output<typeof manifest>;
export type EventsFile = z.output<typeof eventsFile>;

/** Reads a manifest; null if missing. Throws TwinbookError `recording_invalid` for a damaged or newer manifest. */
export const readManifest = (path: string): Manifest | null => readJson(path, manifest, 'a manifest of a recording');

export const eventsFiles = ({ files }: Manifest): EventsFile[] =>
  files
    .filter((file) => file.table === 'events')
    // Files are sorted by number, because names sort wrongly on a day with more than 9999 files.
    .sort((a, b) => a.first_seq - b.first_seq);

const precision = z.number().int().min(0).max(6);
const rate = z.number().int().min(0).max(1_000_000);

const marketFile = z.strictObject({
  condition_id: z.string().min(1),
  event_title: z.string(),
  /** The venue's own id of the event; absent if unknown. */
  event_condition_id: z.string().min(1).optional(),
  title: z.string(),
  category: z.enum(['politics', 'sports', 'crypto', 'wtf', 'tech', 'finance']),
  rules: z.array(z.string()),
  tick_precision: precision.min(1),
  amount_precision: precision,
  open_time_ms: time,
  close_time_ms: time,
  /** True if the venue did not report the closing time; otherwise absent. */
  close_is_guessed: z.literal(true).optional(),
  /** Outcome: true for YES, false for NO, or the value of a YES share; null while unknown. */
  outcome: z
    .union([z.boolean(), z.number().min(0).max(1)])
    .transform((outcome) => (typeof outcome === 'number' ? outcomeOf(outcome) : outcome))
    .nullable(),
  fees: z.strictObject({ maker_rate_micros: rate, taker_rate_micros: rate }).nullable(),
  origin: z.string(),
  ticker: z.string(),
  notes: z.array(z.string()),
});

export type DescribedMarket = Readonly<{ market: RecordedMarket; notes: readonly string[] }>;

/** Reads a market description; null if missing. `path`: market's folder. Throws TwinbookError `recording_invalid`. */
export function readMarket(file: string, path: string): DescribedMarket | null {
  const read = readJson(file, marketFile, 'a description of a recorded market');
  if (read === null) return null;
  const { fees, origin, ticker, notes, ...fields } = read;
  const source = { kind: 'twinbook', path, ticker, origin } as const;
  const market = { ...toFields(fields), ...(fees === null ? {} : { fees: toFields(fees) }), source };
  // The cast is safe, because the schema has the same fields as a recorded market.
  return { market: market as RecordedMarket, notes };
}

/** Renames fields like `makerRateMicros` to columns like `maker_rate_micros`. */
export const toColumns = (fields: object) =>
  rename(fields, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

const toFields = (columns: object) =>
  rename(columns, (name) => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()));

const rename = (fields: object, toName: (name: string) => string) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [toName(name), value]));
