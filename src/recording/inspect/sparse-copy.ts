/**
 * A local file of an object's length that holds what a query reads of it: the footer, the column chunks of some row groups, and
 * the Bloom filters of these columns, which DuckDB asks before it skips a group. The rest are holes: zeros, which are no page of
 * a Parquet file, so that whoever reads one is refused.
 */

import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { ByteRange } from '../objects/client.js';
import { ObjectParts } from '../objects/object-parts.js';
import type { ObjectInParts } from '../objects/view-files.js';
import { fetchRows, numberOrNull, toNumber, withConnection } from '../store/duckdb.js';
import { quote } from '../store/tables.js';

export interface WantedParts {
  /** Numbers of row groups, from 0. */
  readonly groups: ReadonlySet<number>;
  readonly columns: ReadonlySet<string>;
}

/** Rows of a file, counted from 0, with the last one. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

export interface SparseCopy {
  /** What is not here yet. */
  readonly missingBytes: number;
  /** The rows that the copy will hold; null: all. */
  readonly rows: readonly RowRange[] | null;
  fill(): Promise<void>;
}

/** The first look at an object; a footer is rarely longer. */
const FOOTER_BYTES = 65_536;
/** At the end of the file: how long the footer is, and a mark. */
const TAIL_BYTES = 8;
const MARK = 'PAR1';
/** Neighbours nearer than this are one request: it takes as long as so many bytes. */
const NEAR_BYTES = 32_768;
/** A part is held in memory. */
const LONGEST_BYTES = 8_388_608;
const AT_A_TIME = 8;

/**
 * Fetches the footer and makes the copy at `path`, without what it is for; null where the server sends no parts. Throws as
 * reading an object does.
 */
export async function beginSparseCopy(
  object: ObjectInParts,
  path: string,
  wanted: WantedParts,
): Promise<SparseCopy | null> {
  const parts = new ObjectParts(object);
  const footer = await findFooter(parts, object.file.bytes);
  if (footer === null) return null;
  object.cache.onDisk(() => makeEmpty(path, object.file.bytes));
  await copyInto(path, object, parts, [footer]);
  const chunks = await listChunks(path).catch(() => {
    throw parts.refuse('a footer that cannot be read', 'one of Parquet');
  });
  const ranges = rangesOf(chunks, wanted);
  const missing = joinNear(ranges.filter((range) => !parts.has(range)));
  return {
    missingBytes: missing.reduce((sum, { from, to }) => sum + to - from, 0),
    rows: rowsOf(chunks, wanted.groups),
    fill: async () => {
      const waiting = [...missing];
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await parts.fetch(next);
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, work));
      await copyInto(path, object, parts, ranges);
      object.note(parts.isFetched, parts.bytesFromCache);
    },
  };
}

async function findFooter(parts: ObjectParts, bytes: number): Promise<ByteRange | null> {
  const end: ByteRange = { from: Math.max(0, bytes - FOOTER_BYTES), to: bytes };
  const tail = await parts.read(end);
  if (tail === null) return null;
  const mark = tail.toString('latin1', tail.length - MARK.length);
  if (mark !== MARK) throw parts.refuse(`${JSON.stringify(mark)} at its end`, `${MARK}, as in a file of Parquet`);
  const length = tail.readUInt32LE(tail.length - TAIL_BYTES) + TAIL_BYTES;
  return { from: Math.max(0, Math.min(end.from, bytes - length)), to: bytes };
}

function makeEmpty(path: string, bytes: number): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    ftruncateSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** Nothing but these ranges: a page that is there in part might be taken for a whole one. */
async function copyInto(
  path: string,
  { cache }: ObjectInParts,
  parts: ObjectParts,
  ranges: readonly ByteRange[],
): Promise<void> {
  const file = openSync(path, 'r+');
  try {
    for (const range of ranges) {
      const bytes = await parts.read(range);
      if (bytes !== null) cache.onDisk(() => writeSync(file, bytes, 0, bytes.length, range.from));
    }
  } finally {
    closeSync(file);
  }
}

/** A column of a row group. */
interface Chunk extends ByteRange {
  readonly group: number;
  readonly groupRows: number;
  readonly column: string;
  readonly bloomFilter: ByteRange | null;
}

async function listChunks(path: string): Promise<readonly Chunk[]> {
  const rows = await withConnection((connection) =>
    fetchRows(
      connection,
      `SELECT row_group_id, row_group_num_rows, path_in_schema, total_compressed_size, bloom_filter_offset,
         bloom_filter_length, least(data_page_offset, nullif(dictionary_page_offset, 0)) AS first_offset
       FROM parquet_metadata(${quote(path)}) ORDER BY row_group_id`,
    ),
  );
  return rows.map((row) => {
    const from = toNumber(row['first_offset']);
    const [bloomFrom, bloomBytes] = [row['bloom_filter_offset'], row['bloom_filter_length']].map(numberOrNull);
    const hasBloomFilter = typeof bloomFrom === 'number' && typeof bloomBytes === 'number';
    return {
      group: toNumber(row['row_group_id']),
      groupRows: toNumber(row['row_group_num_rows']),
      column: String(row['path_in_schema']),
      from,
      to: from + toNumber(row['total_compressed_size']),
      bloomFilter: hasBloomFilter ? { from: bloomFrom, to: bloomFrom + bloomBytes } : null,
    };
  });
}

function rangesOf(chunks: readonly Chunk[], { groups, columns }: WantedParts): readonly ByteRange[] {
  return chunks
    .filter(({ column }) => columns.has(column))
    .flatMap(({ group, from, to, bloomFilter }) => [
      ...(groups.has(group) ? [{ from, to }] : []),
      ...(bloomFilter === null ? [] : [bloomFilter]),
    ]);
}

/** In order, with what lies between neighbours that are near. */
function joinNear(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from - last.to < NEAR_BYTES && to - last.from <= LONGEST_BYTES) {
      last.to = Math.max(last.to, to);
    } else joined.push({ from, to });
  }
  return joined;
}

/** Null where all groups are wanted. */
function rowsOf(chunks: readonly Chunk[], wanted: ReadonlySet<number>): readonly RowRange[] | null {
  const sizes = new Map(chunks.map(({ group, groupRows }) => [group, groupRows]));
  if ([...sizes.keys()].every((group) => wanted.has(group))) return null;
  const ranges: { first: number; last: number }[] = [];
  let first = 0;
  for (const [group, rows] of sizes) {
    const last = first + rows - 1;
    const before = ranges.at(-1);
    if (wanted.has(group) && rows > 0) {
      if (before !== undefined && before.last === first - 1) before.last = last;
      else ranges.push({ first, last });
    }
    first += rows;
  }
  return ranges;
}
