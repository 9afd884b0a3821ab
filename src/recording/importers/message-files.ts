/** Checks lines and times of recorded messages. DuckDB decompresses and splits the files. */

import type { DuckDBConnection } from '@duckdb/node-api';
import { invalidRecording, type RecordingWarning } from '../contract.js';
import { fetchRows } from '../store/duckdb.js';
import { parquetSource, quotePath } from '../store/layout.js';

/** Maximum fraction of broken lines in a file. A file with more broken lines is of another kind, or badly damaged. */
const MOST_BROKEN = 0.01;

const SHOWN = 240;

/** Throws TwinbookError `recording_invalid` for too many broken lines, with examples of a broken and a valid line. */
export function refuseBroken(
  path: string,
  lines: number,
  broken: number,
  [bad, good]: readonly [bad: string, good: string],
  reasons: readonly string[] = [],
): void {
  if (broken <= MOST_BROKEN * lines) return;
  const what = `${broken} of ${lines} lines of ${path} cannot be read, such as ${shorten(bad)}`;
  throw invalidRecording([what, ...reasons].join('; '), `A line that can be read: ${shorten(good)}`);
}

/** Shortens a recorded line for an error message. Control characters become question marks. */
function shorten(line: string): string {
  const plain = line.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?');
  return plain.length > SHOWN ? `${plain.slice(0, SHOWN)}…` : plain;
}

/** Maximum decrease between the times of consecutive messages, ms. A larger decrease means wrong times or order. */
const MOST_USUAL_MS = 10_000;

/** Counts events that are earlier than the event before, and warns about them. */
export class ClockRegression {
  readonly #quietMs: number;
  #latestMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #farthestMs = 0;

  /** @param quietMs maximum decrease between event times without a warning, ms */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  saw(timeMs: number): void {
    if (timeMs < this.#latestMs) this.#count++;
    this.#farthestMs = Math.max(this.#farthestMs, this.#latestMs - timeMs);
    this.#latestMs = Math.max(this.#latestMs, timeMs);
  }

  warnings(path: string): RecordingWarning[] {
    if (this.#farthestMs <= this.#quietMs) return [];
    const events = this.#count === 1 ? '1 event has a time' : `${this.#count} events have times`;
    const message = `${events} up to ${this.#farthestMs / 1000} s before the previous event: set to the time of the previous event`;
    return [this.#farthestMs > MOST_USUAL_MS ? { path, message, isDamage: true } : { path, message }];
  }
}

/** Bounds of valid times: the years 2000 and 2100, Unix ms. */
const EARLIEST_MS = 946_684_800_000;
const LATEST_MS = 4_102_444_800_000;

/** Returns SQL that is true for a valid time. */
export const validTimeSql = (ms: string): string => `${ms} BETWEEN ${EARLIEST_MS} AND ${LATEST_MS}`;

/** Bounds for the unit of a time: numbers below the first are s, below the second ms, below the third µs, else ns. */
const BOUNDS = [1e11, 1e14, 1e17] as const;

/** Returns SQL for a column's time as Unix ms; null for a text that is no time. `number`: the column as a double. */
export const timeSql = (text: string, number: string): string => `(CASE
    WHEN ${number} IS NULL THEN epoch_ms(try_cast(${text} AS TIMESTAMPTZ))::DOUBLE ELSE ${numberTimeSql(number)} END)`;

export const numberTimeSql = (number: string): string => `floor(CASE
    WHEN ${number} < ${BOUNDS[0]} THEN round(${number} * 1000) WHEN ${number} < ${BOUNDS[1]} THEN ${number}
    WHEN ${number} < ${BOUNDS[2]} THEN ${number} / 1000 ELSE round(${number} / 1000) / 1000 END)`;

/** Returns SQL that is true if a time is exact only to the second. */
export const isCoarseSql = (number: string) => `coalesce(${number} < ${BOUNDS[0]} AND ${number} % 1 = 0, false)`;

/** SQL that is true for a line that is not blank. With `OR`, DuckDB might first trim every line, which is slow. */
const IS_TEXT = "(CASE WHEN strlen(line) > 40 THEN true ELSE trim(line) <> '' END)";

/** Maximum length of a line, bytes. No venue sends longer messages. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Returns SQL for a file's messages, as JSON in the column `line`. DuckDB lists invalid text in `reject_errors`. */
export async function lineSource(connection: DuckDBConnection, path: string, maxLineBytes = MAX_LINE_BYTES) {
  if (path.endsWith('.parquet')) return parquetLines(connection, path);
  const isArray = /\.json(\.gz|\.zst)?$/.test(path) && (await startsArray(connection, path));
  return isArray
    ? `(SELECT json::VARCHAR AS line FROM ${arraySource(path)})`
    : `(SELECT line FROM ${textSource(path, maxLineBytes)} WHERE ${IS_TEXT})`;
}

const arraySource = (path: string): string => `read_json_objects(${quotePath(path)}, format = 'array')`;

// The delimiter is a character that never occurs in JSON.
const textSource = (
  path: string,
  maxLineBytes: number,
) => `read_csv(${quotePath(path)}, columns = {line: 'VARCHAR'}, delim = chr(1),
  quote = '', escape = '', header = false, auto_detect = false, strict_mode = false, store_rejects = true,
  max_line_size = ${maxLineBytes}, buffer_size = ${2 * maxLineBytes})`;

const startsArray = (connection: DuckDBConnection, path: string): Promise<boolean> =>
  connection.run(`SELECT 1 FROM ${arraySource(path)} LIMIT 1`).then(
    () => true,
    () => false,
  );

/** Returns SQL for a Parquet file's rows as JSON lines. Text columns that contain JSON become part of the message. */
async function parquetLines(connection: DuckDBConnection, path: string): Promise<string> {
  const source = parquetSource(path);
  const columns = await describeColumns(connection, source);
  const texts = ['event', 'msg', 'message'].filter((name) => columns.get(name) === 'VARCHAR');
  const replaced = texts.length === 0 ? '' : ` REPLACE (${texts.map((name) => `${name}::JSON AS ${name}`).join(', ')})`;
  return `(SELECT to_json(message)::VARCHAR AS line FROM (SELECT *${replaced} FROM ${source}) message)`;
}

export async function describeColumns(connection: DuckDBConnection, source: string) {
  const rows = await fetchRows(connection, `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${source})`);
  return new Map(rows.map((row) => [String(row['column_name']), String(row['column_type'])]));
}
