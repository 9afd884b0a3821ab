/** Opens a packed day: its manifest, its index and its descriptions, as the days of its markets that they were made of. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import { parseDay } from '../store/day-folder.js';
import { fetchRows, fileError, withConnection } from '../store/duckdb.js';
import type { EventsPart } from '../store/events-part.js';
import { MANIFEST, MARKET } from '../store/layout.js';
import { type EventsFile, FORMAT, type Manifest, type OtherFile } from '../store/manifest.js';
import { type DescribedMarket, readMarketText } from '../store/market-file.js';
import { sha256 } from '../store/sha256.js';
import { parquetSource } from '../store/tables.js';
import { type IndexRow, indexRow, type MarketRow, marketRow } from './index-table.js';
import { type PackedFile, type PackedManifest, readPackedManifest } from './manifest.js';
import { packingOf } from './names.js';

/** One market's rows of the day. */
export interface PackedMarket {
  readonly market: string;
  readonly date: string;
  /** The folder of the packed day. */
  readonly folder: string;
  /** As that of the market's own day was, but for the bytes of its files, which are its share of those that there are. */
  readonly manifest: Manifest;
  /** The text of its `market.json`; null for requests that belong to no market. */
  readonly description: string | null;
  readonly described: DescribedMarket | null;
  /** Oldest first. */
  readonly parts: readonly EventsPart[];
  /** What the index says, of all tables. */
  readonly rows: readonly IndexRow[];
  /** Of the day, by their names. */
  readonly files: ReadonlyMap<string, PackedFile>;
}

export interface PackedDay {
  readonly folder: string;
  readonly date: string;
  readonly manifest: PackedManifest;
  readonly markets: ReadonlyMap<string, PackedMarket>;
}

const HINT = 'it was changed or damaged; `twinbook data verify` checks all files';

/**
 * Throws TwinbookError `recording_invalid` for a day without a manifest, whose tables are not what it says, or whose files are
 * of another size. The content of the other files is checked when they are read.
 */
export async function openPackedDay(folder: string): Promise<PackedDay> {
  const manifest = readPackedManifest(join(folder, MANIFEST));
  if (manifest === null) throw makeHalfError(folder);
  if (manifest.date !== parseDay(folder)) {
    throw new TwinbookError('recording_invalid', `${folder} holds the manifest of ${manifest.date}`, HINT);
  }
  return openListed(folder, manifest);
}

/** The same, as if this were its manifest. */
export async function openListed(folder: string, manifest: PackedManifest): Promise<PackedDay> {
  for (const file of manifest.files) {
    const [path, bytes] = [
      join(folder, file.name),
      statSync(join(folder, file.name), { throwIfNoEntry: false })?.size ?? null,
    ];
    if (bytes === file.bytes) continue;
    const found = bytes === null ? 'is missing' : `has ${bytes} bytes`;
    throw new TwinbookError('recording_invalid', `${path} ${found}, its manifest says ${file.bytes}`, HINT);
  }
  const index = await readTables(folder, manifest, 'index', indexRow);
  const described = await readTables(folder, manifest, 'markets', marketRow);
  return { folder, date: manifest.date, manifest, markets: joinTables(folder, manifest, index, described) };
}

function makeHalfError(folder: string): TwinbookError {
  const hint =
    'Its manifest was removed, or it was copied in part: copy the whole folder, or remove it and pack the day again.';
  return new TwinbookError(
    'recording_invalid',
    `${folder} is half a packed day: it has no ${MANIFEST}, which comes last`,
    hint,
  );
}

/** Of all packings of the day, in their order. */
async function readTables<T>(
  folder: string,
  manifest: PackedManifest,
  table: 'index' | 'markets',
  schema: z.ZodType<T>,
): Promise<readonly T[]> {
  const files = manifest.files.filter((one) => one.table === table);
  const name = join(folder, MANIFEST);
  if (files.length === 0) throw new TwinbookError('recording_invalid', `${name} lists no table ${table}`, HINT);
  let rows: readonly T[] = [];
  for (const file of files.sort((a, b) => packingOf(a.name) - packingOf(b.name)))
    rows = rows.concat(await readTable(folder, file, table, schema));
  return rows;
}

async function readTable<T>(
  folder: string,
  file: PackedFile,
  table: 'index' | 'markets',
  schema: z.ZodType<T>,
): Promise<readonly T[]> {
  const path = join(folder, file.name);
  try {
    await requireSame(path, file);
    const rows = await withConnection((connection) => fetchRows(connection, `SELECT * FROM ${parquetSource(path)}`));
    const read = z.array(schema).safeParse(rows);
    if (read.success && rows.length === file.rows) return read.data;
    const problem = read.success
      ? `it has ${rows.length} rows, its manifest says ${file.rows}`
      : z.prettifyError(read.error).replaceAll('\n', ' ');
    throw new TwinbookError('recording_invalid', `${path} is no ${table} of a packed day: ${problem}`, HINT);
  } catch (error) {
    throw fileError('recording_invalid', `cannot read ${path}`, error);
  }
}

/** Throws TwinbookError `recording_invalid` for a file with another checksum. */
async function requireSame(path: string, file: PackedFile): Promise<void> {
  const sum = await sha256(path);
  if (sum === file.sha256) return;
  const message = `${path} has the checksum ${sum}, its manifest says ${file.sha256}`;
  throw new TwinbookError('recording_invalid', message, HINT);
}

function joinTables(
  folder: string,
  manifest: PackedManifest,
  index: readonly IndexRow[],
  described: readonly MarketRow[],
): ReadonlyMap<string, PackedMarket> {
  const files = new Map(manifest.files.map((file) => [file.name, file]));
  const byMarket = new Map<string, IndexRow[]>(described.map(({ market }) => [market, []]));
  for (const row of index) {
    const rows = byMarket.get(row.market);
    if (rows !== undefined) rows.push(row);
    else throw new TwinbookError('recording_invalid', `${folder} does not describe ${row.market}`, HINT);
  }
  // What a later packing says of a market holds.
  const newest = new Map(described.map((about) => [about.market, about]));
  return new Map(
    [...newest].map(([market, about]) => [
      market,
      joinMarket(folder, manifest, about, byMarket.get(market) ?? [], files),
    ]),
  );
}

function joinMarket(
  folder: string,
  { date }: PackedManifest,
  about: MarketRow,
  rows: readonly IndexRow[],
  files: ReadonlyMap<string, PackedFile>,
): PackedMarket {
  const parts: EventsPart[] = [];
  const sources: (EventsFile | OtherFile)[] = [];
  for (const row of rows) {
    const file = files.get(row.file);
    if (file === undefined || file.sha256 !== row.sha256 || file.table !== row.table) {
      const message = `${join(folder, row.file)} is named by the index and is not the file that the manifest lists`;
      throw new TwinbookError('recording_invalid', message, HINT);
    }
    const source = toSource(row, file);
    sources.push(source);
    if (source.table === 'events') parts.push(toPart(folder, row, file, source));
  }
  const name = `the ${MARKET} of ${about.market} in ${folder}`;
  const { market, origin, version, description } = about;
  return {
    market,
    date,
    folder,
    manifest: {
      format: FORMAT,
      version: version === 2 ? 2 : 1,
      condition_id: market,
      date,
      origin,
      files: sources,
      refused: about.refused,
      stepped_back: about.stepped_back,
      broken_lines: about.broken_lines,
    },
    description,
    described: description === null ? null : readMarketText(description, name, folder),
    parts: parts.sort((a, b) => a.firstSeq - b.firstSeq),
    rows,
    files,
  };
}

/** As the manifest of the market's own day listed it. */
function toSource(row: IndexRow, file: PackedFile): EventsFile | OtherFile {
  const { table, rows } = row;
  const bytes = Math.round((file.bytes * rows) / Math.max(1, file.rows));
  const about = { name: row.source_name, rows, bytes, sha256: row.source_sha256 };
  if (table !== 'events') return { table, ...about };
  const { levels, trades, clears, ends } = row;
  return {
    table,
    ...about,
    first_ms: row.first_ms,
    last_ms: row.last_ms,
    first_seq: row.first_seq ?? 0,
    last_seq: row.last_seq ?? 0,
    kinds: { level: levels ?? 0, trade: trades ?? 0, clear: clears ?? 0, end: ends ?? 0 },
    // The index has held to its checksum, and only manifests that were read as such were written to it.
    gaps: JSON.parse(row.gaps ?? '[]') as EventsFile['gaps'],
  };
}

const toPart = (folder: string, row: IndexRow, file: PackedFile, source: EventsFile): EventsPart => ({
  path: join(folder, file.name),
  isSegment: false,
  firstSeq: source.first_seq,
  lastSeq: source.last_seq,
  firstMs: source.first_ms,
  lastMs: source.last_ms,
  events: source.kinds,
  gaps: source.gaps,
  bytes: file.bytes,
  sha256: file.sha256,
  packed: { market: row.market, sourceSha256: row.source_sha256 },
});
