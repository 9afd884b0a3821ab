/**
 * The plainest Parquet file that there is: columns of numbers as they lie in memory, one row group, nothing compressed, no
 * value missing. It is how numbers of ours come to where SQL can see them, at the cost of a copy: DuckDB's appender takes
 * as long as the file that is made of its table, and takes it from the thread that reads. The format's own description
 * is https://github.com/apache/parquet-format.
 */

import { writeFile } from 'node:fs/promises';

type Numbers = Float64Array | Int32Array;

/** As long as each other, at least one value each: DOUBLE or INTEGER, by their names. */
export type PlainColumns = Readonly<Record<string, Numbers>>;

/** At most 13 columns. Throws a RangeError where there are more, else what the system says. */
export async function writePlainParquet(path: string, columns: PlainColumns): Promise<void> {
  const rows = Object.values(columns)[0]?.length ?? 0;
  const parts: Uint8Array[] = [MAGIC];
  const chunks: Chunk[] = [];
  let at = MAGIC.length;
  for (const [name, numbers] of Object.entries(columns)) {
    const values = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    const header = toBytes(pageHeader(rows, values.length));
    const bytes = header.length + values.length;
    parts.push(header, values);
    chunks.push({ name, type: numbers instanceof Float64Array ? TYPE.double : TYPE.int32, at, bytes });
    at += bytes;
  }
  const footer = toBytes(fileMetadata(rows, chunks));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  await writeFile(path, [...parts, footer, length, MAGIC]);
}

const MAGIC = Buffer.from('PAR1');

// Enumerations of the format.
const TYPE = { int32: 1, double: 5 } as const;
const PLAIN = 0;
/** Of levels, of which columns without missing values have none. */
const RLE = 3;
const UNCOMPRESSED = 0;
const DATA_PAGE = 0;
const REQUIRED = 0;

/** One page of values. */
interface Chunk {
  readonly name: string;
  readonly type: number;
  /** Where its page begins, and how long that is with its header. */
  readonly at: number;
  readonly bytes: number;
}

/** A structure of Thrift: its fields by their numbers, which go up. */
type Struct = readonly (readonly [id: number, value: Value])[];
type Value =
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly text: string }
  | { readonly struct: Struct }
  | { readonly list: readonly Value[] };

const i32 = (value: number): Value => ({ i32: value });
const i64 = (value: number): Value => ({ i64: value });
const text = (value: string): Value => ({ text: value });
const struct = (value: Struct): Value => ({ struct: value });
const list = (value: readonly Value[]): Value => ({ list: value });

const pageHeader = (rows: number, bytes: number): Struct => [
  [1, i32(DATA_PAGE)],
  [2, i32(bytes)],
  [3, i32(bytes)],
  [
    5,
    struct([
      [1, i32(rows)],
      [2, i32(PLAIN)],
      [3, i32(RLE)],
      [4, i32(RLE)],
    ]),
  ],
];

function fileMetadata(rows: number, chunks: readonly Chunk[]): Struct {
  const root = struct([
    [4, text('rows')],
    [5, i32(chunks.length)],
  ]);
  const columns = chunks.map(({ name, type }) =>
    struct([
      [1, i32(type)],
      [3, i32(REQUIRED)],
      [4, text(name)],
    ]),
  );
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  const group = struct([
    [1, list(chunks.map((chunk) => columnChunk(rows, chunk)))],
    [2, i64(bytes)],
    [3, i64(rows)],
  ]);
  return [
    [1, i32(1)],
    [2, list([root, ...columns])],
    [3, i64(rows)],
    [4, list([group])],
  ];
}

function columnChunk(rows: number, { name, type, at, bytes }: Chunk): Value {
  const about = struct([
    [1, i32(type)],
    [2, list([i32(PLAIN)])],
    [3, list([text(name)])],
    [4, i32(UNCOMPRESSED)],
    [5, i64(rows)],
    [6, i64(bytes)],
    [7, i64(bytes)],
    [9, i64(at)],
  ]);
  return struct([
    [2, i64(at)],
    [3, about],
  ]);
}

/** In Thrift's compact protocol. */
function toBytes(fields: Struct): Uint8Array {
  const bytes: number[] = [];
  putStruct(bytes, fields);
  return Uint8Array.from(bytes);
}

function putStruct(bytes: number[], fields: Struct): void {
  let before = 0;
  for (const [id, value] of fields) {
    bytes.push(((id - before) << 4) | codeOf(value));
    putValue(bytes, value);
    before = id;
  }
  bytes.push(0);
}

function putValue(bytes: number[], value: Value): void {
  if ('i32' in value) putCount(bytes, 2 * value.i32);
  else if ('i64' in value) putCount(bytes, 2 * value.i64);
  else if ('struct' in value) putStruct(bytes, value.struct);
  else if ('text' in value) {
    const encoded = Buffer.from(value.text);
    putCount(bytes, encoded.length);
    bytes.push(...encoded);
  } else {
    const [first] = value.list;
    // Longer lists would say their length otherwise.
    if (value.list.length > 14)
      throw new RangeError(`a plain Parquet file has at most 13 columns, not ${value.list.length - 1}`);
    bytes.push((value.list.length << 4) | (first === undefined ? 0 : codeOf(first)));
    for (const item of value.list) putValue(bytes, item);
  }
}

function codeOf(value: Value): number {
  if ('i32' in value) return 5;
  if ('i64' in value) return 6;
  if ('text' in value) return 8;
  return 'list' in value ? 9 : 12;
}

/** Seven bits in each byte, the lowest first. Signed numbers come doubled, for the lowest bit would be their sign. */
function putCount(bytes: number[], count: number): void {
  let rest = count;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
}
